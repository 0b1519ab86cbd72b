// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

// recorder keeps every state of the claims and members of a namespace, from when both were none.
type recorder struct {
	namespace string
	client    client.WithWatch

	mu       sync.Mutex
	facts    []oracle.Fact
	watching []func(oracle.Fact)
	broken   error
}

// record starts a recorder that ends with the test.
func record(t *testing.T, c *testcluster.Cluster) *recorder {
	t.Helper()
	watching, err := client.NewWithWatch(c.Config, client.Options{Scheme: c.Client.Scheme()})
	if err != nil {
		t.Fatalf("recorder: %v", err)
	}
	r := &recorder{namespace: c.Namespace, client: watching}
	for _, list := range []client.ObjectList{&banlieue.VirtualMachineList{}, &banlieue.VirtualMachineClaimList{}} {
		if err := r.follow(t, list); err != nil {
			t.Fatalf("recorder: %v", err)
		}
	}
	return r
}

// follow records one kind. The watch goes on where it was cut; it never starts over, which would leave a hole.
func (r *recorder) follow(t *testing.T, list client.ObjectList) error {
	ctx, cancel := context.WithCancel(t.Context())
	if err := r.client.List(ctx, list, client.InNamespace(r.namespace)); err != nil {
		cancel()
		return fmt.Errorf("list: %w", err)
	}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return r.client.Watch(ctx, list.DeepCopyObject().(client.ObjectList), &client.ListOptions{Namespace: r.namespace, Raw: &o})
		},
	})
	if err != nil {
		cancel()
		return fmt.Errorf("watch: %w", err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for event := range w.ResultChan() {
			r.handle(event)
		}
	})
	t.Cleanup(func() {
		cancel()
		reading.Wait()
	})
	return nil
}

func (r *recorder) handle(event watch.Event) {
	fact, err := factOf(event)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.broken = err
		return
	}
	r.facts = append(r.facts, fact)
	for _, tell := range r.watching {
		tell(fact)
	}
}

func factOf(event watch.Event) (oracle.Fact, error) {
	fact := oracle.Fact{At: time.Now(), Gone: event.Type == watch.Deleted}
	switch o := event.Object.(type) {
	case *banlieue.VirtualMachine:
		fact.Member = o
	case *banlieue.VirtualMachineClaim:
		fact.Claim = o
	default:
		return fact, fmt.Errorf("watch: %s %v", event.Type, event.Object)
	}
	var err error
	fact.Revision, err = strconv.ParseUint(event.Object.(client.Object).GetResourceVersion(), 10, 64)
	return fact, err
}

// onFact has tell called for every fact from now on, one at a time. It must not block, nor ask the recorder.
func (r *recorder) onFact(tell func(oracle.Fact)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watching = append(r.watching, tell)
}

// history is what was recorded so far, in order.
func (r *recorder) history() ([]oracle.Fact, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	facts := slices.Clone(r.facts)
	oracle.Sort(facts)
	return facts, r.broken
}

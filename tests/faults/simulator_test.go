// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
)

// slowFinalizer keeps a deleted member for a while, as the destruction of a real machine does.
const slowFinalizer = "faults.lictor.dev/slow"

// simulation says how machines behave.
type simulation struct {
	seed uint64
	// boot and stop are the longest that a machine takes to become ready, and to go once it is deleted.
	boot, stop time.Duration
	// slow is the share of machines that take time to go, in percent.
	slow int
	// chatter is the share of machines whose status goes on changing for a while, in percent.
	chatter int
}

// chatterPeriod is how often a chattering machine's status changes: often enough to meet a bind under way.
const chatterPeriod = 100 * time.Millisecond

// simulator plays the part of the hypervisors.
type simulator struct {
	t      *testing.T
	ctx    context.Context // ends with the test; facts carry none
	client client.Client
	simulation

	mu     sync.Mutex
	random *rand.Rand
	known  map[types.UID]bool
	going  map[types.UID]bool
}

// simulate has every new member become ready, and every deleted one go, until the test ends.
func simulate(t *testing.T, c client.Client, r *recorder, behaviour simulation) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &simulator{t: t, ctx: ctx, client: c, simulation: behaviour, random: rand.New(rand.NewPCG(behaviour.seed, 1)),
		known: map[types.UID]bool{}, going: map[types.UID]bool{}}
	var working sync.WaitGroup
	r.onFact(func(f oracle.Fact) {
		if f.Member == nil || f.Gone || ctx.Err() != nil {
			return
		}
		if work := s.consider(f.Member); work != nil {
			working.Go(work)
		}
	})
	t.Cleanup(func() {
		cancel()
		working.Wait()
	})
}

// consider says what there is to do about a member, nil if there is nothing new.
func (s *simulator) consider(m *banlieue.VirtualMachine) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.DeletionTimestamp != nil && slices.Contains(m.Finalizers, slowFinalizer) && !s.going[m.UID]:
		s.going[m.UID] = true
		after := s.upTo(s.stop)
		return func() { s.letGo(m, after) }
	case m.DeletionTimestamp == nil && !s.known[m.UID]:
		s.known[m.UID] = true
		slow, chatters, after := s.random.IntN(100) < s.slow, s.random.IntN(100) < s.chatter, s.upTo(s.boot)
		return func() { s.boots(m, after, slow, chatters) }
	}
	return nil
}

func (s *simulator) upTo(most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	return time.Duration(s.random.Int64N(int64(most)))
}

func (s *simulator) boots(m *banlieue.VirtualMachine, after time.Duration, slow, chatters bool) {
	if slow {
		s.patch(m, "", map[string]any{"metadata": map[string]any{"finalizers": []string{slowFinalizer}}})
	}
	s.pass(after)
	since := time.Now()
	s.patch(m, "status", readiness(since, "up"))
	for i := range 20 {
		if !chatters {
			return
		}
		s.pass(chatterPeriod)
		s.patch(m, "status", readiness(since, time.Duration(i).String()))
	}
}

func readiness(since time.Time, message string) map[string]any {
	var conditions []metav1.Condition
	for _, name := range []string{banlieue.ConditionGuestReady, banlieue.ConditionInfrastructureReady} {
		c := builders.Condition(name, metav1.ConditionTrue, "Simulated", since)
		c.Message = message
		conditions = append(conditions, c)
	}
	return map[string]any{"status": map[string]any{"conditions": conditions}}
}

func (s *simulator) letGo(m *banlieue.VirtualMachine, after time.Duration) {
	s.pass(after)
	s.patch(m, "", map[string]any{"metadata": map[string]any{"finalizers": nil}})
}

// patch changes a member that may be gone by now.
func (s *simulator) patch(m *banlieue.VirtualMachine, subresource string, content map[string]any) {
	body, err := json.Marshal(content)
	if err != nil {
		s.t.Errorf("simulator: %v", err)
		return
	}
	target := &banlieue.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name}}
	patch := client.RawPatch(types.MergePatchType, body)
	if subresource == "" {
		err = s.client.Patch(s.ctx, target, patch)
	} else {
		err = s.client.SubResource(subresource).Patch(s.ctx, target, patch)
	}
	// A finalizer comes too late for a member that is being deleted: the API server calls that invalid.
	if err != nil && s.ctx.Err() == nil && !apierrors.IsNotFound(err) && !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) {
		s.t.Errorf("simulator: %s: %v", m.Name, err)
	}
}

// pass lets time go by: time is what is simulated.
func (s *simulator) pass(d time.Duration) {
	select {
	case <-s.ctx.Done():
	case <-time.After(d):
	}
}

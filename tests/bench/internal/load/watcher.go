// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"sync"
	"time"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/bench/internal/api"
)

// Watcher sees when claims of a namespace become Bound.
type Watcher struct {
	done chan struct{}
	err  error // read after done is closed

	mu      sync.Mutex
	waiting map[string]chan time.Time
}

// Watch begins to watch; it ends with the context.
func Watch(ctx context.Context, client *api.Client, namespace string) (*Watcher, error) {
	path := api.Path(namespace, api.Claims)
	_, from, err := client.List(ctx, path+"?limit=1")
	if err != nil {
		return nil, err
	}
	w := &Watcher{done: make(chan struct{}), waiting: map[string]chan time.Time{}}
	go func() {
		defer close(w.done)
		w.err = errors.Join(client.Watch(ctx, path, from, w.see), context.Cause(ctx))
	}()
	return w, nil
}

// expect returns a channel that receives the instant at which the claim was seen Bound.
func (w *Watcher) expect(name string) <-chan time.Time {
	bound := make(chan time.Time, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[name] = bound
	return bound
}

func (w *Watcher) see(_ string, claim *api.Object) {
	if claim.Status.Phase != string(banlieue.ClaimBound) {
		return
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if bound, ok := w.waiting[claim.Metadata.Name]; ok {
		delete(w.waiting, claim.Metadata.Name)
		bound <- now
	}
}

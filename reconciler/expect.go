// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lictor-dev/lictor/reconciler/kernel"
)

// A write is normally seen within milliseconds, and its event triggers the pass that waited for it. After
// expectationAge the API server is asked whether there is still something to see: an object that was created and
// deleted at once may never show.
const (
	expectationAge   = 5 * time.Second
	expectationCheck = time.Second
)

// recheck triggers, until the context ends, passes of the keys whose writes nobody has looked for since: what shows a write
// need not concern the key, and an object that was created and deleted at once may never show.
func (r *runner) recheck(ctx context.Context) {
	tick := time.NewTicker(expectationCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, key := range r.overdue() {
				r.enqueue(key, 0)
			}
		}
	}
}

func (r *runner) overdue() []types.NamespacedName {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []types.NamespacedName
	for key, e := range r.expected {
		if time.Since(e.since) >= expectationCheck {
			out = append(out, key)
		}
	}
	return out
}

// expect remembers writes, so that the next pass over the key waits until the cache has seen them.
func (r *runner) expect(key types.NamespacedName, writes []kernel.Write) {
	if len(writes) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected[key] = expectation{writes: writes, since: time.Now()}
}

// unseen tells whether the cache has yet to show a write of the key's last pass. The event that shows it triggers a pass.
func (r *runner) unseen(ctx context.Context, key types.NamespacedName) bool {
	r.mu.Lock()
	e, ok := r.expected[key]
	r.mu.Unlock()
	if !ok {
		return false
	}
	for _, w := range e.writes {
		s := r.generation.streams[w.Kind]
		if s == nil || s.has(w) {
			continue
		}
		if time.Since(e.since) < expectationAge || r.stillThere(ctx, w) {
			return true
		}
	}
	r.mu.Lock()
	delete(r.expected, key)
	r.mu.Unlock()
	return false
}

// stillThere asks the API server whether a written object exists, so that the cache has yet to show it.
func (r *runner) stillThere(ctx context.Context, w kernel.Write) bool {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(w.Kind)
	err := r.host.config.Client.Get(ctx, w.Name, live)
	if apierrors.IsNotFound(err) {
		return false
	}
	return err != nil || live.GetUID() == w.UID
}

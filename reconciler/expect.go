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

// expect remembers writes, so that the next pass over the key waits until the cache has seen them.
func (r *runner) expect(key types.NamespacedName, writes []kernel.Write) {
	if len(writes) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected[key] = expectation{writes: writes, since: time.Now()}
}

// unseen returns how long to wait at most, 0 when the cache has seen every write of the key's last pass.
func (r *runner) unseen(ctx context.Context, key types.NamespacedName) time.Duration {
	r.mu.Lock()
	e, ok := r.expected[key]
	r.mu.Unlock()
	if !ok {
		return 0
	}
	for _, w := range e.writes {
		s := r.generation.streams[w.Kind]
		if s == nil || s.has(w) {
			continue
		}
		if time.Since(e.since) < expectationAge || r.stillThere(ctx, w) {
			return expectationCheck
		}
	}
	r.mu.Lock()
	delete(r.expected, key)
	r.mu.Unlock()
	return 0
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

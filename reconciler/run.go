// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/reconciler/kernel"
)

// run is a generation at work.
type run struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // read after done is closed
}

func start(ctx context.Context, g *generation) *run {
	ctx, cancel := context.WithCancel(ctx)
	r := &run{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = g.run(ctx)
	}()
	return r
}

// stop ends the workers and waits for them. A nil run has none.
func (r *run) stop() error {
	if r == nil {
		return nil
	}
	r.cancel()
	<-r.done
	return r.err
}

// ended is closed when the workers have ended by themselves; never for a nil run.
func (r *run) ended() <-chan struct{} {
	if r == nil {
		return nil
	}
	return r.done
}

const (
	// catchUpPage bounds one page of the list that the cache is compared with.
	catchUpPage = 500
	// catchUpPoll is how often the cache is compared; it is usually up to date at once.
	catchUpPoll = 10 * time.Millisecond
	// catchUpRetry is how soon a list is read again.
	catchUpRetry = 200 * time.Millisecond
	// catchUpPatience is how long one list is compared before a new one is read: an object may come and go unseen.
	catchUpPatience = time.Second
)

// catchUp waits until the cache is at least as new as this process's leadership: every kind is listed from the API
// server by quorum, and the cache must have seen that state. Decisions before that could be made on what an earlier
// leader has changed.
//
// It returns when that is so or the context has ended; what fails meanwhile is logged and tried again.
func (h *Host) catchUp(ctx context.Context, g *generation) {
	for _, s := range g.streams {
		_ = wait.PollUntilContextCancel(ctx, catchUpRetry, true, func(ctx context.Context) (bool, error) {
			lagging, err := h.liveState(ctx, s)
			if err != nil {
				h.config.Log.Error(err, "Not deciding yet")
				return false, nil
			}
			return s.catchesUp(ctx, lagging), nil
		}) // the only error is that the context ended
	}
}

// catchesUp waits a moment for the stream to have seen these writes.
func (s *stream) catchesUp(ctx context.Context, lagging []kernel.Write) bool {
	err := wait.PollUntilContextTimeout(ctx, catchUpPoll, catchUpPatience, true, func(context.Context) (bool, error) {
		for len(lagging) > 0 && s.has(lagging[len(lagging)-1]) {
			lagging = lagging[:len(lagging)-1]
		}
		return len(lagging) == 0, nil
	})
	return err == nil
}

// liveState lists what the API server holds now, as writes that the cache must have seen: the state of each object, and
// the absence of each that the cache still shows.
func (h *Host) liveState(ctx context.Context, s *stream) ([]kernel.Write, error) {
	var writes []kernel.Write
	live := map[types.NamespacedName]bool{}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(s.gvk.GroupVersion().WithKind(s.gvk.Kind + "List"))
	for {
		err := h.config.Client.List(ctx, list, client.InNamespace(h.config.Namespace), client.Limit(catchUpPage), client.Continue(list.Continue))
		if err != nil {
			return nil, fmt.Errorf("reading %s by quorum: %w", s.gvk.Kind, err)
		}
		for i := range list.Items {
			o := &list.Items[i]
			live[client.ObjectKeyFromObject(o)] = true
			writes = append(writes, kernel.Write{Kind: s.gvk, Name: client.ObjectKeyFromObject(o), UID: o.GetUID(),
				ResourceVersion: o.GetResourceVersion(), Created: true})
		}
		if list.Continue == "" {
			return append(writes, s.ghosts(live, list.ResourceVersion)...), nil
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/reconciler/view"
)

// Delays of repeated failures of one object. The first retry is prompt since most failures are conflicts with a write
// that the cache is about to show.
const (
	firstRetry = 10 * time.Millisecond
	lastRetry  = 10 * time.Second
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// runner runs one registration: a queue, its workers, and what it remembers between passes of an object.
type runner struct {
	host         *Host
	generation   *generation
	registration *registry.Reconciler
	related      map[string]relatedSource
	views        map[string]*view.Index

	mu       sync.Mutex
	queue    queue // nil while this process does not lead
	expected map[types.NamespacedName]expectation
	troubles map[types.NamespacedName]int
	paused   map[types.NamespacedName]pause
	waiting  waitingLists
}

// expectation is what a key's last pass wrote and the cache has yet to show.
type expectation struct {
	writes []kernel.Write
	since  time.Time
}

// start runs the registration's workers until the context ends.
func (r *runner) start(ctx context.Context) error {
	c, err := controller.NewTypedUnmanaged(r.registration.ID(), controller.TypedOptions[reconcile.Request]{
		Reconciler:              r,
		MaxConcurrentReconciles: r.registration.Workers,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry),
		NewQueue: func(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) queue {
			return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{Name: name})
		},
		SkipNameValidation: new(true), // a new generation runs the registration again under its name
		Logger:             r.host.config.Log,
	})
	if err != nil {
		return err
	}
	err = c.Watch(source.Func(func(ctx context.Context, q queue) error {
		r.mu.Lock()
		r.queue = q
		r.mu.Unlock()
		return r.enqueueAll(ctx)
	}))
	if err != nil {
		return err
	}
	go r.recheck(ctx)
	return c.Start(ctx)
}

func (r *runner) enqueue(key types.NamespacedName, after time.Duration) {
	r.mu.Lock()
	q := r.queue
	r.mu.Unlock()
	switch {
	case q == nil:
	case after > 0:
		q.AddAfter(reconcile.Request{NamespacedName: key}, after)
	default:
		q.Add(reconcile.Request{NamespacedName: key})
	}
}

// enqueueOwn triggers the pass that a change of the object itself calls for: a new object's at once, an update's after the
// registration's debounce.
func (r *runner) enqueueOwn(before, after *unstructured.Unstructured) {
	var wait time.Duration
	if before != nil {
		wait = r.registration.Debounce.Duration
	}
	r.enqueue(keyOf(after), wait)
}

// enqueueAll triggers a pass of every object of the kind.
func (r *runner) enqueueAll(ctx context.Context) error {
	return r.each(ctx, "", func(o *unstructured.Unstructured) { r.enqueue(keyOf(o), 0) })
}

// each calls f with every cached object of the reconciled kind, in one namespace or, if that is empty, in all.
func (r *runner) each(ctx context.Context, namespace string, f func(*unstructured.Unstructured)) error {
	objects, err := r.host.listCached(ctx, r.registration.For, namespace)
	if err != nil {
		return err
	}
	for i := range objects {
		f(&objects[i])
	}
	return nil
}

// enqueueMatching triggers the passes that a watch derives from a change. Before and after both count: an object that no
// longer names ours matters to it too.
func (r *runner) enqueueMatching(ctx context.Context, w *registry.Watch, before, after *unstructured.Unstructured) {
	if !w.Key.IsZero() {
		for _, o := range []*unstructured.Unstructured{before, after} {
			if o == nil {
				continue
			}
			if name := w.Key.Text(o.Object); name != "" {
				r.enqueue(types.NamespacedName{Namespace: o.GetNamespace(), Name: name}, w.Debounce.Duration)
			}
		}
		return
	}
	err := r.each(ctx, after.GetNamespace(), func(o *unstructured.Unstructured) {
		if w.Match.Text(o.Object) == after.GetName() {
			r.enqueue(keyOf(o), w.Debounce.Duration)
		}
	})
	if err != nil {
		r.host.config.Log.Error(err, "Finding what a change concerns", "registration", r.registration.ID())
	}
}

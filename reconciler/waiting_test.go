// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/reconciler/view"
	"github.com/lictor-dev/lictor/rego"
)

// free ranks items by name, and leaves out those that are taken.
type free struct{ revision rego.Revision }

func (f *free) Active() *rego.Revision { return &f.revision }

func (f *free) AskIn(_ context.Context, _ *rego.Revision, _ string, input rego.Value) (rego.Decision, bool, error) {
	plain, err := input.Go()
	if err != nil {
		return rego.Decision{}, false, err
	}
	object := plain.(map[string]any)["object"].(map[string]any)
	if object["taken"] == true {
		return rego.Decision{}, false, nil
	}
	v, err := rego.NewValue(map[string]any{"bucket": "free", "order": []any{object["metadata"].(map[string]any)["name"]}})
	return rego.Decision{Result: v}, true, err
}

// waitingRoom is a runner whose passes the test makes.
type waitingRoom struct {
	*runner
	index *view.Index
	at    place
}

func newWaitingRoom(t *testing.T) *waitingRoom {
	pointer := func(text string) registry.Pointer {
		p, err := registry.ParsePointer(text)
		require.NoError(t, err)
		return p
	}
	index := view.New(&registry.View{Bundle: "demo", Name: "items", Group: pointer("/group"), Classify: "c", Buckets: []string{"free"},
		Fields: []registry.Pointer{pointer("/metadata/name")}}, &free{}, nil)
	q := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, lastRetry))
	t.Cleanup(q.ShutDown)
	w := &waitingRoom{index: index, at: place{"items", view.Group{Namespace: "ns", Name: "g"}}, runner: &runner{
		queue: q, views: map[string]*view.Index{"items": index}, expected: map[types.NamespacedName]expectation{},
		troubles: map[types.NamespacedName]int{}}}
	index.OnEnter(func(group view.Group) { w.wakeFirst(place{"items", group}) })
	return w
}

func (w *waitingRoom) item(name string, taken bool) {
	o := &unstructured.Unstructured{Object: map[string]any{"group": "g", "taken": taken}}
	o.SetNamespace("ns")
	o.SetName(name)
	o.SetUID(types.UID("uid-" + name))
	w.index.Update(context.Background(), o)
}

// look is what a pass reads: the first item, if there is one.
func (w *waitingRoom) look(t require.TestingT, key types.NamespacedName) (first string, entered uint64) {
	s, err := w.index.Read(context.Background(), w.at.group, 1, false, key)
	require.NoError(t, err)
	plain, err := s.Value.Go()
	require.NoError(t, err)
	for _, item := range plain.(map[string]any)["free"].(map[string]any)["items"].([]any) {
		first = item.(map[string]any)["metadata"].(map[string]any)["name"].(string)
	}
	return first, s.Entered
}

func (w *waitingRoom) facts(entered uint64) *facts {
	return &facts{groups: map[string]view.Group{"items": w.at.group}, entered: map[string]uint64{"items": entered}}
}

// wait is a pass that decides to wait.
func (w *waitingRoom) wait(t *testing.T, names ...string) {
	for _, name := range names {
		_, entered := w.look(t, named(name))
		w.next(named(name), &pass{facts: w.facts(entered), step: &decisionv1.Step{Requeue: &decisionv1.Requeue{On: "items"}}})
	}
}

// woken empties the queue.
func (w *waitingRoom) woken() (names []string) {
	for w.queue.Len() > 0 {
		request, _ := w.queue.Get()
		w.queue.Done(request)
		names = append(names, request.Name)
	}
	return names
}

func named(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "ns", Name: name}
}

func TestItemBetweenLookingAndWaiting(t *testing.T) {
	w := newWaitingRoom(t)
	_, entered := w.look(t, named("one"))
	w.item("x", false)
	require.Empty(t, w.woken(), "nobody waits yet")
	w.rest(named("one"), w.at, entered, false)
	require.Equal(t, []string{"one"}, w.woken())

	_, entered = w.look(t, named("two"))
	w.item("x", true)
	w.item("x", false)
	w.item("x", true)
	w.rest(named("two"), w.at, entered, false)
	require.Empty(t, w.woken(), "it came and went")
}

func TestOneItemWakesOneWaiterInOrder(t *testing.T) {
	w := newWaitingRoom(t)
	w.wait(t, "one", "two", "three")
	w.item("x", false)
	require.Equal(t, []string{"one"}, w.woken())
	w.item("x", false)
	require.Empty(t, w.woken(), "a heartbeat is no item")
	w.item("y", false)
	require.Equal(t, []string{"two"}, w.woken(), "one is awake already")
}

func TestUnusedWakeUpIsPassedOn(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{}, "one", nil)
	gvk := schema.GroupVersionKind{Kind: "Item"}
	for name, c := range map[string]struct {
		end   func(w *waitingRoom)
		woken []string
		// still is who waits in front afterwards, when an item comes.
		still string
	}{
		"waits again": {func(w *waitingRoom) { w.wait(t, "one") }, []string{"two"}, "one"},
		"released": {func(w *waitingRoom) {
			w.next(named("one"), &pass{facts: w.facts(9), step: &decisionv1.Step{}})
		}, []string{"two"}, "three"},
		"gone":     {func(w *waitingRoom) { w.next(named("one"), &pass{}) }, []string{"two"}, "three"},
		"conflict": {func(w *waitingRoom) { _, _ = w.outcome(t.Context(), named("one"), &pass{}, conflict) }, []string{"two"}, "one"},
		"unseen": {func(w *waitingRoom) {
			w.generation = &generation{streams: map[schema.GroupVersionKind]*stream{gvk: {}}}
			w.expect(named("one"), []kernel.Write{{Kind: gvk, Created: true}})
			result, err := w.Reconcile(t.Context(), reconcile.Request{NamespacedName: named("one")})
			require.NoError(t, err)
			require.Equal(t, reconcile.Result{}, result, "what shows the write, or the recheck, triggers the next pass")
		}, []string{"two"}, "one"},
		"waits elsewhere": {func(w *waitingRoom) {
			w.rest(named("one"), place{"items", view.Group{Namespace: "ns", Name: "h"}}, 9, false)
		}, []string{"two"}, "three"},
		"nothing is available any more": {func(w *waitingRoom) {
			w.item("x", true)
			w.wait(t, "one")
		}, nil, "one"},
		"took": {func(w *waitingRoom) {
			w.next(named("one"), &pass{facts: w.facts(9), step: &decisionv1.Step{Effects: []decisionv1.Effect{{Type: decisionv1.EffectBind}}}})
		}, nil, "two"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWaitingRoom(t)
			w.wait(t, "one", "two", "three")
			w.item("x", false)
			require.Equal(t, []string{"one"}, w.woken())
			c.end(w)
			require.Equal(t, c.woken, w.woken())
			w.item("y", false)
			require.Equal(t, []string{c.still}, w.woken(), "who has not had a chance keeps his place")
		})
	}
}

// TestNobodyWantsThem bounds what items cost that no waiter takes: each waiter looks once for all that there is.
func TestNobodyWantsThem(t *testing.T) {
	w := newWaitingRoom(t)
	names := make([]string, 50)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	w.wait(t, names...)
	passes := func() (n int) {
		for woken := w.woken(); len(woken) > 0; woken = w.woken() {
			w.wait(t, woken...)
			n += len(woken)
		}
		return n
	}
	for i := range 100 {
		w.item(fmt.Sprint(i), false)
	}
	require.Equal(t, 50, passes())
	w.item("another", false)
	require.Equal(t, 50, passes())
}

// TestEveryWaiterGetsAnItem runs workers against a stream of exactly as many items as are wanted, without timers: one lost
// wake-up would leave a waiter without.
func TestEveryWaiterGetsAnItem(t *testing.T) {
	const wanted, workers = 300, 8
	w := newWaitingRoom(t)
	var happy atomic.Int64
	done := make(chan struct{})
	turn := func(key types.NamespacedName) {
		for {
			first, entered := w.look(t, key)
			switch fate := rand.IntN(8); {
			case fate == 0: // an error, retried
				w.passOn(key)
				w.enqueue(key, time.Millisecond)
				return
			case fate == 1 && len(key.Name)%2 == 0: // released while it waited
				w.rest(key, place{}, entered, false)
				key.Name += "'" // somebody else comes
				w.enqueue(key, 0)
				return
			case first == "":
				w.rest(key, w.at, entered, false)
				return
			}
			if !w.index.Assume(types.UID("uid-"+first), key) {
				continue
			}
			w.item(first, true)
			w.rest(key, place{}, entered, true)
			if happy.Add(1) == wanted {
				close(done)
			}
			return
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for request, stop := w.queue.Get(); !stop; request, stop = w.queue.Get() {
				turn(request.NamespacedName)
				w.queue.Done(request)
			}
		})
	}
	for i := range wanted {
		w.enqueue(named(fmt.Sprint(i)), 0)
	}
	group.Go(func() {
		for i := range wanted {
			w.item(fmt.Sprintf("x%d", i), false)
		}
	})
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Errorf("%d of %d got an item", happy.Load(), wanted)
	}
	w.queue.ShutDown()
	group.Wait()
}

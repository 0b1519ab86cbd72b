// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"container/list"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/view"
)

// Objects wait for an item of a group in the order in which they began to wait. Each item that becomes available wakes one
// of them: waking all for one item would make n waiters cost n² passes. No wake-up is lost:
//
//   - Whoever is woken and takes nothing passes the wake-up on, while anything is available.
//   - Whoever begins to wait after an item came that its decision has not seen wakes the first, which may be itself.
//
// No wake-up goes round in circles: nobody is woken for what the last decision has seen already.

// place is where objects wait: a group of a gathered view. The zero place is nowhere.
type place struct {
	source string
	group  view.Group
}

// waiter is an object that waits in a place.
type waiter struct {
	key types.NamespacedName
	// seen says what had become available, in the view's count, when the object last looked or was passed over.
	seen uint64
	// woken, unless 0, says what had become available when the object was woken; its pass has not ended since.
	woken uint64
}

// waitingLists holds the waiters of a registration. The zero value is empty.
type waitingLists struct {
	order map[place]*list.List // of *waiter, longest first
	at    map[types.NamespacedName]map[place]*list.Element
}

// put returns the object's waiter in a place, at the end of the list if it was not in it.
func (l *waitingLists) put(key types.NamespacedName, at place) *waiter {
	if e, ok := l.at[key][at]; ok {
		return e.Value.(*waiter)
	}
	if l.order == nil {
		l.order, l.at = map[place]*list.List{}, map[types.NamespacedName]map[place]*list.Element{}
	}
	if l.order[at] == nil {
		l.order[at] = list.New()
	}
	if l.at[key] == nil {
		l.at[key] = map[place]*list.Element{}
	}
	w := &waiter{key: key}
	l.at[key][at] = l.order[at].PushBack(w)
	return w
}

func (l *waitingLists) remove(key types.NamespacedName, at place) {
	e, ok := l.at[key][at]
	if !ok {
		return
	}
	delete(l.at[key], at)
	if len(l.at[key]) == 0 {
		delete(l.at, key)
	}
	l.order[at].Remove(e)
	if l.order[at].Len() == 0 {
		delete(l.order, at)
	}
}

// first is who has waited longest among those that are not woken yet and have not seen what is available now; nil if
// nobody is.
func (l *waitingLists) first(at place, entered uint64) *waiter {
	if l.order[at] == nil {
		return nil
	}
	for e := l.order[at].Front(); e != nil; e = e.Next() {
		if w := e.Value.(*waiter); w.woken == 0 && w.seen < entered {
			return w
		}
	}
	return nil
}

// wakeFirst triggers a pass of one waiter, if anything is available.
func (r *runner) wakeFirst(at place) {
	items, entered := r.views[at.source].Available(at.group)
	if items == 0 {
		return
	}
	r.mu.Lock()
	w := r.waiting.first(at, entered)
	if w != nil {
		w.woken = entered
	}
	r.mu.Unlock()
	if w != nil {
		r.enqueue(w.key, 0)
	}
}

// rest puts an object after its decision where that wants it to wait, at its old place in the list if it waited there
// before, and takes it off every other list. What the decision had seen as available is seen.
func (r *runner) rest(key types.NamespacedName, at place, seen uint64, took bool) {
	r.mu.Lock()
	var unused []place
	for p, e := range r.waiting.at[key] {
		if !took && e.Value.(*waiter).woken != 0 {
			unused = append(unused, p)
		}
		if p != at {
			r.waiting.remove(key, p)
		}
	}
	if at != (place{}) {
		w := r.waiting.put(key, at)
		w.seen, w.woken = seen, 0
	}
	r.mu.Unlock()
	if at != (place{}) && !slices.Contains(unused, at) {
		if _, entered := r.views[at.source].Available(at.group); entered > seen {
			unused = append(unused, at)
		}
	}
	for _, p := range unused {
		r.wakeFirst(p)
	}
}

// passOn gives the wake-ups of an object that could not look, and will do so later, to the next. The object keeps its place.
func (r *runner) passOn(key types.NamespacedName) {
	r.mu.Lock()
	var unused []place
	for p, e := range r.waiting.at[key] {
		if w := e.Value.(*waiter); w.woken != 0 {
			w.seen, w.woken = w.woken, 0
			unused = append(unused, p)
		}
	}
	r.mu.Unlock()
	for _, p := range unused {
		r.wakeFirst(p)
	}
}

// took tells whether a pass that succeeded took an item for its object.
func (p *pass) took() bool {
	return slices.ContainsFunc(p.step.Effects, func(e decisionv1.Effect) bool { return e.Type == decisionv1.EffectBind })
}

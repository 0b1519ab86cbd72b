// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"container/list"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lictor-dev/lictor/reconciler/view"
)

// waitingList holds the objects that wait for an item of one group, in the order in which they began to wait. Each item
// that becomes available wakes the first: waking all of them for one item would make n waiters cost n² passes.
type waitingList struct {
	order *list.List
	at    map[types.NamespacedName]*list.Element
}

// wait puts an object at the end of the list for a group of a gathered view, if it is not in it already.
func (r *runner) wait(source string, group view.Group, key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	groups := r.waiting[source]
	if groups == nil {
		groups = map[view.Group]*waitingList{}
		r.waiting[source] = groups
	}
	l := groups[group]
	if l == nil {
		l = &waitingList{order: list.New(), at: map[types.NamespacedName]*list.Element{}}
		groups[group] = l
	}
	if _, ok := l.at[key]; !ok {
		l.at[key] = l.order.PushBack(key)
	}
}

// stopWaiting takes an object off a list.
func (r *runner) stopWaiting(source string, group view.Group, key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l := r.waiting[source][group]; l != nil {
		l.remove(key)
		if l.order.Len() == 0 {
			delete(r.waiting[source], group)
		}
	}
}

// stopWaitingForAll takes an object that is gone off every list, or it would be woken in the place of another.
func (r *runner) stopWaitingForAll(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, groups := range r.waiting {
		for group, l := range groups {
			l.remove(key)
			if l.order.Len() == 0 {
				delete(groups, group)
			}
		}
	}
}

// wakeFirst triggers a pass of the object that has waited longest.
func (r *runner) wakeFirst(source string, group view.Group) {
	r.mu.Lock()
	var first *types.NamespacedName
	if l := r.waiting[source][group]; l != nil && l.order.Len() > 0 {
		key := l.order.Front().Value.(types.NamespacedName)
		l.remove(key)
		first = &key
	}
	r.mu.Unlock()
	if first != nil {
		r.enqueue(*first, 0)
	}
}

func (l *waitingList) remove(key types.NamespacedName) {
	if e, ok := l.at[key]; ok {
		l.order.Remove(e)
		delete(l.at, key)
	}
}

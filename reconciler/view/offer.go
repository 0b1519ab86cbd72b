// SPDX-License-Identifier: Apache-2.0

package view

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// An item is available when it is in a bucket, nobody has assumed it, and its group can be read. Whoever waits for an item
// is told of each one that becomes available, once; moving to another bucket counts, since policy may pick from one only.

// offer brings what a group offers up to date after the given items changed, and notes those that became available. A
// group that can be read again offers all that it has, since meanwhile nobody could take anything.
func (ix *Index) offer(g *group, changed ...*item) {
	readable := g.err() == nil
	if readable && g.closed {
		for _, it := range g.members {
			it.offered = ""
		}
		g.offers = 0
		changed = slices.Collect(maps.Values(g.members))
	}
	g.closed = !readable
	for _, it := range changed {
		before := it.offered
		it.offered = it.bucket
		if _, hidden := ix.assumed[it.uid]; hidden || g.closed {
			it.offered = ""
		}
		if before != "" {
			g.offers--
		}
		if it.offered != "" {
			g.offers++
		}
		if it.offered != "" && it.offered != before {
			ix.entered++
			g.entered = ix.entered
			ix.entering[g.name]++
		}
	}
}

// Available tells how many items of a group are available, and, in the count of Snapshot.Entered, when the last of them became
// so.
func (ix *Index) Available(name Group) (items int, entered uint64) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	g, ok := ix.groups[name]
	if !ok || g.closed {
		return 0, 0
	}
	return g.offers, g.entered
}

// reoffer is offer for an item that was assumed, or no longer is.
func (ix *Index) reoffer(uid types.UID) {
	if it := ix.uids[uid]; it != nil {
		ix.offer(it.group, it)
	}
}

// unlock unlocks the index and announces what became available while it was locked.
func (ix *Index) unlock() {
	var entered map[Group]int
	if len(ix.entering) > 0 {
		entered, ix.entering = ix.entering, map[Group]int{}
	}
	tell := ix.onEnter
	ix.mu.Unlock()
	for group, items := range entered {
		for range items {
			for _, f := range tell {
				f(group)
			}
		}
	}
}

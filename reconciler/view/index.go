// SPDX-License-Identifier: Apache-2.0

// Package view keeps the objects of a kind in groups, buckets and order, as a policy function ranks them, so that a
// decision sees the first few of each bucket and counts instead of every object.
//
// What callers may rely on: an update costs one policy evaluation and O(log n), but for a group that is ranked as a whole
// because the revision or its scope changed, or is announced as a whole because it can be read again; a read costs O(heads),
// whatever the group's size; a read never mixes two revisions of policy or two states of the scope within a group, and a
// group that is not wholly ranked cannot be read; a policy that times out holds the index for one evaluation per group and
// timeoutPause; each item that becomes available is announced once; all methods are safe for concurrent use.
package view

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/google/btree"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

// Asker evaluates a policy function in a revision. The bool tells whether the function is defined for the input.
type Asker interface {
	AskIn(ctx context.Context, in *rego.Revision, entrypoint string, input rego.Value) (rego.Decision, bool, error)
	// Active is the revision that objects are to be ranked in.
	Active() *rego.Revision
}

// Group names a group: the namespace of its objects and the name that they share.
type Group = types.NamespacedName

// Scopes reads the object that a group is named after, nil when there is none.
type Scopes func(ctx context.Context, kind registry.Kind, name types.NamespacedName) (*unstructured.Unstructured, error)

// Index is one view.
type Index struct {
	view   *registry.View
	policy Asker
	scopes Scopes
	now    func() time.Time

	mu       sync.Mutex
	groups   map[Group]*group
	items    map[types.NamespacedName]*item
	uids     map[types.UID]*item
	assumed  map[types.UID]assumption
	entered  uint64        // counts the items that became available
	entering map[Group]int // those among them since the lock was taken
	onEnter  []func(Group)
}

// group is the state of one group. What is in its buckets was ranked in its revision with its scope; what was not yet is due.
type group struct {
	name     Group
	revision *rego.Revision
	scope    map[string]any
	// scopeVersion is the UID and resourceVersion of the object that scope was taken from; empty: none.
	scopeVersion string
	members      map[types.NamespacedName]*item
	buckets      map[string]*btree.BTreeG[*item]
	holds        map[string]int
	due          map[types.NamespacedName]*item // not ranked yet with this revision and scope
	broken       map[types.NamespacedName]error // ranked in vain
	halted       error                          // why ranking what is due was put off
	retry        time.Time                      // after a timeout: when to go on
	scopeErr     error
	closed       bool   // it could not be read when offer was last called
	offers       int    // available items. Void while the group is closed
	entered      uint64 // the index's count when the last of them became available
}

// item is one object as the index sees it.
type item struct {
	object  *unstructured.Unstructured
	name    types.NamespacedName
	uid     types.UID
	group   *group
	bucket  string // empty: left out
	order   rego.Value
	holds   []string
	visible rego.Value // none before it is first read
	offered string     // the bucket in which it was last announced; empty: not available. Void while the group is closed
}

// New returns an empty index.
func New(v *registry.View, policy Asker, scopes Scopes) *Index {
	return &Index{view: v, policy: policy, scopes: scopes, now: time.Now, groups: map[Group]*group{},
		items: map[types.NamespacedName]*item{}, uids: map[types.UID]*item{}, assumed: map[types.UID]assumption{},
		entering: map[Group]int{}}
}

// OnEnter registers a function that is called, without the index locked, once for each item of a group that becomes
// available: it entered a bucket, is no longer assumed, or is in a group that can be read again.
func (ix *Index) OnEnter(f func(Group)) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.onEnter = append(ix.onEnter, f)
}

// Update ranks an object that was added or changed.
func (ix *Index) Update(ctx context.Context, object *unstructured.Unstructured) {
	ix.mu.Lock()
	defer ix.unlock()
	ix.settle(object)
	name := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
	groupName := Group{Namespace: name.Namespace, Name: ix.view.Group.Text(object.Object)}
	it := ix.items[name]
	if it != nil && it.uid != object.GetUID() {
		delete(ix.assumed, it.uid) // its deletion went unseen
	}
	if it != nil && (it.uid != object.GetUID() || it.group.name != groupName) {
		if left := ix.remove(name); left.name != groupName {
			ix.offer(left)
		}
		it = nil
	}
	if groupName.Name == "" {
		return
	}
	if it == nil {
		it = &item{name: name, uid: object.GetUID(), group: ix.groupOf(groupName)}
	}
	g := it.group
	it.object, it.visible = object, rego.Value{}
	ix.items[name], ix.uids[object.GetUID()], g.members[name] = it, it, it
	g.rankAgain(it)
	ix.refresh(ctx, g)
}

// Delete forgets an object that is gone.
func (ix *Index) Delete(object *unstructured.Unstructured) {
	ix.mu.Lock()
	defer ix.unlock()
	delete(ix.assumed, object.GetUID())
	if left := ix.remove(types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}); left != nil {
		ix.offer(left) // the object may have been what kept the group closed
	}
}

// ScopeChanged ranks a group again if what its scope says of it has changed.
func (ix *Index) ScopeChanged(ctx context.Context, name Group) {
	ix.mu.Lock()
	defer ix.unlock()
	if g, ok := ix.groups[name]; ok {
		ix.refresh(ctx, g)
	}
}

func (ix *Index) groupOf(name Group) *group {
	g, ok := ix.groups[name]
	if !ok {
		g = &group{name: name, members: map[types.NamespacedName]*item{}, buckets: map[string]*btree.BTreeG[*item]{},
			holds: map[string]int{}, due: map[types.NamespacedName]*item{}, broken: map[types.NamespacedName]error{}}
		ix.groups[name] = g
	}
	return g
}

// refresh brings a group to the active revision and the scope's present state, and ranks what is due.
func (ix *Index) refresh(ctx context.Context, g *group) {
	if ix.refreshScope(ctx, g) {
		for _, it := range g.members {
			g.rankAgain(it)
		}
	}
	ix.offer(g, ix.rank(ctx, g)...)
}

// versionOf names an object's very state, empty when it cannot.
func versionOf(o *unstructured.Unstructured) string {
	if o == nil || o.GetResourceVersion() == "" {
		return ""
	}
	return string(o.GetUID()) + "/" + o.GetResourceVersion()
}

// refreshScope tells whether the group's revision or scope differs from what its items were ranked with.
func (ix *Index) refreshScope(ctx context.Context, g *group) bool {
	changed := false
	if active := ix.policy.Active(); g.revision != active {
		g.revision, changed = active, true
		g.retry = time.Time{} // another policy may be quicker
	}
	if ix.view.Scope == nil {
		return changed
	}
	object, err := ix.scopes(ctx, ix.view.Scope.Get, g.name)
	if err != nil {
		g.scopeErr = fmt.Errorf("scope of view %s: %w", ix.view.ID(), err)
		return changed
	}
	g.scopeErr = nil
	if version := versionOf(object); version == "" || version != g.scopeVersion {
		g.scopeVersion = version
	} else {
		return changed // the object is the one that was projected last
	}
	var scope map[string]any
	if object != nil {
		scope = registry.Project(object.Object, ix.view.Scope.Fields)
	}
	if !reflect.DeepEqual(scope, g.scope) { // strictly: to policy, an empty object and none are two things
		g.scope, changed = scope, true
	}
	return changed
}

// remove takes an item out of the index and returns the group that it was in, nil if it was in none.
func (ix *Index) remove(name types.NamespacedName) *group {
	it, ok := ix.items[name]
	if !ok {
		return nil
	}
	g := it.group
	g.withdraw(it)
	if it.offered != "" {
		g.offers--
	}
	delete(ix.items, name)
	delete(ix.uids, it.uid)
	delete(g.members, name)
	if len(g.members) == 0 {
		delete(ix.groups, g.name)
	}
	return g
}

// withdraw takes an item out of its bucket.
func (g *group) withdraw(it *item) {
	delete(g.due, it.name)
	delete(g.broken, it.name)
	if it.bucket == "" {
		return
	}
	g.buckets[it.bucket].Delete(it)
	for _, h := range it.holds {
		if g.holds[h]--; g.holds[h] == 0 {
			delete(g.holds, h)
		}
	}
	it.bucket, it.holds = "", nil
}

// rankAgain withdraws an item until it is ranked.
func (g *group) rankAgain(it *item) {
	g.withdraw(it)
	g.due[it.name] = it
}

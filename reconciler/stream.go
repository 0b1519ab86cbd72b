// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/reconciler/view"
)

// stream follows one kind through its informer. For each event it first brings the views up to date, then notes what was
// seen, then triggers passes, so that a triggered pass finds views and expectations as new as the event.
type stream struct {
	gvk      schema.GroupVersionKind
	ctx      context.Context // ends with the generation; informer callbacks carry none
	views    []*view.Index
	scopes   []*view.Index
	triggers []trigger

	mu   sync.Mutex
	seen map[types.NamespacedName]sighting
}

// sighting is the newest state of an object that the stream has handled.
type sighting struct {
	uid             types.UID
	resourceVersion string
	deleting        bool
}

// trigger maps changes of the stream's kind to passes of a runner.
type trigger struct {
	runner *runner
	watch  *registry.Watch // nil: the kind is the one that the runner reconciles
}

func (s *stream) OnAdd(obj any, _ bool) {
	if o, ok := obj.(*unstructured.Unstructured); ok {
		s.changed(nil, o)
	}
}

func (s *stream) OnUpdate(before, after any) {
	o, ok := after.(*unstructured.Unstructured)
	if !ok {
		return
	}
	old, _ := before.(*unstructured.Unstructured)
	if old != nil && old.GetResourceVersion() == o.GetResourceVersion() {
		return // a resync, not a change
	}
	s.changed(old, o)
}

func (s *stream) OnDelete(obj any) {
	if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	o, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return
	}
	for _, v := range s.views {
		v.Delete(o)
	}
	s.mu.Lock()
	delete(s.seen, keyOf(o))
	s.mu.Unlock()
	s.rescope(o)
	s.trigger(nil, o)
}

func (s *stream) changed(before, after *unstructured.Unstructured) {
	for _, v := range s.views {
		v.Update(s.ctx, after)
	}
	s.mu.Lock()
	s.seen[keyOf(after)] = sighting{uid: after.GetUID(), resourceVersion: after.GetResourceVersion(),
		deleting: after.GetDeletionTimestamp() != nil}
	s.mu.Unlock()
	s.rescope(after)
	s.trigger(before, after)
}

// rescope ranks the groups that are named after the object again.
func (s *stream) rescope(o *unstructured.Unstructured) {
	for _, v := range s.scopes {
		v.ScopeChanged(s.ctx, keyOf(o))
	}
}

func (s *stream) trigger(before, after *unstructured.Unstructured) {
	for _, t := range s.triggers {
		if t.watch == nil {
			t.runner.enqueueOwn(before, after)
			continue
		}
		t.runner.enqueueMatching(s.ctx, t.watch, before, after)
	}
}

// has tells whether the stream has handled a write.
func (s *stream) has(w kernel.Write) bool {
	s.mu.Lock()
	at, present := s.seen[w.Name]
	s.mu.Unlock()
	if !present {
		// Gone, unless it is a new object that has not arrived yet.
		return !w.Created
	}
	if at.uid != w.UID {
		return !w.Created
	}
	if w.Deleted {
		return at.deleting
	}
	c, err := resourceversion.CompareResourceVersion(at.resourceVersion, w.ResourceVersion)
	return err == nil && c >= 0
}

// ghosts are the deletions that the stream has yet to see: objects that it shows, that are not live, and that are not
// newer than the list which says so.
func (s *stream) ghosts(live map[types.NamespacedName]bool, listed string) []kernel.Write {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []kernel.Write
	for name, at := range s.seen {
		if live[name] {
			continue
		}
		if c, err := resourceversion.CompareResourceVersion(at.resourceVersion, listed); err == nil && c > 0 {
			continue
		}
		out = append(out, kernel.Write{Kind: s.gvk, Name: name, UID: at.uid, Deleted: true})
	}
	return out
}

func keyOf(o *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

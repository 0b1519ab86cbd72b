// SPDX-License-Identifier: Apache-2.0

package view

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// assumption hides an item from everybody but the object that is about to take it. It is an optimisation: what makes
// taking an item safe is the precondition of the write.
type assumption struct {
	by types.NamespacedName
	// until, if set, is the resourceVersion of the write; the assumption ends when the index has seen it.
	until string
}

// Assume hides an item from other readers. It answers false when somebody else has assumed it already. An object takes
// one item at a time: what it assumed before and never wrote is available again.
func (ix *Index) Assume(uid types.UID, by types.NamespacedName) bool {
	ix.mu.Lock()
	defer ix.unlock()
	a, ok := ix.assumed[uid]
	if ok && a.by != by {
		return false
	}
	ix.release(by, uid)
	if !ok {
		ix.assumed[uid] = assumption{by: by}
		ix.reoffer(uid)
	}
	return true
}

// Written says that the assumed item was written: it stays hidden until the index has seen this resourceVersion.
func (ix *Index) Written(uid types.UID, by types.NamespacedName, resourceVersion string) {
	ix.mu.Lock()
	defer ix.unlock()
	if a, ok := ix.assumed[uid]; !ok || a.by != by {
		return
	}
	ix.assumed[uid] = assumption{by: by, until: resourceVersion}
	if it := ix.uids[uid]; it != nil {
		ix.settle(it.object) // the write may have been seen before its answer
		ix.reoffer(uid)
	}
}

// Release ends every assumption of an object that was not written, as when the object is gone or takes nothing any more.
// What was written stays hidden until it is seen: it is no longer to be had.
func (ix *Index) Release(by types.NamespacedName) {
	ix.mu.Lock()
	defer ix.unlock()
	ix.release(by, "")
}

// release ends an object's assumptions, but for one item and what was written.
func (ix *Index) release(by types.NamespacedName, but types.UID) {
	for uid, a := range ix.assumed {
		if a.by == by && a.until == "" && uid != but {
			delete(ix.assumed, uid)
			ix.reoffer(uid)
		}
	}
}

// settle ends an assumption whose write the index has now seen.
func (ix *Index) settle(object *unstructured.Unstructured) {
	a, ok := ix.assumed[object.GetUID()]
	if !ok || a.until == "" {
		return
	}
	if c, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), a.until); err == nil && c >= 0 {
		delete(ix.assumed, object.GetUID())
	}
}

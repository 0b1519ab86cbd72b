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

// Assume hides an item from other readers. It answers false when somebody else has assumed it already.
func (ix *Index) Assume(uid types.UID, by types.NamespacedName) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if a, ok := ix.assumed[uid]; ok && a.by != by {
		return false
	}
	ix.assumed[uid] = assumption{by: by}
	return true
}

// Written says that the assumed item was written: it stays hidden until the index has seen this resourceVersion.
func (ix *Index) Written(uid types.UID, by types.NamespacedName, resourceVersion string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if a, ok := ix.assumed[uid]; ok && a.by == by {
		ix.assumed[uid] = assumption{by: by, until: resourceVersion}
	}
}

// Release ends every assumption of an object, such as one that is gone.
func (ix *Index) Release(by types.NamespacedName) {
	ix.mu.Lock()
	var freed []Group
	for uid, a := range ix.assumed {
		if a.by == by && a.until == "" {
			delete(ix.assumed, uid)
			freed = append(freed, ix.availableGroups(uid)...)
		}
	}
	ix.mu.Unlock()
	ix.notify(freed)
}

func (ix *Index) availableGroups(uid types.UID) []Group {
	for _, it := range ix.items {
		if it.object.GetUID() == uid && it.bucket != "" {
			return []Group{it.group.name}
		}
	}
	return nil
}

// settle ends an assumption whose write the index has now seen. It tells whether it ended one.
func (ix *Index) settle(object *unstructured.Unstructured) bool {
	a, ok := ix.assumed[object.GetUID()]
	if !ok || a.until == "" {
		return false
	}
	if c, err := resourceversion.CompareResourceVersion(object.GetResourceVersion(), a.until); err != nil || c < 0 {
		return false
	}
	delete(ix.assumed, object.GetUID())
	return true
}

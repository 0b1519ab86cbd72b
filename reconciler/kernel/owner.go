// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

func ownerReference(of *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"apiVersion": of.GetAPIVersion(), "kind": of.GetKind(), "name": of.GetName(), "uid": string(of.GetUID()),
		"controller": true, "blockOwnerDeletion": true,
	}
}

func ownedBy(object metav1.Object, uid types.UID) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == uid })
}

// isClaimed tells whether a member is somebody's: by its label or, should that have been taken off, by its owner.
func isClaimed(member metav1.Object) bool {
	return member.GetLabels()[banlieue.LabelClaim] != "" || slices.ContainsFunc(member.GetOwnerReferences(), func(o metav1.OwnerReference) bool {
		return o.Kind == claimKind().Kind
	})
}

func belongsTo(object metav1.Object, kind, name string) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.Kind == kind && o.Name == name })
}

func poolNameOf(claim *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(claim.Object, "spec", "poolRef", "name")
	return name
}

// carries tells whether a member is bound to this very claim: by name and by UID, since a namesake may have been deleted.
func carries(member metav1.Object, claim *unstructured.Unstructured) bool {
	return member.GetLabels()[banlieue.LabelClaim] == claim.GetName() && ownedBy(member, claim.GetUID())
}

// boundTo is the name of the member that a claim's status refers to.
func boundTo(claim *unstructured.Unstructured) string {
	name, _, _ := unstructured.NestedString(claim.Object, "status", "virtualMachineRef", "name")
	return name
}

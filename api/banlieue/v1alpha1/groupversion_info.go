// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kinds that people and administrators write: claims, pools, virtual machines,
// classes, images and providers. The comments on types and fields are what `kubectl explain` prints.
//
// The package promises to hold types, names and scheme registration only: nothing here does I/O, reads a
// clock or decides anything. Values are plain data; use the generated DeepCopy methods before sharing one
// between goroutines.
//
// +kubebuilder:object:generate=true
// +groupName=banlieue.io
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of every kind in this package.
const GroupName = "banlieue.io"

var (
	// GroupVersion is the group and version of every kind in this package.
	GroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1alpha1"}

	// SchemeBuilder collects the functions that register this package's kinds.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme registers this package's kinds with a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&VirtualMachineClaim{}, &VirtualMachineClaimList{},
		&VirtualMachinePool{}, &VirtualMachinePoolList{},
		&VirtualMachine{}, &VirtualMachineList{},
		&VMClass{}, &VMClassList{},
		&VMImage{}, &VMImageList{},
		&Provider{}, &ProviderList{},
		&ProviderClass{}, &ProviderClassList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

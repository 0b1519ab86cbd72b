// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the kinds that the controller writes and provider processes realise on their
// backend. Their shape follows the Cluster API v1beta2 contract for infrastructure providers. The comments
// on types and fields are what `kubectl explain` prints.
//
// The package promises to hold types and scheme registration only. Values are plain data; use the generated
// DeepCopy methods before sharing one between goroutines.
//
// +kubebuilder:object:generate=true
// +groupName=infrastructure.banlieue.io
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group of every kind in this package.
const GroupName = "infrastructure.banlieue.io"

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
		&LibvirtMachine{}, &LibvirtMachineList{},
		&LibvirtMachineTemplate{}, &LibvirtMachineTemplateList{},
		&VSphereMachine{}, &VSphereMachineList{},
		&VSphereMachineTemplate{}, &VSphereMachineTemplateList{},
		&VSphereCluster{}, &VSphereClusterList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

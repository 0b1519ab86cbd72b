// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// VSphereMachineTemplateResource is what machines of a template are copied
// from.
type VSphereMachineTemplateResource struct {
	// spec is the specification that every machine gets.
	Spec VSphereMachineSpec `json:"spec"`
}

// VSphereMachineTemplateSpec wraps the template.
type VSphereMachineTemplateSpec struct {
	// template is what machines are copied from.
	Template VSphereMachineTemplateResource `json:"template"`
}

// VSphereMachineTemplate is what Cluster API machine sets copy vSphere
// machines from. Nothing acts on it by itself.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=vspheremachinetemplates,shortName=vsmt,scope=Namespaced
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
type VSphereMachineTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template.
	Spec VSphereMachineTemplateSpec `json:"spec"`
}

// VSphereMachineTemplateList is a list of vSphere machine templates.
// +kubebuilder:object:root=true
type VSphereMachineTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VSphereMachineTemplate `json:"items"`
}

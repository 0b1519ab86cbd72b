// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// LibvirtMachineTemplateResource is what machines of a template are copied
// from.
type LibvirtMachineTemplateResource struct {
	// spec is the specification that every machine gets.
	Spec LibvirtMachineSpec `json:"spec"`
}

// LibvirtMachineTemplateSpec wraps the template.
type LibvirtMachineTemplateSpec struct {
	// template is what machines are copied from.
	Template LibvirtMachineTemplateResource `json:"template"`
}

// LibvirtMachineTemplate is what Cluster API machine sets copy libvirt
// machines from. Nothing acts on it by itself.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=libvirtmachinetemplates,shortName=lvmt,scope=Namespaced
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
type LibvirtMachineTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds the template.
	Spec LibvirtMachineTemplateSpec `json:"spec"`
}

// LibvirtMachineTemplateList is a list of libvirt machine templates.
// +kubebuilder:object:root=true
type LibvirtMachineTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []LibvirtMachineTemplate `json:"items"`
}

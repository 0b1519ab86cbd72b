// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// APIEndpoint is where a Kubernetes API is reached.
type APIEndpoint struct {
	// host is the name or IP address of the API server.
	// +kubebuilder:validation:MinLength=1
	Host string `json:"host"`

	// port is the TCP port of the API server, 1 to 65535.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port"`
}

// VSphereClusterSpec is the infrastructure of one Kubernetes cluster.
type VSphereClusterSpec struct {
	// controlPlaneEndpoint is where the cluster's API is reached. It is given,
	// not created: point it at a load balancer or virtual IP of your own.
	ControlPlaneEndpoint *APIEndpoint `json:"controlPlaneEndpoint,omitempty"`

	// providerRefs name the Providers that the cluster may use. When it has
	// entries, providerSelector is ignored.
	ProviderRefs []banlieue.LocalObjectReference `json:"providerRefs,omitempty"`

	// providerSelector picks the Providers that the cluster may use, by their
	// labels.
	ProviderSelector *banlieue.LabelSelector `json:"providerSelector,omitempty"`

	// controlPlaneFailureDomainSelector picks the failure domains that may hold
	// control plane machines, by their labels. Left out, every one may.
	ControlPlaneFailureDomainSelector *banlieue.LabelSelector `json:"controlPlaneFailureDomainSelector,omitempty"`

	// paused stops all work on the cluster until it is false again.
	Paused bool `json:"paused,omitempty"`
}

// ClusterFailureDomain is a failure domain as Cluster API sees it.
type ClusterFailureDomain struct {
	// name identifies the failure domain.
	Name string `json:"name"`

	// controlPlane says whether control plane machines may be placed there.
	ControlPlane *bool `json:"controlPlane,omitempty"`

	// attributes holds further facts about the failure domain.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// VSphereClusterStatus is what has become of the cluster's infrastructure.
type VSphereClusterStatus struct {
	// initialization tells Cluster API whether the infrastructure can be used.
	Initialization *banlieue.InitializationStatus `json:"initialization,omitempty"`

	// controlPlaneEndpoint is where the cluster's API is reached.
	ControlPlaneEndpoint *APIEndpoint `json:"controlPlaneEndpoint,omitempty"`

	// failureDomains are the failure domains that machines of the cluster can be
	// placed in.
	// +listType=map
	// +listMapKey=name
	FailureDomains []ClusterFailureDomain `json:"failureDomains,omitempty"`

	// conditions are Ready and Paused.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// VSphereCluster is the vSphere side of one Cluster API cluster.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=vsphereclusters,shortName=vsc,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:printcolumn:name="Provisioned",type=boolean,JSONPath=`.status.initialization.provisioned`
// +kubebuilder:printcolumn:name="Endpoint",type=string,priority=1,JSONPath=`.status.controlPlaneEndpoint.host`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type VSphereCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the infrastructure of the cluster.
	Spec VSphereClusterSpec `json:"spec"`

	// status is what has become of the infrastructure. Only the controller
	// writes it.
	Status VSphereClusterStatus `json:"status,omitzero"`
}

// VSphereClusterList is a list of clusters.
// +kubebuilder:object:root=true
type VSphereClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VSphereCluster `json:"items"`
}

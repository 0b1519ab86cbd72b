// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ProviderConnection says how a backend is reached.
type ProviderConnection struct {
	// endpoint is the URL of the backend: https://HOST/sdk for vSphere,
	// https://HOST:8006 for Proxmox, qemu+tls://HOST/system for libvirt.
	// +kubebuilder:validation:MinLength=1
	Endpoint string `json:"endpoint"`

	// credentialsRef names the Secret with the credentials, in the namespace of
	// the Provider. vSphere reads username and password, libvirt tls.crt and
	// tls.key, Proxmox username and tokenValue.
	CredentialsRef *SecretReference `json:"credentialsRef,omitempty"`

	// caBundle says which CA certificates the backend's certificate is checked
	// against. Left out, the system's are used; libvirt requires it.
	CABundle *CABundleSource `json:"caBundle,omitempty"`

	// insecureSkipTLSVerify accepts any certificate of the backend. It only
	// works for vSphere and Proxmox and only together with the annotation
	// banlieue.io/allow-insecure-tls=true.
	InsecureSkipTLSVerify bool `json:"insecureSkipTLSVerify,omitempty"`
}

// ZoneTarget maps a class to the backend in one zone.
type ZoneTarget struct {
	// datacenter is the backend datacenter of the zone.
	Datacenter string `json:"datacenter"`

	// cluster is the backend cluster of the zone.
	Cluster string `json:"cluster"`

	// target says what the class stands for in the zone.
	Target map[string]string `json:"target"`
}

// StorageCapability maps an abstract storage class to the backend.
type StorageCapability struct {
	// name is the abstract storage class that classes of machines ask for.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// target says what the storage class stands for. vSphere reads datastore,
	// datastoreCluster, or tagCategory and tag; Proxmox reads storage; libvirt
	// reads pool.
	Target map[string]string `json:"target,omitempty"`

	// perZone replaces target in single zones.
	PerZone []ZoneTarget `json:"perZone,omitempty"`
}

// ZoneSubnet states the subnet of a network class in one zone.
type ZoneSubnet struct {
	// datacenter is the backend datacenter of the zone.
	Datacenter string `json:"datacenter"`

	// cluster is the backend cluster of the zone.
	Cluster string `json:"cluster"`

	// subnet holds the fallbacks for machines in the zone.
	Subnet SubnetShape `json:"subnet"`
}

// NetworkCapability maps an abstract network class to the backend.
type NetworkCapability struct {
	// name is the abstract network class that classes of machines ask for.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// target says what the network class stands for. vSphere reads portGroup or
	// distributedPortGroup; Proxmox reads bridge and vlan; libvirt reads network
	// or bridge.
	Target map[string]string `json:"target,omitempty"`

	// perZone replaces target in single zones.
	PerZone []ZoneTarget `json:"perZone,omitempty"`

	// subnet holds fallbacks for machines whose fixed configuration leaves a
	// field out.
	Subnet *SubnetShape `json:"subnet,omitempty"`

	// perZoneSubnet replaces subnet in single zones.
	// +kubebuilder:validation:MaxItems=128
	PerZoneSubnet []ZoneSubnet `json:"perZoneSubnet,omitempty"`
}

// ProviderCapabilities is what an administrator says that a backend offers.
type ProviderCapabilities struct {
	// storageClasses maps abstract storage classes to the backend's storage.
	StorageClasses []StorageCapability `json:"storageClasses,omitempty"`

	// networkClasses maps abstract network classes to the backend's networks.
	// +kubebuilder:validation:MaxItems=128
	NetworkClasses []NetworkCapability `json:"networkClasses,omitempty"`

	// features lists what every failure domain of the backend offers beyond what
	// is detected, for example nestedVirtualization.
	Features []string `json:"features,omitempty"`
}

// FailureDomainNameOverride gives a zone of the backend a name of the
// administrator's choice.
type FailureDomainNameOverride struct {
	// datacenter is the backend datacenter of the zone.
	Datacenter string `json:"datacenter"`

	// cluster is the backend cluster of the zone.
	Cluster string `json:"cluster"`

	// name is the name that the failure domain gets.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// ProviderAttestation is what a verifier needs to trust the virtual TPMs of
// a backend.
type ProviderAttestation struct {
	// ekTrustBundle says which CA certificates issue endorsement keys of the
	// backend's virtual TPMs.
	EKTrustBundle CABundleSource `json:"ekTrustBundle"`
}

// ProviderSpec is one backend and how to use it.
type ProviderSpec struct {
	// providerClassRef names the ProviderClass, which decides what kind of
	// backend this is. It cannot change once the Provider exists.
	ProviderClassRef LocalObjectReference `json:"providerClassRef"`

	// connection says how the backend is reached.
	Connection ProviderConnection `json:"connection"`

	// capabilities is what the backend offers.
	Capabilities ProviderCapabilities `json:"capabilities,omitzero"`

	// failureDomainNameOverrides give zones names of your choice; other zones
	// keep their derived names.
	FailureDomainNameOverrides []FailureDomainNameOverride `json:"failureDomainNameOverrides,omitempty"`

	// attestation is what a verifier needs to trust the virtual TPMs of the
	// backend.
	Attestation *ProviderAttestation `json:"attestation,omitempty"`

	// paused stops all work on the Provider until it is false again.
	Paused bool `json:"paused,omitempty"`

	// useContentLibrary asks for images from a vSphere content library. It is
	// not implemented; images then report ContentLibraryNotImplemented.
	// +kubebuilder:default=false
	UseContentLibrary bool `json:"useContentLibrary,omitempty"`
}

// FailureDomainAttributes is what a failure domain offers.
type FailureDomainAttributes struct {
	// availableStorageClasses are the storage classes that machines can use
	// there.
	AvailableStorageClasses []string `json:"availableStorageClasses,omitempty"`

	// availableNetworkClasses are the network classes that machines can use
	// there.
	AvailableNetworkClasses []string `json:"availableNetworkClasses,omitempty"`

	// features are the features that machines can use there.
	Features []string `json:"features,omitempty"`

	// raw holds further facts in the backend's own words.
	Raw map[string]string `json:"raw,omitempty"`
}

// FailureDomain is a part of a backend that fails as a whole.
type FailureDomain struct {
	// name identifies the failure domain within the Provider.
	Name string `json:"name"`

	// labels are what selectors match against; the label "name" is a copy of the
	// name.
	Labels map[string]string `json:"labels,omitempty"`

	// attributes is what the failure domain offers.
	Attributes FailureDomainAttributes `json:"attributes,omitzero"`
}

// WorkloadMode says who runs the process of a Provider.
// +kubebuilder:validation:Enum=Managed;External
type WorkloadMode string

// Workload modes.
const (
	WorkloadManaged  WorkloadMode = "Managed"
	WorkloadExternal WorkloadMode = "External"
)

// ProviderWorkload is the process that serves a Provider.
type ProviderWorkload struct {
	// namespace is where the process runs.
	Namespace string `json:"namespace"`

	// deploymentName is the name of the Deployment that runs the process.
	DeploymentName string `json:"deploymentName,omitempty"`

	// readyReplicas is how many replicas of the process are ready.
	ReadyReplicas *int32 `json:"readyReplicas,omitempty"`

	// mode says who runs the process: Managed by the operator, External by
	// somebody else.
	Mode WorkloadMode `json:"mode"`

	// observedGeneration is the metadata.generation of the Provider that the
	// process was set up for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// ProviderStatus is what is known about a backend.
type ProviderStatus struct {
	// conditions are Ready and ProviderReachable. The list belongs as a whole to
	// the Provider's process; no other writer may touch it.
	// +listType=atomic
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// failureDomains are the parts of the backend that machines can be placed
	// in.
	FailureDomains []FailureDomain `json:"failureDomains,omitempty"`

	// ekCaCertificates are the CA certificates, in PEM form, that issue
	// endorsement keys of the backend's virtual TPMs.
	EKCACertificates []string `json:"ekCaCertificates,omitempty"`

	// workload is the process that serves the Provider. Only the operator writes
	// it.
	Workload *ProviderWorkload `json:"workload,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// Provider is one backend: a vCenter, a libvirt host or the like.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=providers,shortName=prov,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.providerClassRef.name`
// +kubebuilder:printcolumn:name="Endpoint",type=string,priority=1,JSONPath=`.spec.connection.endpoint`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Provider struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the backend and how to use it.
	Spec ProviderSpec `json:"spec"`

	// status is what is known about the backend.
	Status ProviderStatus `json:"status,omitzero"`
}

// ProviderList is a list of Providers.
// +kubebuilder:object:root=true
type ProviderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Provider `json:"items"`
}

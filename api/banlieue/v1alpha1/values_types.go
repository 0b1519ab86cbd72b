// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// LocalObjectReference names an object whose kind and namespace follow from
// the field that holds it.
type LocalObjectReference struct {
	// name is the metadata.name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// TypedObjectReference names an object of any kind.
type TypedObjectReference struct {
	// apiGroup is the API group of the object, without a version; empty for core
	// Kubernetes kinds.
	APIGroup string `json:"apiGroup"`

	// kind is the kind of the object, as it is written in a manifest.
	// +kubebuilder:validation:MinLength=1
	Kind string `json:"kind"`

	// name is the metadata.name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// namespace is where the object lives. Left out, it is the namespace of the
	// object that holds this reference, or none when the referenced kind is
	// cluster-scoped.
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// LabelSelector picks objects by their labels. Every stated requirement must
// hold; an empty selector picks everything.
type LabelSelector struct {
	// matchLabels lists labels that must be present with exactly these values.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`

	// matchExpressions lists further requirements on label keys; all of them
	// must hold.
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty"`
}

// LabelSelectorOperator says how a label is compared with a list of values.
// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
type LabelSelectorOperator string

// Comparisons a label requirement can make.
const (
	LabelSelectorOpIn           LabelSelectorOperator = "In"
	LabelSelectorOpNotIn        LabelSelectorOperator = "NotIn"
	LabelSelectorOpExists       LabelSelectorOperator = "Exists"
	LabelSelectorOpDoesNotExist LabelSelectorOperator = "DoesNotExist"
)

// LabelSelectorRequirement is one requirement on one label key.
type LabelSelectorRequirement struct {
	// key is the label key that the requirement looks at.
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`

	// operator says how the label is compared: In and NotIn look at values,
	// Exists and DoesNotExist only at the presence of the key.
	Operator LabelSelectorOperator `json:"operator"`

	// values are what In and NotIn compare the label with. Leave it out for
	// Exists and DoesNotExist.
	Values []string `json:"values,omitempty"`
}

// MachineAddressType says what kind of address an entry holds.
// +kubebuilder:validation:Enum=Hostname;ExternalIP;InternalIP;ExternalDNS;InternalDNS
type MachineAddressType string

// Kinds of machine address.
const (
	MachineHostname    MachineAddressType = "Hostname"
	MachineExternalIP  MachineAddressType = "ExternalIP"
	MachineInternalIP  MachineAddressType = "InternalIP"
	MachineExternalDNS MachineAddressType = "ExternalDNS"
	MachineInternalDNS MachineAddressType = "InternalDNS"
)

// MachineAddress is one way to reach a machine.
type MachineAddress struct {
	// type says whether the address is a host name, a DNS name or an IP address,
	// and from where it is reachable.
	Type MachineAddressType `json:"type"`

	// address is the IP address or name itself.
	Address string `json:"address"`
}

// InitializationStatus tells Cluster API how far the first provisioning got.
type InitializationStatus struct {
	// provisioned is true once the infrastructure exists for the first time; it
	// never goes back.
	Provisioned *bool `json:"provisioned,omitempty"`
}

// PowerState is the power state of a virtual machine.
// +kubebuilder:validation:Enum=PoweredOn;PoweredOff;Suspended
type PowerState string

// Power states.
const (
	PoweredOn  PowerState = "PoweredOn"
	PoweredOff PowerState = "PoweredOff"
	Suspended  PowerState = "Suspended"
)

// Firmware is the firmware that a virtual machine boots with.
// +kubebuilder:validation:Enum=bios;efi;efi-secure
type Firmware string

// Firmware kinds.
const (
	FirmwareBIOS      Firmware = "bios"
	FirmwareEFI       Firmware = "efi"
	FirmwareEFISecure Firmware = "efi-secure"
)

// DiskProvisioning is a hint on how a backend should allocate a disk.
// +kubebuilder:validation:Enum=thin;thick;eagerZeroed
type DiskProvisioning string

// Disk allocation hints.
const (
	DiskThin        DiskProvisioning = "thin"
	DiskThick       DiskProvisioning = "thick"
	DiskEagerZeroed DiskProvisioning = "eagerZeroed"
)

// CABundleSource says where trusted CA certificates come from. Set exactly
// one field; references are resolved in the namespace of the object that
// holds them.
// +kubebuilder:validation:XValidation:rule="[has(self.inline), has(self.configMapRef), has(self.secretRef)].filter(x, x).size() == 1",message="set exactly one of inline, configMapRef and secretRef, and remove the others"
type CABundleSource struct {
	// inline is the CA bundle itself: one or more PEM certificates.
	Inline *string `json:"inline,omitempty"`

	// configMapRef picks a key of a ConfigMap that holds PEM certificates.
	ConfigMapRef *CABundleKeySelector `json:"configMapRef,omitempty"`

	// secretRef picks a key of a Secret that holds PEM certificates.
	SecretRef *CABundleKeySelector `json:"secretRef,omitempty"`
}

// CABundleKeySelector picks one key of a Secret or ConfigMap that holds a CA
// bundle.
type CABundleKeySelector struct {
	// name is the metadata.name of the Secret or ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the entry to read; "ca.crt" when left out.
	// +kubebuilder:default="ca.crt"
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// SecretReference names a Secret.
type SecretReference struct {
	// name is the metadata.name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

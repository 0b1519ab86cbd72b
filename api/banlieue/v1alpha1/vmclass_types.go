// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClassDisk is one disk of a class.
type ClassDisk struct {
	// name identifies the disk within the class.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// sizeGiB is the size of the disk in GiB, 1 to 65536.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	SizeGiB int64 `json:"sizeGiB"`

	// storageClass is the abstract storage class of the disk; each Provider maps
	// it to its own storage.
	// +kubebuilder:validation:MinLength=1
	StorageClass string `json:"storageClass"`

	// provisioning is a hint to the backend on how to allocate the disk.
	// +kubebuilder:default=thin
	Provisioning DiskProvisioning `json:"provisioning,omitempty"`
}

// ClassHardware is the hardware that a class gives.
type ClassHardware struct {
	// cpus is the number of virtual CPUs, 1 to 256.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	CPUs int32 `json:"cpus"`

	// memoryMiB is the memory in MiB, 128 to 4194304.
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=4194304
	MemoryMiB int64 `json:"memoryMiB"`

	// disks are the disks of the machine, 1 to 32. The first one holds the
	// operating system.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Disks []ClassDisk `json:"disks"`
}

// ClassInterface is one network interface of a class.
type ClassInterface struct {
	// name identifies the interface within the class.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// networkClass is the abstract network class of the interface; each Provider
	// maps it to its own network.
	// +kubebuilder:validation:MinLength=1
	NetworkClass string `json:"networkClass"`

	// ipam says where the interface gets its address from; an empty object means
	// DHCP.
	Ipam IpamShape `json:"ipam"`

	// mtu is the largest packet of the interface in bytes, 68 to 65535. Left
	// out, the guest decides.
	// +kubebuilder:validation:Minimum=68
	// +kubebuilder:validation:Maximum=65535
	MTU *int32 `json:"mtu,omitempty"`
}

// ClassNetwork is the network side of a class.
type ClassNetwork struct {
	// interfaces are the network interfaces of the machine, 1 to 16.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Interfaces []ClassInterface `json:"interfaces"`
}

// VMClassSpec is what machines of a class look like.
type VMClassSpec struct {
	// hardware is what the machine is made of.
	Hardware ClassHardware `json:"hardware"`

	// network is what the machine is connected to.
	Network ClassNetwork `json:"network"`

	// firmware is what the machine boots with.
	// +kubebuilder:default=efi
	Firmware Firmware `json:"firmware,omitempty"`

	// features lists what a failure domain must offer to run machines of the
	// class, for example hotAddCPU, hotAddMemory, efiSecureBoot,
	// nestedVirtualization, gpuPassthrough or vtpm. All of them must be offered.
	Features []string `json:"features,omitempty"`

	// tpmEnabled attaches a virtual TPM. It needs a failure domain that offers
	// the feature vtpm and an image whose installation is deferred or manual.
	// +kubebuilder:default=false
	TPMEnabled bool `json:"tpmEnabled,omitempty"`
}

// VMClass is a size and shape of virtual machine that users choose by name.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=vmclasses,shortName=vmc,scope=Cluster
// +kubebuilder:printcolumn:name="CPUs",type=integer,JSONPath=`.spec.hardware.cpus`
// +kubebuilder:printcolumn:name="MemoryMiB",type=integer,JSONPath=`.spec.hardware.memoryMiB`
// +kubebuilder:printcolumn:name="Firmware",type=string,JSONPath=`.spec.firmware`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type VMClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what machines of the class look like.
	Spec VMClassSpec `json:"spec"`
}

// VMClassList is a list of classes.
// +kubebuilder:object:root=true
type VMClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VMClass `json:"items"`
}

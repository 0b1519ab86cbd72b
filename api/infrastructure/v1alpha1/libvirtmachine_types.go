// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// LibvirtBootKind says what a libvirt machine boots from.
// +kubebuilder:validation:Enum=backingVolume;installMedia
type LibvirtBootKind string

// Boot kinds.
const (
	LibvirtBackingVolume LibvirtBootKind = "backingVolume"
	LibvirtInstallMedia  LibvirtBootKind = "installMedia"
)

// LibvirtBootSource is what a machine boots from the first time.
type LibvirtBootSource struct {
	// kind says what the volume is: backingVolume for a disk image that the
	// first disk is layered on, installMedia for an installation medium that is
	// attached as a CD.
	Kind LibvirtBootKind `json:"kind"`

	// volume is the name of the volume inside the machine's storage pool.
	// +kubebuilder:validation:MinLength=1
	Volume string `json:"volume"`
}

// LibvirtDiskBus is the bus that a disk is attached to.
// +kubebuilder:validation:Enum=virtio;scsi;sata
type LibvirtDiskBus string

// Disk buses.
const (
	LibvirtBusVirtio LibvirtDiskBus = "virtio"
	LibvirtBusSCSI   LibvirtDiskBus = "scsi"
	LibvirtBusSATA   LibvirtDiskBus = "sata"
)

// LibvirtDisk is one disk of a machine.
type LibvirtDisk struct {
	// name identifies the disk within the machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// sizeGiB is the size of the disk in GiB, 1 to 65536.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	SizeGiB int64 `json:"sizeGiB"`

	// bus is the bus that the disk is attached to.
	// +kubebuilder:default=virtio
	Bus LibvirtDiskBus `json:"bus,omitempty"`
}

// LibvirtNetworkKind says what an interface is connected to.
// +kubebuilder:validation:Enum=network;bridge
type LibvirtNetworkKind string

// Kinds of network source.
const (
	LibvirtNetwork LibvirtNetworkKind = "network"
	LibvirtBridge  LibvirtNetworkKind = "bridge"
)

// LibvirtNetworkSource is what an interface is connected to.
type LibvirtNetworkSource struct {
	// kind says whether name is a libvirt network or a bridge of the host.
	Kind LibvirtNetworkKind `json:"kind"`

	// name is the name of the network or bridge.
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`
}

// LibvirtInterface is one network interface of a machine.
type LibvirtInterface struct {
	// name identifies the interface within the machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// source is what the interface is connected to.
	Source LibvirtNetworkSource `json:"source"`

	// model is the model of the network card.
	// +kubebuilder:default=virtio
	Model string `json:"model,omitempty"`

	// macAddress is the hardware address of the interface. Left out, libvirt
	// chooses one.
	MACAddress string `json:"macAddress,omitempty"`

	// ipam says where the interface gets its address from; an empty object means
	// DHCP.
	Ipam banlieue.IpamSpec `json:"ipam"`
}

// LibvirtMachineSpec is the libvirt domain that is wanted.
type LibvirtMachineSpec struct {
	// providerRef names the Provider whose host runs the machine, in the
	// machine's own namespace.
	ProviderRef banlieue.LocalObjectReference `json:"providerRef"`

	// pool is the libvirt storage pool that holds every volume of the machine.
	// +kubebuilder:validation:MinLength=1
	Pool string `json:"pool"`

	// domainName is the name of the libvirt domain.
	// +kubebuilder:validation:MinLength=1
	DomainName string `json:"domainName"`

	// bootSource is what the machine boots from the first time.
	BootSource LibvirtBootSource `json:"bootSource"`

	// vcpus is the number of virtual CPUs, 1 to 256.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	VCPUs int32 `json:"vcpus"`

	// memoryMiB is the memory in MiB, 128 to 4194304.
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=4194304
	MemoryMiB int64 `json:"memoryMiB"`

	// firmware is what the machine boots with.
	Firmware banlieue.Firmware `json:"firmware"`

	// machineType is the machine type of the domain. Left out, libvirt chooses
	// it.
	MachineType string `json:"machineType,omitempty"`

	// disks are the disks of the machine, 1 to 32. The first one holds the
	// operating system.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Disks []LibvirtDisk `json:"disks"`

	// network are the network interfaces of the machine, at most 16.
	// +kubebuilder:validation:MaxItems=16
	Network []LibvirtInterface `json:"network"`

	// tpmEnabled attaches a virtual TPM.
	// +kubebuilder:default=false
	TPMEnabled bool `json:"tpmEnabled,omitempty"`

	// userData is the text that the guest gets as its user data, complete and in
	// the clear.
	UserData string `json:"userData,omitempty"`

	// desiredPowerState is the power state that the machine is brought to and
	// kept in.
	// +kubebuilder:default=PoweredOn
	DesiredPowerState banlieue.PowerState `json:"desiredPowerState,omitempty"`

	// failureDomain is the failure domain that the machine was placed in.
	FailureDomain string `json:"failureDomain,omitempty"`

	// providerID identifies the machine to Kubernetes:
	// libvirt://PROVIDER/DOMAIN-UUID. The provider process fills it in.
	ProviderID string `json:"providerID,omitempty"`
}

// LibvirtAddressSource says how the addresses of a machine were found.
// +kubebuilder:validation:Enum=guestAgent;dhcpLease;arpTable
type LibvirtAddressSource string

// Sources of addresses.
const (
	AddressFromGuestAgent LibvirtAddressSource = "guestAgent"
	AddressFromDHCPLease  LibvirtAddressSource = "dhcpLease"
	AddressFromARPTable   LibvirtAddressSource = "arpTable"
)

// LibvirtMachineStatus is what has become of the libvirt domain.
type LibvirtMachineStatus struct {
	// initialization tells Cluster API whether the machine exists.
	Initialization *banlieue.InitializationStatus `json:"initialization,omitempty"`

	// addresses are the ways to reach the machine.
	Addresses []banlieue.MachineAddress `json:"addresses,omitempty"`

	// addressSource says how the addresses were found.
	AddressSource LibvirtAddressSource `json:"addressSource,omitempty"`

	// conditions hold Ready, and GuestReady where it can be known.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// domainUuid is the UUID of the libvirt domain, 36 characters.
	DomainUUID string `json:"domainUuid,omitempty"`

	// failureDomain is the failure domain that the machine runs in.
	FailureDomain string `json:"failureDomain,omitempty"`

	// guestInstalled is true once the guest finished installing; it never goes
	// back.
	GuestInstalled *bool `json:"guestInstalled,omitempty"`

	// installMediaDetached is true once the installation medium was taken out;
	// it never goes back. Absent means that there was no medium.
	InstallMediaDetached *bool `json:"installMediaDetached,omitempty"`

	// observedPowerState is the power state last seen on the host.
	ObservedPowerState banlieue.PowerState `json:"observedPowerState,omitempty"`

	// tpmAttached says whether the domain has a virtual TPM.
	TPMAttached *bool `json:"tpmAttached,omitempty"`

	// tpmEndorsementCertificates are the endorsement key certificates of the
	// virtual TPM in PEM form.
	TPMEndorsementCertificates []string `json:"tpmEndorsementCertificates,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// LibvirtMachine is one virtual machine on a libvirt host.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=libvirtmachines,shortName=lvm,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.spec.providerRef.name`
// +kubebuilder:printcolumn:name="Provisioned",type=boolean,JSONPath=`.status.initialization.provisioned`
// +kubebuilder:printcolumn:name="Power",type=string,JSONPath=`.status.observedPowerState`
// +kubebuilder:printcolumn:name="Domain",type=string,priority=1,JSONPath=`.spec.domainName`
// +kubebuilder:printcolumn:name="ProviderID",type=string,priority=1,JSONPath=`.spec.providerID`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type LibvirtMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the libvirt domain that is wanted.
	Spec LibvirtMachineSpec `json:"spec"`

	// status is what has become of the libvirt domain. Only the provider process
	// writes it.
	Status LibvirtMachineStatus `json:"status,omitzero"`
}

// LibvirtMachineList is a list of libvirt machines.
// +kubebuilder:object:root=true
type LibvirtMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []LibvirtMachine `json:"items"`
}

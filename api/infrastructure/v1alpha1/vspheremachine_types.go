// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// VSphereDisk is one disk of a machine.
type VSphereDisk struct {
	// name identifies the disk within the machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// sizeGiB is the size of the disk in GiB, 1 to 65536.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	SizeGiB int64 `json:"sizeGiB"`

	// provisioning is a hint on how to allocate the disk.
	// +kubebuilder:default=thin
	Provisioning banlieue.DiskProvisioning `json:"provisioning,omitempty"`
}

// VSphereInterface is one network interface of a machine.
type VSphereInterface struct {
	// name identifies the interface within the machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// portGroup is the port group that the interface is connected to.
	// +kubebuilder:validation:MinLength=1
	PortGroup string `json:"portGroup"`

	// macAddress is the hardware address of the interface. Left out, vSphere
	// chooses one.
	MACAddress string `json:"macAddress,omitempty"`

	// ipam says where the interface gets its address from; an empty object means
	// DHCP.
	Ipam banlieue.IpamSpec `json:"ipam"`
}

// VSphereMachineSpec is the vSphere virtual machine that is wanted.
type VSphereMachineSpec struct {
	// providerRef names the Provider whose vCenter runs the machine, in the
	// machine's own namespace.
	ProviderRef banlieue.LocalObjectReference `json:"providerRef"`

	// template is the bare display name of the template that the machine is
	// cloned from.
	// +kubebuilder:validation:MinLength=1
	Template string `json:"template"`

	// templateFolder is the folder in which the template is looked up. Left out,
	// the whole datacenter is searched.
	TemplateFolder string `json:"templateFolder,omitempty"`

	// datacenter is the datacenter that the machine runs in.
	// +kubebuilder:validation:MinLength=1
	Datacenter string `json:"datacenter"`

	// cluster is the compute cluster that the machine runs in.
	// +kubebuilder:validation:MinLength=1
	Cluster string `json:"cluster"`

	// datastore is the datastore that holds the machine's disks.
	// +kubebuilder:validation:MinLength=1
	Datastore string `json:"datastore"`

	// folder is the folder that the machine is put in. Left out, it is the
	// folder of the template.
	Folder string `json:"folder,omitempty"`

	// resourcePool is the resource pool of the machine. It is reserved: nothing
	// sets or reads it yet.
	ResourcePool string `json:"resourcePool,omitempty"`

	// numCpus is the number of virtual CPUs, 1 to 256.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	NumCPUs int32 `json:"numCpus"`

	// memoryMiB is the memory in MiB, 128 to 4194304.
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=4194304
	MemoryMiB int64 `json:"memoryMiB"`

	// firmware is what the machine boots with.
	Firmware banlieue.Firmware `json:"firmware"`

	// disks are the disks of the machine, at least one. The first one holds the
	// operating system.
	// +kubebuilder:validation:MinItems=1
	Disks []VSphereDisk `json:"disks"`

	// network are the network interfaces of the machine, at most 16.
	// +kubebuilder:validation:MaxItems=16
	Network []VSphereInterface `json:"network"`

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

	// providerID identifies the machine to Kubernetes: vsphere://INSTANCE-UUID.
	// The provider process fills it in.
	ProviderID string `json:"providerID,omitempty"`

	// createdBy says who created the machine; free text, copied from the
	// annotation banlieue.io/created-by.
	CreatedBy string `json:"createdBy,omitempty"`
}

// VSphereMachineStatus is what has become of the vSphere virtual machine.
type VSphereMachineStatus struct {
	// initialization tells Cluster API whether the machine exists.
	Initialization *banlieue.InitializationStatus `json:"initialization,omitempty"`

	// addresses are the ways to reach the machine.
	Addresses []banlieue.MachineAddress `json:"addresses,omitempty"`

	// conditions hold Ready, and GuestReady where it can be known.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// vmRef is the managed object id of the virtual machine in its vCenter.
	VMRef string `json:"vmRef,omitempty"`

	// instanceUuid is the instance UUID of the virtual machine.
	InstanceUUID string `json:"instanceUuid,omitempty"`

	// failureDomain is the failure domain that the machine runs in.
	FailureDomain string `json:"failureDomain,omitempty"`

	// guestInstalled is true once the guest finished installing; it never goes
	// back.
	GuestInstalled *bool `json:"guestInstalled,omitempty"`

	// observedPowerState is the power state last seen in the vCenter.
	ObservedPowerState banlieue.PowerState `json:"observedPowerState,omitempty"`

	// tpmAttached says whether the virtual machine has a virtual TPM.
	TPMAttached *bool `json:"tpmAttached,omitempty"`

	// tpmEndorsementCertificates are the endorsement key certificates of the
	// virtual TPM in PEM form.
	TPMEndorsementCertificates []string `json:"tpmEndorsementCertificates,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// VSphereMachine is one virtual machine in a vCenter.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=vspheremachines,shortName=vsm,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:metadata:labels="cluster.x-k8s.io/v1beta2=v1alpha1"
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.spec.providerRef.name`
// +kubebuilder:printcolumn:name="Provisioned",type=boolean,JSONPath=`.status.initialization.provisioned`
// +kubebuilder:printcolumn:name="Power",type=string,JSONPath=`.status.observedPowerState`
// +kubebuilder:printcolumn:name="ProviderID",type=string,priority=1,JSONPath=`.spec.providerID`
// +kubebuilder:printcolumn:name="Cluster",type=string,priority=1,JSONPath=`.spec.cluster`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type VSphereMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the vSphere virtual machine that is wanted.
	Spec VSphereMachineSpec `json:"spec"`

	// status is what has become of the vSphere virtual machine. Only the
	// provider process writes it.
	Status VSphereMachineStatus `json:"status,omitzero"`
}

// VSphereMachineList is a list of vSphere machines.
// +kubebuilder:object:root=true
type VSphereMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VSphereMachine `json:"items"`
}

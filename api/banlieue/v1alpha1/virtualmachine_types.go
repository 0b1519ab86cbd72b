// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MigrationPolicy says what happens to a machine whose placement no longer
// matches what it asks for.
// +kubebuilder:validation:Enum=automatic;manual;never
type MigrationPolicy string

// Migration policies.
const (
	MigrationAutomatic MigrationPolicy = "automatic"
	MigrationManual    MigrationPolicy = "manual"
	MigrationNever     MigrationPolicy = "never"
)

// AntiAffinityMode says how strict an anti-affinity term is.
// +kubebuilder:validation:Enum=required;preferred
type AntiAffinityMode string

// Anti-affinity modes.
const (
	AntiAffinityRequired  AntiAffinityMode = "required"
	AntiAffinityPreferred AntiAffinityMode = "preferred"
)

// Placement restricts where a machine may run.
type Placement struct {
	// providerSelector picks the Providers that may run the machine, by the
	// labels of the Provider objects. Left out, any may.
	ProviderSelector *LabelSelector `json:"providerSelector,omitempty"`

	// failureDomainSelector picks the failure domains that may run the machine,
	// by the labels that the Provider publishes for each, the label "name" among
	// them. Left out, any may.
	FailureDomainSelector *LabelSelector `json:"failureDomainSelector,omitempty"`

	// antiAffinity keeps the machine away from other machines of its namespace.
	AntiAffinity []AntiAffinityTerm `json:"antiAffinity,omitempty"`
}

// AntiAffinityTerm keeps a machine away from a group of machines.
type AntiAffinityTerm struct {
	// topologyKey is the failure domain label that must differ between this
	// machine and the others.
	// +kubebuilder:validation:MinLength=1
	TopologyKey string `json:"topologyKey"`

	// labelSelector picks the other machines, in the same namespace, by their
	// labels.
	LabelSelector LabelSelector `json:"labelSelector"`

	// mode says how strict the term is: required leaves the machine unscheduled
	// rather than breaking it, preferred only ranks failure domains.
	// +kubebuilder:default=required
	Mode AntiAffinityMode `json:"mode,omitempty"`
}

// UserDataSource says where the user data for the guest comes from. Set
// exactly one field; the object must be in the namespace of the machine.
// +kubebuilder:validation:XValidation:rule="has(self.secretRef) != has(self.configMapRef)",message="set exactly one of secretRef and configMapRef, and remove the other"
type UserDataSource struct {
	// secretRef picks a key of a Secret that holds the user data.
	SecretRef *UserDataKeySelector `json:"secretRef,omitempty"`

	// configMapRef picks a key of a ConfigMap that holds the user data.
	ConfigMapRef *UserDataKeySelector `json:"configMapRef,omitempty"`
}

// UserDataKeySelector picks one key of a Secret or ConfigMap that holds user
// data.
type UserDataKeySelector struct {
	// name is the metadata.name of the Secret or ConfigMap.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the entry to read; "user-data" when left out.
	// +kubebuilder:default="user-data"
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// NetworkOverride replaces the address configuration of one interface of the
// class.
type NetworkOverride struct {
	// name is the name of the class interface that is overridden.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// static is the fixed configuration that replaces what the class says.
	Static StaticIpamConfig `json:"static"`
}

// HardwareOverride changes the hardware of the class for one machine.
type HardwareOverride struct {
	// cpus is the number of virtual CPUs, 1 to 256, instead of the class's.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=256
	CPUs *int32 `json:"cpus,omitempty"`

	// memoryMiB is the memory in MiB, 128 to 4194304, instead of the class's.
	// +kubebuilder:validation:Minimum=128
	// +kubebuilder:validation:Maximum=4194304
	MemoryMiB *int64 `json:"memoryMiB,omitempty"`

	// diskOverrides change the size of disks of the class.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	DiskOverrides []DiskOverride `json:"diskOverrides,omitempty"`
}

// DiskOverride changes the size of one disk of the class.
type DiskOverride struct {
	// name is the name of the class disk that is overridden.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// sizeGiB is the size of the disk in GiB, 1 to 65536. A disk can grow; a
	// backend refuses to shrink it.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	SizeGiB int64 `json:"sizeGiB"`
}

// VirtualMachineSpec is the machine that is wanted.
type VirtualMachineSpec struct {
	// classRef names the VMClass that gives the machine its hardware and
	// interfaces. It cannot change once the machine exists.
	ClassRef LocalObjectReference `json:"classRef"`

	// imageRef names the VMImage that the machine boots. It cannot change once
	// the machine exists.
	ImageRef LocalObjectReference `json:"imageRef"`

	// placement restricts where the machine may run. Left out, it may run
	// anywhere that fits.
	Placement *Placement `json:"placement,omitempty"`

	// desiredPowerState is the power state that the machine is brought to and
	// kept in.
	// +kubebuilder:default=PoweredOn
	DesiredPowerState PowerState `json:"desiredPowerState,omitempty"`

	// userData says where the guest's user data comes from. Left out, the guest
	// gets none.
	UserData *UserDataSource `json:"userData,omitempty"`

	// migrationPolicy says what happens when the machine's placement no longer
	// matches: automatic destroys it and builds it again elsewhere, manual waits
	// for an annotation that approves this, never leaves it.
	// +kubebuilder:default=automatic
	MigrationPolicy MigrationPolicy `json:"migrationPolicy,omitempty"`

	// paused stops all work on the machine until it is false again.
	// +kubebuilder:default=false
	Paused bool `json:"paused,omitempty"`

	// networkOverrides replace the address configuration of interfaces of the
	// class.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	NetworkOverrides []NetworkOverride `json:"networkOverrides,omitempty"`

	// hardwareOverride changes the hardware of the class for this machine.
	HardwareOverride *HardwareOverride `json:"hardwareOverride,omitempty"`

	// folder is the folder of the backend that the machine is put in. Left out,
	// vSphere uses the folder of the template.
	Folder string `json:"folder,omitempty"`
}

// ResolvedClass pairs an abstract class with what it stands for on the
// chosen backend.
type ResolvedClass struct {
	// className is the abstract storage or network class that was asked for.
	ClassName string `json:"className"`

	// backendId is the backend's name for it, such as a datastore or a port
	// group.
	BackendID string `json:"backendId"`
}

// ScheduledPlacement is where a machine was decided to run.
type ScheduledPlacement struct {
	// providerName is the name of the chosen Provider.
	ProviderName string `json:"providerName"`

	// providerClass is the ProviderClass of the chosen Provider.
	ProviderClass string `json:"providerClass"`

	// failureDomain is the name of the chosen failure domain.
	FailureDomain string `json:"failureDomain"`

	// resolvedStorage says what each storage class stands for there.
	ResolvedStorage []ResolvedClass `json:"resolvedStorage,omitempty"`

	// resolvedNetworks says what each network class stands for there.
	ResolvedNetworks []ResolvedClass `json:"resolvedNetworks,omitempty"`

	// scheduledAt is when the decision was made.
	ScheduledAt *metav1.Time `json:"scheduledAt,omitempty"`
}

// HeldAddress is a fixed address that a machine is considered to own.
type HeldAddress struct {
	// interface is the name of the class interface that has the address.
	Interface string `json:"interface"`

	// networkClass is the network class of the interface; the same address may
	// be held once in each class.
	NetworkClass string `json:"networkClass,omitempty"`

	// address is the IP address.
	Address string `json:"address"`
}

// VirtualMachineStatus is what has become of a machine.
type VirtualMachineStatus struct {
	// scheduled is where the machine was decided to run.
	Scheduled *ScheduledPlacement `json:"scheduled,omitempty"`

	// infrastructureRef names the backend object that realises the machine.
	InfrastructureRef *TypedObjectReference `json:"infrastructureRef,omitempty"`

	// initialization is copied from the backend object.
	Initialization *InitializationStatus `json:"initialization,omitempty"`

	// addresses are the ways to reach the machine, copied from the backend
	// object.
	Addresses []MachineAddress `json:"addresses,omitempty"`

	// observedPowerState is the power state last seen on the backend.
	ObservedPowerState PowerState `json:"observedPowerState,omitempty"`

	// tpmEndorsementCertificates are the endorsement key certificates of the
	// virtual TPM in PEM form; empty when there is no virtual TPM.
	TPMEndorsementCertificates []string `json:"tpmEndorsementCertificates,omitempty"`

	// heldAddresses are the fixed addresses that the machine owns; no other
	// machine gets them while it lives.
	HeldAddresses []HeldAddress `json:"heldAddresses,omitempty"`

	// conditions are Ready, Scheduled, PlacementValid, InfrastructureReady,
	// PowerState and Paused, and GuestReady where it can be known. Migrating is
	// reserved.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// VirtualMachine is one virtual machine on whichever Provider fits it.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=virtualmachines,shortName=vm,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Class",type=string,JSONPath=`.spec.classRef.name`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.imageRef.name`
// +kubebuilder:printcolumn:name="Provider",type=string,JSONPath=`.status.scheduled.providerName`
// +kubebuilder:printcolumn:name="FailureDomain",type=string,priority=1,JSONPath=`.status.scheduled.failureDomain`
// +kubebuilder:printcolumn:name="Power",type=string,JSONPath=`.status.observedPowerState`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type VirtualMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the machine that is wanted.
	Spec VirtualMachineSpec `json:"spec"`

	// status is what has become of the machine. Only the controller writes it.
	Status VirtualMachineStatus `json:"status,omitzero"`
}

// VirtualMachineList is a list of virtual machines.
// +kubebuilder:object:root=true
type VirtualMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VirtualMachine `json:"items"`
}

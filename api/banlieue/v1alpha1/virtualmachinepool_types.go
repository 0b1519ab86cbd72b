// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PoolReadiness names the condition of a member that makes it claimable.
// +kubebuilder:validation:Enum=GuestReady;InfrastructureReady
type PoolReadiness string

// Conditions a pool can wait for.
const (
	ReadinessGuestReady          PoolReadiness = "GuestReady"
	ReadinessInfrastructureReady PoolReadiness = "InfrastructureReady"
)

// AddressEntry is one source of addresses: a single IP address, an inclusive
// range "low-high", or a CIDR. 91 characters hold a range of two IPv6
// addresses.
//
// CEL cannot order IPv6 addresses, so a reversed range is refused here for
// IPv4 only; for IPv6 the pool reports it in its Capacity condition.
// +kubebuilder:validation:MaxLength=91
// +kubebuilder:validation:XValidation:rule="self.contains('-') || self.contains('/') || isIP(self)",message="must be one IP address such as 192.0.2.10, a range such as 192.0.2.10-192.0.2.50, or a CIDR such as 192.0.2.0/28"
// +kubebuilder:validation:XValidation:rule="self.contains('-') || !self.contains('/') || isCIDR(self)",message="is not a CIDR: write an IP address, a slash and a prefix length of at most 32 for IPv4 or 128 for IPv6, such as 192.0.2.0/28"
// +kubebuilder:validation:XValidation:rule="!self.contains('-') || (isIP(self.substring(0, self.indexOf('-'))) && isIP(self.substring(self.indexOf('-') + 1)))",message="is not a range: write two IP addresses with one hyphen and no spaces between them, such as 192.0.2.10-192.0.2.50"
// +kubebuilder:validation:XValidation:rule="!self.contains('-') || self.substring(0, self.indexOf('-')).contains(':') == self.substring(self.indexOf('-')).contains(':')",message="both ends of a range must be of one IP family: write two IPv4 or two IPv6 addresses"
// +kubebuilder:validation:XValidation:rule="!self.matches('^([0-9]{1,3}[.]){3}[0-9]{1,3}-([0-9]{1,3}[.]){3}[0-9]{1,3}$') || [self.replace('-', '.').split('.').map(o, int(o))].all(o, ((o[0] * 256 + o[1]) * 256 + o[2]) * 256 + o[3] <= ((o[4] * 256 + o[5]) * 256 + o[6]) * 256 + o[7])",message="a range must run from low to high: swap its two ends"
type AddressEntry string

// PoolAddressing gives each member of a pool its own fixed address on one
// interface.
// +kubebuilder:validation:XValidation:rule="self.prefix <= 32 || self.pool.all(e, e.contains(':'))",message="prefix must be at most 32 while pool has IPv4 entries; lower prefix or list IPv6 entries only"
// +kubebuilder:validation:XValidation:rule="!has(self.gateway) || self.pool.all(e, e.contains(':') == self.gateway.contains(':'))",message="gateway must be of the same IP family as every entry of pool; change gateway or the entries of the other family"
type PoolAddressing struct {
	// interface is the name of the VMClass interface that gets the address.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Interface string `json:"interface"`

	// pool lists the addresses to hand out. Each entry is a single IP address,
	// an inclusive range "low-high", or a CIDR. Entries are used in list order
	// and each from its low end; an address is not handed out again while any
	// member still holds it.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1024
	Pool []AddressEntry `json:"pool"`

	// prefix is the prefix length of the members' subnet, in bits: 0 to 32 for
	// IPv4, 0 to 128 for IPv6.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	Prefix int32 `json:"prefix"`

	// gateway is the address of the members' default router.
	Gateway *IPAddress `json:"gateway,omitempty"`

	// nameservers are the DNS servers of the members, in order of preference.
	// +kubebuilder:validation:MaxItems=16
	Nameservers []IPAddress `json:"nameservers,omitempty"`

	// domain is the DNS search domain of the members.
	// +kubebuilder:validation:MaxLength=253
	Domain string `json:"domain,omitempty"`
}

// PoolTemplate is what members of a pool are built from.
type PoolTemplate struct {
	// labels are added to every member. The labels that the pool itself manages
	// win over them.
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are added to every member.
	Annotations map[string]string `json:"annotations,omitempty"`

	// spec is the specification of every member. It is copied as it is, except
	// for the network override of the interface that addressing manages.
	Spec VirtualMachineSpec `json:"spec"`
}

// VirtualMachinePoolSpec is what a pool keeps ready.
// +kubebuilder:validation:XValidation:rule="self.warmReplicas <= self.maxReplicas",message="warmReplicas must not be greater than maxReplicas: lower warmReplicas or raise maxReplicas"
type VirtualMachinePoolSpec struct {
	// warmReplicas is how many members to keep ready and unclaimed.
	// +kubebuilder:validation:Minimum=0
	WarmReplicas int32 `json:"warmReplicas"`

	// maxReplicas is the most members the pool may have at once, in any state
	// and claimed ones included; members that are being deleted do not count.
	// +kubebuilder:validation:Minimum=0
	MaxReplicas int32 `json:"maxReplicas"`

	// maxSurge is the most members that may be provisioning at once. At least 1,
	// or the pool could never fill.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	MaxSurge int32 `json:"maxSurge,omitempty"`

	// readiness names the condition of a member that makes it claimable.
	// GuestReady waits for the guest to announce itself; InfrastructureReady
	// only for the machine to exist and run. There is no default: an image whose
	// guest never announces itself would never become ready under the first, and
	// one that installs itself after boot would be handed out too early under
	// the second.
	Readiness PoolReadiness `json:"readiness"`

	// provisioningTimeoutSeconds is how long a member may take to become ready,
	// in seconds since its creation. A member that takes longer is deleted and
	// replaced.
	// +kubebuilder:default=1800
	// +kubebuilder:validation:Minimum=0
	ProvisioningTimeoutSeconds *int64 `json:"provisioningTimeoutSeconds,omitempty"`

	// maxIdleSeconds is how long a member may stay ready and unclaimed, in
	// seconds. An older one is replaced. Left out, members may stay idle for
	// ever.
	// +kubebuilder:validation:Minimum=0
	MaxIdleSeconds *int64 `json:"maxIdleSeconds,omitempty"`

	// recycleOnImageChange replaces unclaimed members when the build of their
	// image changes, new ones first so that the pool stays warm.
	// +kubebuilder:default=true
	RecycleOnImageChange *bool `json:"recycleOnImageChange,omitempty"`

	// template is what members are built from.
	Template PoolTemplate `json:"template"`

	// addressing gives each member its own fixed address. Left out, members get
	// their addresses as their class says.
	Addressing *PoolAddressing `json:"addressing,omitempty"`
}

// VirtualMachinePoolStatus is what a pool holds.
type VirtualMachinePoolStatus struct {
	// replicas is how many members exist, those being deleted excluded.
	Replicas int32 `json:"replicas,omitempty"`

	// available is how many members are ready and unclaimed.
	Available int32 `json:"available,omitempty"`

	// provisioning is how many members are not ready yet.
	Provisioning int32 `json:"provisioning,omitempty"`

	// claimed is how many members belong to a claim.
	Claimed int32 `json:"claimed,omitempty"`

	// imageRevision is the revision of the image that new members are built
	// from.
	ImageRevision string `json:"imageRevision,omitempty"`

	// conditions are Warm, True while enough members are available, and
	// Capacity, False while something keeps the pool from creating the members
	// it wants.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// VirtualMachinePool keeps virtual machines built and ready, so that a claim
// gets one at once. A member that was claimed never comes back to the pool.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=virtualmachinepools,shortName=vmpool,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Warm",type=integer,JSONPath=`.spec.warmReplicas`
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.available`
// +kubebuilder:printcolumn:name="Provisioning",type=integer,JSONPath=`.status.provisioning`
// +kubebuilder:printcolumn:name="Claimed",type=integer,JSONPath=`.status.claimed`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name must be at most 63 characters, because the pool's name becomes a label value on its members; choose a shorter name"
type VirtualMachinePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the pool keeps ready.
	Spec VirtualMachinePoolSpec `json:"spec"`

	// status is what the pool holds. Only the controller writes it.
	Status VirtualMachinePoolStatus `json:"status,omitzero"`
}

// VirtualMachinePoolList is a list of pools.
// +kubebuilder:object:root=true
type VirtualMachinePoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VirtualMachinePool `json:"items"`
}

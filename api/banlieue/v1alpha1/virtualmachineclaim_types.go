// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClaimPhase is where a claim stands in its one-way life.
// +kubebuilder:validation:Enum=Pending;Bound;Releasing;Failed
type ClaimPhase string

// Claim phases, in the order in which a claim can pass through them.
const (
	ClaimPending   ClaimPhase = "Pending"
	ClaimBound     ClaimPhase = "Bound"
	ClaimReleasing ClaimPhase = "Releasing"
	ClaimFailed    ClaimPhase = "Failed"
)

// ClaimSubject is the one person a claimed machine is for.
type ClaimSubject struct {
	// issuer is the URL of the issuer that authenticated the person, character
	// for character as the token states it.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:XValidation:rule="self.trim() != ''",message="must not be empty: write the issuer URL exactly as the person's token states it"
	Issuer string `json:"issuer"`

	// id is the person's subject as the token spells it, without any prefix that
	// the cluster adds to user names.
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.trim() != ''",message="must not be empty: write the subject exactly as the person's token states it, without a user name prefix"
	ID string `json:"id"`
}

// VirtualMachineClaimSpec is what a claim asks for. None of it can change
// after creation.
type VirtualMachineClaimSpec struct {
	// poolRef names the pool to draw a machine from. The pool must be in the
	// claim's own namespace.
	PoolRef LocalObjectReference `json:"poolRef"`

	// subject is the person that the machine is for. It is copied to the machine
	// as annotations.
	Subject ClaimSubject `json:"subject"`

	// ttlSeconds is how long the machine may be held, in seconds from the moment
	// of binding: 1 second to 365 days. When the time is up the machine is
	// destroyed and the claim is removed; the deadline cannot be extended.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=31536000
	TTLSeconds int64 `json:"ttlSeconds"`
}

// VirtualMachineClaimStatus is what has become of a claim.
type VirtualMachineClaimStatus struct {
	// phase is where the claim stands: Pending waits for a machine, Bound holds
	// one, Releasing gives it back to be destroyed, Failed will never hold one
	// again. A phase never goes back.
	// +kubebuilder:default=Pending
	Phase ClaimPhase `json:"phase,omitempty"`

	// virtualMachineRef names the machine that the claim holds. It is written
	// once and never changes.
	VirtualMachineRef *LocalObjectReference `json:"virtualMachineRef,omitempty"`

	// addresses are the ways to reach the machine, copied from it.
	Addresses []MachineAddress `json:"addresses,omitempty"`

	// tpmEndorsementCertificates are the endorsement key certificates of the
	// machine's virtual TPM in PEM form, copied from the machine; empty when it
	// has no virtual TPM.
	TPMEndorsementCertificates []string `json:"tpmEndorsementCertificates,omitempty"`

	// boundAt is when the claim got its machine.
	BoundAt *metav1.Time `json:"boundAt,omitempty"`

	// expiresAt is when the machine will be destroyed: boundAt plus
	// spec.ttlSeconds.
	ExpiresAt *metav1.Time `json:"expiresAt,omitempty"`

	// nonce is deprecated. It stays readable on claims that already have one and
	// is never written any more.
	Nonce string `json:"nonce,omitempty"`

	// conditions hold one entry, Bound: True while the claim holds a machine,
	// otherwise False with the reason why it does not.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// VirtualMachineClaim asks for one ready virtual machine of a pool, for one
// person and a limited time. When the time is up or the claim is deleted,
// the machine is destroyed and never handed out again.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=virtualmachineclaims,shortName=vmclaim,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Pool",type=string,JSONPath=`.spec.poolRef.name`
// +kubebuilder:printcolumn:name="VM",type=string,JSONPath=`.status.virtualMachineRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.status.expiresAt`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="metadata.name must be at most 63 characters, because the claim's name becomes a label value on its machine; choose a shorter name"
type VirtualMachineClaim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the claim asks for. It cannot change after creation: to ask
	// for something else, delete the claim and create a new one.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec cannot be changed after creation: delete this claim and create a new one"
	Spec VirtualMachineClaimSpec `json:"spec"`

	// status is what has become of the claim. Only the controller writes it.
	Status VirtualMachineClaimStatus `json:"status,omitzero"`
}

// VirtualMachineClaimList is a list of claims.
// +kubebuilder:object:root=true
type VirtualMachineClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VirtualMachineClaim `json:"items"`
}

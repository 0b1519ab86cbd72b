// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Labels that tie objects together.
const (
	// LabelPool on a machine names the pool that it is a member of.
	LabelPool = "banlieue.io/pool"
	// LabelPoolImageRevision on a member is the image revision that it was built from.
	LabelPoolImageRevision = "banlieue.io/pool-image-revision"
	// LabelClaim on a member names the claim that holds it; its presence means claimed.
	LabelClaim = "banlieue.io/claim"
	// LabelOwnedBy on a backend object names the machine that it realises.
	LabelOwnedBy = "banlieue.io/owned-by"
	// LabelVMImage on an import Job names the image that it imports.
	LabelVMImage = "banlieue.io/vmimage"
	// LabelMonitoring on a namespace, with the value "true", lets it scrape metrics.
	LabelMonitoring = "banlieue.io/monitoring"
	// LabelCAPIContract on a CRD lists the versions that implement the Cluster API v1beta2 contract.
	LabelCAPIContract = "cluster.x-k8s.io/v1beta2"
)

// Annotations.
const (
	// AnnotationClaimSubjectIssuer on a member records the issuer of the person that it was claimed for.
	AnnotationClaimSubjectIssuer = "banlieue.io/claim-subject-issuer"
	// AnnotationClaimSubjectID on a member records the subject of the person that it was claimed for.
	AnnotationClaimSubjectID = "banlieue.io/claim-subject-id"
	// AnnotationCreatedBy on a machine says who created it; free text, for audit only.
	AnnotationCreatedBy = "banlieue.io/created-by"
	// AnnotationMigrate on a machine, with the value "true", approves one recreation.
	AnnotationMigrate = "banlieue.io/migrate"
	// AnnotationAllowInsecureTLS on a Provider, with the value "true", allows insecureSkipTLSVerify.
	AnnotationAllowInsecureTLS = "banlieue.io/allow-insecure-tls"
	// AnnotationForceReimport on an image makes its imports run again.
	AnnotationForceReimport = "banlieue.io/force-reimport"
	// AnnotationPaused on any object pauses it like its paused field.
	AnnotationPaused = "cluster.x-k8s.io/paused"
	// AnnotationBindIntent on a claim names the member that it is about to take.
	AnnotationBindIntent = "lictor.dev/bind-intent"
	// AnnotationBindIntentUID on a claim is the UID of the member that it is about to take.
	AnnotationBindIntentUID = "lictor.dev/bind-intent-uid"
)

// Finalizers.
const (
	// FinalizerClaim keeps a claim until its machine is gone.
	FinalizerClaim = "banlieue.io/claim-protection"
	// FinalizerVirtualMachine keeps a machine until its backend objects are gone.
	FinalizerVirtualMachine = "banlieue.io/virtualmachine"
	// FinalizerLibvirtMachine keeps a LibvirtMachine until its domain is gone.
	FinalizerLibvirtMachine = "banlieue.io/libvirtmachine"
	// FinalizerVSphereMachine keeps a VSphereMachine until its virtual machine is gone.
	FinalizerVSphereMachine = "banlieue.io/vspheremachine"
	// FinalizerProviderWorkload keeps a Provider until what was set up for its process is gone.
	FinalizerProviderWorkload = "banlieue.io/provider-workload"
	// FinalizerVMImage keeps an image until its templates are gone.
	FinalizerVMImage = "banlieue.io/vmimage"
)

// Condition types.
const (
	// ConditionBound of a claim is True while it holds a machine.
	ConditionBound = "Bound"
	// ConditionWarm of a pool is True while enough members are available.
	ConditionWarm = "Warm"
	// ConditionCapacity of a pool is False while something keeps it from creating members.
	ConditionCapacity = "Capacity"
	// ConditionReady sums up whether an object can be used.
	ConditionReady = "Ready"
	// ConditionScheduled of a machine is True once it is decided where it runs.
	ConditionScheduled = "Scheduled"
	// ConditionPlacementValid of a machine is True while where it runs matches what it asks for.
	ConditionPlacementValid = "PlacementValid"
	// ConditionInfrastructureReady of a machine is copied from its backend object.
	ConditionInfrastructureReady = "InfrastructureReady"
	// ConditionGuestReady of a machine is True once the guest announced itself; absent when that cannot be
	// known.
	ConditionGuestReady = "GuestReady"
	// ConditionPowerState of a machine is True while the power state is the desired one.
	ConditionPowerState = "PowerState"
	// ConditionPaused is True only while an object is paused.
	ConditionPaused = "Paused"
	// ConditionMigrating of a machine is reserved.
	ConditionMigrating = "Migrating"
	// ConditionProviderReachable of a Provider is True while its backend answers.
	ConditionProviderReachable = "ProviderReachable"
)

// Reasons of the condition Bound of a claim.
const (
	ReasonBound             = "Bound"
	ReasonNoMemberAvailable = "NoMemberAvailable"
	ReasonPoolNotFound      = "PoolNotFound"
	ReasonReleased          = "Released"
	ReasonExpired           = "Expired"
	ReasonMemberLost        = "MemberLost"
)

// Reasons of the conditions Warm and Capacity of a pool.
const (
	ReasonWarm                  = "Warm"
	ReasonFilling               = "Filling"
	ReasonReadinessSignalAbsent = "ReadinessSignalAbsent"
	ReasonAddressRangeExhausted = "AddressRangeExhausted"
	ReasonMaxReplicasReached    = "MaxReplicasReached"
	ReasonInvalidAddressEntry   = "InvalidAddressEntry"
)

// Reasons for which a pool deletes a member.
const (
	ReasonProvisioningTimeout = "ProvisioningTimeout"
	ReasonStaleImage          = "StaleImage"
	ReasonIdleExpired         = "IdleExpired"
	ReasonScaleDown           = "ScaleDown"
)

// Reasons of the conditions of a machine.
const (
	ReasonScheduled               = "Scheduled"
	ReasonScheduling              = "Scheduling"
	ReasonNoProviderMatched       = "NoProviderMatched"
	ReasonNoFailureDomainMatched  = "NoFailureDomainMatched"
	ReasonImageNotReady           = "ImageNotReady"
	ReasonFirmwareUnsupported     = "FirmwareUnsupported"
	ReasonTPMUnsupported          = "TpmUnsupported"
	ReasonAntiAffinityUnsatisfied = "AntiAffinityUnsatisfied"
	ReasonReconciled              = "Reconciled"
	ReasonPlacementInvalid        = "PlacementInvalid"
	ReasonProviderChanged         = "ProviderChanged"
	ReasonFailureDomainChanged    = "FailureDomainChanged"
	ReasonStorageMappingChanged   = "StorageMappingChanged"
	ReasonNetworkMappingChanged   = "NetworkMappingChanged"
	ReasonInfrastructureNotReady  = "InfrastructureNotReady"
	ReasonInfraBuildFailed        = "InfraBuildFailed"
	ReasonPending                 = "Pending"
	ReasonImageClassMismatch      = "ImageClassMismatch"
	ReasonDuplicateAddress        = "DuplicateAddress"
	ReasonPaused                  = "Paused"
	ReasonGuestAnnounced          = "GuestAnnounced"
	ReasonGuestNotAnnounced       = "GuestNotAnnounced"
	ReasonInstallMediaAttached    = "InstallMediaAttached"
	ReasonTPMEndorsementPending   = "TpmEndorsementPending"
	ReasonTPMEndorsementMismatch  = "TpmEndorsementMismatch"
)

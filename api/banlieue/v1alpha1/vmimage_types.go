// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// OSFamily is the family of an operating system.
// +kubebuilder:validation:Enum=linux;windows;bsd;other
type OSFamily string

// Operating system families.
const (
	OSLinux   OSFamily = "linux"
	OSWindows OSFamily = "windows"
	OSBSD     OSFamily = "bsd"
	OSOther   OSFamily = "other"
)

// Architecture is the processor architecture of an image.
// +kubebuilder:validation:Enum=amd64;arm64
type Architecture string

// Processor architectures.
const (
	ArchitectureAMD64 Architecture = "amd64"
	ArchitectureARM64 Architecture = "arm64"
)

// GuestAgent is the program in the guest that reads user data.
// +kubebuilder:validation:Enum=cloud-init;ignition;sysprep;none
type GuestAgent string

// Guest agents.
const (
	GuestAgentCloudInit GuestAgent = "cloud-init"
	GuestAgentIgnition  GuestAgent = "ignition"
	GuestAgentSysprep   GuestAgent = "sysprep"
	GuestAgentNone      GuestAgent = "none"
)

// ImageSourceKind says what a source of an image is.
// +kubebuilder:validation:Enum=Template;BackingFile;Url
type ImageSourceKind string

// Kinds of image source.
const (
	ImageSourceTemplate    ImageSourceKind = "Template"
	ImageSourceBackingFile ImageSourceKind = "BackingFile"
	ImageSourceURL         ImageSourceKind = "Url"
)

// ImageSource says where the Providers of one class find an image.
type ImageSource struct {
	// providerClass is the ProviderClass that this source is for.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ProviderClass string `json:"providerClass"`

	// kind says what the source is: Template for a template on the backend,
	// BackingFile for a volume that disks are layered on, Url for a build that
	// has to be imported first.
	Kind ImageSourceKind `json:"kind"`

	// ref is the backend's name for the image: a template name, a numeric id or
	// a volume path. It is ignored for the kind Url, but must be present.
	Ref string `json:"ref"`

	// importFrom is an OCI reference to import the image from. Pin it with a
	// sha256 digest.
	ImportFrom string `json:"importFrom,omitempty"`

	// checksum is what the image's bytes must hash to, as "sha256:" or "sha512:"
	// and hexadecimal digits. It is checked before any byte reaches a backend;
	// on a mismatch the import fails.
	// +kubebuilder:validation:MaxLength=135
	// +kubebuilder:validation:XValidation:rule="self.matches('^(sha256:[0-9a-fA-F]{64}|sha512:[0-9a-fA-F]{128})$')",message="must be sha256: with 64 or sha512: with 128 hexadecimal digits"
	Checksum *string `json:"checksum,omitempty"`
}

// CloudConfigLayer is one layer of build-time configuration.
type CloudConfigLayer struct {
	// secretRef picks a key of a Secret in the build namespace that holds the
	// layer.
	SecretRef *CloudConfigKeySelector `json:"secretRef,omitempty"`
}

// CloudConfigKeySelector picks one key of a Secret that holds a cloud-config
// document.
type CloudConfigKeySelector struct {
	// name is the metadata.name of the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the entry to read; "cloud-config.yaml" when left out.
	// +kubebuilder:default="cloud-config.yaml"
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// ISOOverlay puts extra files on the installation medium.
type ISOOverlay struct {
	// secretRef names the Secret that holds the files.
	SecretRef SecretReference `json:"secretRef"`

	// files lists which entries of the Secret go where.
	Files []ISOOverlayFile `json:"files,omitempty"`
}

// ISOOverlayFile puts one entry of a Secret on the installation medium.
type ISOOverlayFile struct {
	// key is the entry of the Secret.
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`

	// path is where the file goes on the medium.
	// +kubebuilder:validation:MinLength=1
	Path string `json:"path"`
}

// TrustedBoot signs the image for Secure Boot and measured boot.
type TrustedBoot struct {
	// secretRef names the Secret with the keys PK.auth, KEK.auth, db.auth,
	// db.key, db.pem and tpm2-pcr-private.pem.
	SecretRef SecretReference `json:"secretRef"`
}

// NetworkAdapter is the model of a network adapter on vSphere.
// +kubebuilder:validation:Enum=vmxnet3;vmxnet2;e1000;e1000e
type NetworkAdapter string

// DiskController is the model of a disk controller on vSphere.
// +kubebuilder:validation:Enum=pvscsi;lsiLogic;lsiLogicSas;busLogic
type DiskController string

// InstallMode says when the operating system of an image is installed.
// +kubebuilder:validation:Enum=immediate;deferred;manual
type InstallMode string

// Install modes.
const (
	InstallImmediate InstallMode = "immediate"
	InstallDeferred  InstallMode = "deferred"
	InstallManual    InstallMode = "manual"
)

// ImageTemplateNetwork is one network adapter of a template.
type ImageTemplateNetwork struct {
	// network is the backend network that the adapter is connected to while the
	// template is built.
	Network string `json:"network,omitempty"`

	// adapter is the model of the adapter.
	// +kubebuilder:default=vmxnet3
	Adapter NetworkAdapter `json:"adapter,omitempty"`

	// pciSlot is the PCI slot number of the adapter. Left out, it is 192 plus
	// the position in the list.
	// +kubebuilder:validation:Minimum=0
	PCISlot *int32 `json:"pciSlot,omitempty"`
}

// ImageTemplateDisk is the disk of a template.
type ImageTemplateDisk struct {
	// size is the size of the disk in GiB.
	// +kubebuilder:default=100
	// +kubebuilder:validation:Minimum=0
	Size *int64 `json:"size,omitempty"`

	// type is a hint to the backend on how to allocate the disk.
	// +kubebuilder:default=thin
	Type DiskProvisioning `json:"type,omitempty"`

	// controller is the model of the disk controller.
	// +kubebuilder:default=pvscsi
	Controller DiskController `json:"controller,omitempty"`
}

// ImageTemplate says how a build of the kind Url becomes a template on the
// backend.
type ImageTemplate struct {
	// rootFolder is the backend folder below which templates are put.
	RootFolder string `json:"rootFolder,omitempty"`

	// network lists the network adapters of the template.
	Network []ImageTemplateNetwork `json:"network,omitempty"`

	// disk is the disk of the template.
	// +kubebuilder:default={}
	Disk *ImageTemplateDisk `json:"disk,omitempty"`

	// cpus is the number of virtual CPUs of the template.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	CPUs *int32 `json:"cpus,omitempty"`

	// memoryMib is the memory of the template in MiB.
	// +kubebuilder:default=4096
	// +kubebuilder:validation:Minimum=0
	MemoryMib *int64 `json:"memoryMib,omitempty"`

	// firmware is what the template boots with.
	// +kubebuilder:default=efi
	Firmware Firmware `json:"firmware,omitempty"`

	// guestId is the backend's identifier of the guest operating system.
	GuestID string `json:"guestId,omitempty"`

	// forceUpload uploads the image again even when the backend already has it.
	ForceUpload bool `json:"forceUpload,omitempty"`

	// forceCreate builds the template again even when it already exists.
	ForceCreate bool `json:"forceCreate,omitempty"`

	// installMode says when the operating system is installed: immediate while
	// the template is built, deferred on the first boot of each machine, manual
	// by a person.
	// +kubebuilder:default=immediate
	InstallMode InstallMode `json:"installMode,omitempty"`

	// installTimeoutSeconds is how long the installation may take, in seconds.
	// Then it counts as failed.
	// +kubebuilder:default=1800
	// +kubebuilder:validation:Minimum=0
	InstallTimeoutSeconds *int64 `json:"installTimeoutSeconds,omitempty"`

	// retainOnDelete keeps the templates on the backend when the VMImage is
	// deleted.
	// +kubebuilder:default=false
	RetainOnDelete bool `json:"retainOnDelete,omitempty"`
}

// VMImageSpec is what an image contains and where it comes from.
type VMImageSpec struct {
	// osFamily is the family of the operating system.
	OSFamily OSFamily `json:"osFamily"`

	// osDistribution is the name of the operating system, for example debian.
	OSDistribution string `json:"osDistribution"`

	// osVersion is the version of the operating system, for example 13.
	OSVersion string `json:"osVersion"`

	// architecture is the processor architecture that the image runs on.
	Architecture Architecture `json:"architecture"`

	// guestAgent is the program in the guest that reads user data; it decides
	// how user data is delivered.
	GuestAgent GuestAgent `json:"guestAgent,omitempty"`

	// sources says where the image is found, one entry for each ProviderClass.
	// +listType=map
	// +listMapKey=providerClass
	// +kubebuilder:validation:MaxItems=64
	Sources []ImageSource `json:"sources"`

	// cloudConfigs are layers of configuration that are built into the image,
	// later ones over earlier ones.
	CloudConfigs []CloudConfigLayer `json:"cloudConfigs,omitempty"`

	// isoOverlay puts extra files on the installation medium.
	ISOOverlay *ISOOverlay `json:"isoOverlay,omitempty"`

	// trustedBoot signs the image for Secure Boot and measured boot.
	TrustedBoot *TrustedBoot `json:"trustedBoot,omitempty"`

	// template says how a build of the kind Url becomes a template on the
	// backend.
	Template *ImageTemplate `json:"template,omitempty"`
}

// BuildArtifactKind says what an image build produces.
// +kubebuilder:validation:Enum=cloudImage;iso
type BuildArtifactKind string

// Kinds of build artifact.
const (
	BuildArtifactCloudImage BuildArtifactKind = "cloudImage"
	BuildArtifactISO        BuildArtifactKind = "iso"
)

// BuildPhase says how far an image build is.
// +kubebuilder:validation:Enum=Pending;Building;Ready;Failed
type BuildPhase string

// Build phases.
const (
	BuildPending  BuildPhase = "Pending"
	BuildBuilding BuildPhase = "Building"
	BuildReady    BuildPhase = "Ready"
	BuildFailed   BuildPhase = "Failed"
)

// OCIArtifactPhase says how far the push of a build to a registry is.
// +kubebuilder:validation:Enum=Pushing;Ready;Failed
type OCIArtifactPhase string

// Push phases.
const (
	OCIArtifactPushing OCIArtifactPhase = "Pushing"
	OCIArtifactReady   OCIArtifactPhase = "Ready"
	OCIArtifactFailed  OCIArtifactPhase = "Failed"
)

// OCIArtifact is a build in a registry.
type OCIArtifact struct {
	// phase says how far the push is.
	Phase OCIArtifactPhase `json:"phase"`

	// reference is where the build is, pinned by digest.
	Reference string `json:"reference,omitempty"`

	// message says in words what went wrong.
	Message string `json:"message,omitempty"`
}

// BuildArtifact is the result of building an image.
type BuildArtifact struct {
	// kind says what is built: a disk image or an installation medium.
	Kind BuildArtifactKind `json:"kind"`

	// phase says how far the build is.
	Phase BuildPhase `json:"phase"`

	// osArtifactRef is the name of the object that runs the build.
	OSArtifactRef string `json:"osArtifactRef"`

	// osArtifactUid is the UID of the object that ran the build; it changes with
	// every build and marks the image's revision.
	OSArtifactUID string `json:"osArtifactUid,omitempty"`

	// pvcRef names the volume claim that holds the result.
	PVCRef *LocalObjectReference `json:"pvcRef,omitempty"`

	// file is the name of the result in the volume.
	File string `json:"file,omitempty"`

	// checksum is the hash of the result, as algorithm, colon and hexadecimal
	// digits.
	Checksum string `json:"checksum,omitempty"`

	// reason is a short word for the state of the build.
	Reason string `json:"reason,omitempty"`

	// message says in words what the state of the build is.
	Message string `json:"message,omitempty"`

	// ociArtifact is the build in a registry, once it is pushed.
	OCIArtifact *OCIArtifact `json:"ociArtifact,omitempty"`
}

// ImageZoneStatus is the state of an image in one zone of a Provider.
type ImageZoneStatus struct {
	// name is the name of the zone.
	Name string `json:"name"`

	// ready is true when machines can be built from the image in the zone.
	Ready bool `json:"ready"`

	// reason is a short word for why the image is or is not ready there.
	Reason string `json:"reason,omitempty"`

	// message says the same in words.
	Message string `json:"message,omitempty"`

	// resolvedRef is the backend's name for the image in the zone.
	ResolvedRef string `json:"resolvedRef,omitempty"`

	// templateFolder is the backend folder that holds the image's template in
	// the zone.
	TemplateFolder string `json:"templateFolder,omitempty"`
}

// ImageProviderStatus is the state of an image on one Provider. Only that
// Provider writes it.
type ImageProviderStatus struct {
	// providerName is the name of the Provider.
	ProviderName string `json:"providerName"`

	// providerNamespace is the namespace of the Provider.
	ProviderNamespace string `json:"providerNamespace"`

	// ready is true when machines can be built from the image on the Provider.
	Ready bool `json:"ready"`

	// resolvedRef is the backend's name for the image.
	ResolvedRef string `json:"resolvedRef,omitempty"`

	// reason is a short word for why the image is or is not ready there.
	Reason string `json:"reason,omitempty"`

	// message says the same in words.
	Message string `json:"message,omitempty"`

	// zones is the state of the image in each zone of the Provider.
	Zones []ImageZoneStatus `json:"zones,omitempty"`
}

// VMImageStatus is where an image can be used.
type VMImageStatus struct {
	// buildArtifact is the result of building the image. Only the image builder
	// writes it.
	BuildArtifact *BuildArtifact `json:"buildArtifact,omitempty"`

	// perProvider is the state of the image on each Provider. Each Provider
	// writes its own row only.
	// +listType=map
	// +listMapKey=providerName
	// +listMapKey=providerNamespace
	PerProvider []ImageProviderStatus `json:"perProvider,omitempty"`

	// conditions hold Ready: True only when every row of perProvider is ready.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// VMImage is an operating system image that machines boot from, and where
// each kind of backend finds it.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=vmimages,shortName=vmi,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="OS",type=string,JSONPath=`.spec.osDistribution`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.osVersion`
// +kubebuilder:printcolumn:name="Arch",type=string,JSONPath=`.spec.architecture`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type VMImage struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the image contains and where it comes from.
	Spec VMImageSpec `json:"spec"`

	// status is where the image can be used.
	Status VMImageStatus `json:"status,omitzero"`
}

// VMImageList is a list of images.
// +kubebuilder:object:root=true
type VMImageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VMImage `json:"items"`
}

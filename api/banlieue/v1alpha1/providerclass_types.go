// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ImagePullPolicy says when a container image is pulled.
// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
type ImagePullPolicy string

// Pull policies.
const (
	PullAlways       ImagePullPolicy = "Always"
	PullIfNotPresent ImagePullPolicy = "IfNotPresent"
	PullNever        ImagePullPolicy = "Never"
)

// ContainerImage names a container image.
type ContainerImage struct {
	// repository is the image without tag and digest, for example
	// registry.example.com/team/provider.
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9\\\\[][A-Za-z0-9._:/\\\\[\\\\]-]*$') && !self.contains('//')",message="must be an image repository such as registry.example.com/team/provider, without scheme, spaces or digest"
	Repository string `json:"repository"`

	// tag is the tag of the image. It is ignored when digest is set.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9_][A-Za-z0-9._-]*$')",message="must be an image tag: letters, digits, underscores, dots and hyphens, not starting with a dot or hyphen"
	Tag string `json:"tag"`

	// digest pins the image's content and wins over tag.
	// +kubebuilder:validation:MaxLength=135
	// +kubebuilder:validation:XValidation:rule="self.matches('^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$')",message="must be sha256: with 64 or sha512: with 128 lower-case hexadecimal digits"
	Digest *string `json:"digest,omitempty"`

	// pullPolicy says when the image is pulled. Left out, Kubernetes decides by
	// the tag.
	PullPolicy ImagePullPolicy `json:"pullPolicy,omitempty"`

	// pullSecrets name the Secrets with registry credentials, in the namespace
	// that the process runs in.
	PullSecrets []SecretReference `json:"pullSecrets,omitempty"`
}

// ProviderLogging sets up the log of a Provider's process.
type ProviderLogging struct {
	// level is the least important level that is logged, for example info.
	Level string `json:"level,omitempty"`

	// format is how log lines are written, for example json.
	Format string `json:"format,omitempty"`
}

// ProviderClassSpec is how the processes of a class of Providers are run.
// +kubebuilder:validation:XValidation:rule="self.deployment != 'Managed' || has(self.image)",message="image is required while deployment is Managed: set image.repository and image.tag, or set deployment to External"
// +kubebuilder:validation:XValidation:rule="self.deployment != 'External' || !has(self.image)",message="image has no use while deployment is External: remove image, or set deployment to Managed"
// +kubebuilder:validation:XValidation:rule="self.deployment != 'External' || (!has(self.resources) && !has(self.nodeSelector) && !has(self.tolerations))",message="no pod is run while deployment is External: remove resources, nodeSelector and tolerations, or set deployment to Managed"
type ProviderClassSpec struct {
	// backend is the kind of backend, for example vsphere or libvirt; it is the
	// subcommand that the process runs.
	// +kubebuilder:validation:MinLength=1
	Backend string `json:"backend"`

	// deployment says who runs the processes: Managed lets the operator run one
	// per Provider, External means that somebody else does and the class only
	// gives them an identity.
	// +kubebuilder:default=Managed
	Deployment WorkloadMode `json:"deployment,omitempty"`

	// image is the container image of the processes. Required for Managed,
	// forbidden for External.
	Image *ContainerImage `json:"image,omitempty"`

	// workloadNamespace is where the processes run. Left out, it is the
	// operator's own namespace.
	// +kubebuilder:validation:MaxLength=63
	WorkloadNamespace string `json:"workloadNamespace,omitempty"`

	// replicas is how many copies of each process run. Only one of them works at
	// a time; the others take over when it fails.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	Replicas *int32 `json:"replicas,omitempty"`

	// resources are the compute resources of the container. Forbidden for
	// External.
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`

	// nodeSelector picks the nodes that may run the pods, by their labels.
	// Forbidden for External.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations let the pods run on tainted nodes. Forbidden for External.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// logging sets up the log of the processes.
	Logging *ProviderLogging `json:"logging,omitempty"`

	// additionalRules are RBAC rules that are appended to the Role of each
	// Provider's process.
	AdditionalRules []rbacv1.PolicyRule `json:"additionalRules,omitempty"`

	// paused keeps the processes running as they are and stops all changes to
	// them.
	Paused bool `json:"paused,omitempty"`
}

// ProviderClassStatus is how a class of Providers is doing.
type ProviderClassStatus struct {
	// conditions hold Ready: True when the backend is known, the image is
	// well-formed and the shared role exists.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// providers is how many Providers use the class.
	Providers int32 `json:"providers,omitempty"`

	// observedGeneration is the metadata.generation that this status was
	// computed for.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// ProviderClass is a kind of backend and how the processes that serve it are
// run.
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=providerclasses,shortName=pc,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Backend",type=string,JSONPath=`.spec.backend`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image.tag`
// +kubebuilder:printcolumn:name="Deployment",type=string,JSONPath=`.spec.deployment`
// +kubebuilder:printcolumn:name="Providers",type=integer,JSONPath=`.status.providers`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ProviderClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is how the processes of the class are run.
	Spec ProviderClassSpec `json:"spec"`

	// status is how the class is doing.
	Status ProviderClassStatus `json:"status,omitzero"`
}

// ProviderClassList is a list of classes of Providers.
// +kubebuilder:object:root=true
type ProviderClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ProviderClass `json:"items"`
}

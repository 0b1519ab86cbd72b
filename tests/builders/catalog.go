// SPDX-License-Identifier: Apache-2.0

package builders

import v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"

// VMClass is a class of two CPUs, 4 GiB of memory, one disk and one interface "nic0" with DHCP.
func VMClass(name string, options ...Option[v1alpha1.VMClass]) *v1alpha1.VMClass {
	return build(&v1alpha1.VMClass{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VMClass"),
		ObjectMeta: objectMeta("", name),
		Spec: v1alpha1.VMClassSpec{
			Hardware: v1alpha1.ClassHardware{
				CPUs: 2, MemoryMiB: 4096,
				Disks: []v1alpha1.ClassDisk{{Name: "os", SizeGiB: 20, StorageClass: "standard"}},
			},
			Network: v1alpha1.ClassNetwork{
				Interfaces: []v1alpha1.ClassInterface{{Name: "nic0", NetworkClass: "lan"}},
			},
		},
	}, options)
}

// VMImage is a Linux image that is a template on vSphere and a volume on libvirt.
func VMImage(name string, options ...Option[v1alpha1.VMImage]) *v1alpha1.VMImage {
	return build(&v1alpha1.VMImage{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VMImage"),
		ObjectMeta: objectMeta("", name),
		Spec: v1alpha1.VMImageSpec{
			OSFamily: v1alpha1.OSLinux, OSDistribution: "debian", OSVersion: "13",
			Architecture: v1alpha1.ArchitectureAMD64, GuestAgent: v1alpha1.GuestAgentCloudInit,
			Sources: []v1alpha1.ImageSource{
				{ProviderClass: "vsphere", Kind: v1alpha1.ImageSourceTemplate, Ref: "debian-13"},
				{ProviderClass: "libvirt", Kind: v1alpha1.ImageSourceBackingFile, Ref: "debian-13.qcow2"},
			},
		},
	}, options)
}

// VMImageBuild says in the status that the image was built by the object with this UID, which is its revision.
func VMImageBuild(uid string) Option[v1alpha1.VMImage] {
	return func(image *v1alpha1.VMImage) {
		image.Status.BuildArtifact = &v1alpha1.BuildArtifact{
			Kind: v1alpha1.BuildArtifactCloudImage, Phase: v1alpha1.BuildReady,
			OSArtifactRef: image.Name, OSArtifactUID: uid,
		}
	}
}

// Provider is a libvirt host that offers the storage class "standard" and the network class "lan".
func Provider(namespace, name string, options ...Option[v1alpha1.Provider]) *v1alpha1.Provider {
	return build(&v1alpha1.Provider{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "Provider"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.ProviderSpec{
			ProviderClassRef: v1alpha1.LocalObjectReference{Name: "libvirt"},
			Connection: v1alpha1.ProviderConnection{
				Endpoint:       "qemu+tls://host.example.com/system",
				CredentialsRef: &v1alpha1.SecretReference{Name: "credentials"},
				CABundle: &v1alpha1.CABundleSource{
					ConfigMapRef: &v1alpha1.CABundleKeySelector{Name: "ca", Key: "ca.crt"},
				},
			},
			Capabilities: v1alpha1.ProviderCapabilities{
				StorageClasses: []v1alpha1.StorageCapability{
					{Name: "standard", Target: map[string]string{"pool": "default"}},
				},
				NetworkClasses: []v1alpha1.NetworkCapability{
					{Name: "lan", Target: map[string]string{"network": "default"}},
				},
			},
		},
	}, options)
}

// ProviderClass is a class of libvirt Providers whose processes the operator runs.
func ProviderClass(name string, options ...Option[v1alpha1.ProviderClass]) *v1alpha1.ProviderClass {
	return build(&v1alpha1.ProviderClass{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "ProviderClass"),
		ObjectMeta: objectMeta("", name),
		Spec: v1alpha1.ProviderClassSpec{
			Backend: "libvirt", Deployment: v1alpha1.WorkloadManaged,
			Image: &v1alpha1.ContainerImage{Repository: "registry.example.com/team/lictor", Tag: "v1.0.0"},
		},
	}, options)
}

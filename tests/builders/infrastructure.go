// SPDX-License-Identifier: Apache-2.0

package builders

import (
	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	v1alpha1 "github.com/lictor-dev/lictor/api/infrastructure/v1alpha1"
)

// LibvirtMachine is a domain with one disk and one interface with DHCP.
func LibvirtMachine(
	namespace, name string, options ...Option[v1alpha1.LibvirtMachine],
) *v1alpha1.LibvirtMachine {
	return build(&v1alpha1.LibvirtMachine{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "LibvirtMachine"),
		ObjectMeta: objectMeta(namespace, name),
		Spec:       libvirtMachineSpec(name),
	}, options)
}

// LibvirtMachineTemplate is a template of such domains.
func LibvirtMachineTemplate(
	namespace, name string, options ...Option[v1alpha1.LibvirtMachineTemplate],
) *v1alpha1.LibvirtMachineTemplate {
	return build(&v1alpha1.LibvirtMachineTemplate{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "LibvirtMachineTemplate"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.LibvirtMachineTemplateSpec{
			Template: v1alpha1.LibvirtMachineTemplateResource{Spec: libvirtMachineSpec(name)},
		},
	}, options)
}

func libvirtMachineSpec(name string) v1alpha1.LibvirtMachineSpec {
	return v1alpha1.LibvirtMachineSpec{
		ProviderRef: banlieue.LocalObjectReference{Name: "libvirt"},
		Pool:        "default",
		DomainName:  name,
		BootSource:  v1alpha1.LibvirtBootSource{Kind: v1alpha1.LibvirtBackingVolume, Volume: "debian-13.qcow2"},
		VCPUs:       2,
		MemoryMiB:   4096,
		Firmware:    banlieue.FirmwareEFI,
		Disks:       []v1alpha1.LibvirtDisk{{Name: "os", SizeGiB: 20}},
		Network: []v1alpha1.LibvirtInterface{{
			Name:   "nic0",
			Source: v1alpha1.LibvirtNetworkSource{Kind: v1alpha1.LibvirtNetwork, Name: "default"},
		}},
	}
}

// VSphereMachine is a clone with one disk and one interface with DHCP.
func VSphereMachine(
	namespace, name string, options ...Option[v1alpha1.VSphereMachine],
) *v1alpha1.VSphereMachine {
	return build(&v1alpha1.VSphereMachine{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VSphereMachine"),
		ObjectMeta: objectMeta(namespace, name),
		Spec:       vSphereMachineSpec(),
	}, options)
}

// VSphereMachineTemplate is a template of such clones.
func VSphereMachineTemplate(
	namespace, name string, options ...Option[v1alpha1.VSphereMachineTemplate],
) *v1alpha1.VSphereMachineTemplate {
	return build(&v1alpha1.VSphereMachineTemplate{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VSphereMachineTemplate"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.VSphereMachineTemplateSpec{
			Template: v1alpha1.VSphereMachineTemplateResource{Spec: vSphereMachineSpec()},
		},
	}, options)
}

func vSphereMachineSpec() v1alpha1.VSphereMachineSpec {
	return v1alpha1.VSphereMachineSpec{
		ProviderRef: banlieue.LocalObjectReference{Name: "vcenter"},
		Template:    "debian-13",
		Datacenter:  "dc1",
		Cluster:     "cluster1",
		Datastore:   "datastore1",
		NumCPUs:     2,
		MemoryMiB:   4096,
		Firmware:    banlieue.FirmwareEFI,
		Disks:       []v1alpha1.VSphereDisk{{Name: "os", SizeGiB: 20}},
		Network:     []v1alpha1.VSphereInterface{{Name: "nic0", PortGroup: "lan"}},
	}
}

// VSphereCluster is a cluster on one Provider.
func VSphereCluster(
	namespace, name string, options ...Option[v1alpha1.VSphereCluster],
) *v1alpha1.VSphereCluster {
	return build(&v1alpha1.VSphereCluster{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VSphereCluster"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.VSphereClusterSpec{
			ControlPlaneEndpoint: &v1alpha1.APIEndpoint{Host: "192.0.2.1", Port: 6443},
			ProviderRefs:         []banlieue.LocalObjectReference{{Name: "vcenter"}},
		},
	}, options)
}

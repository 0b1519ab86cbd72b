// SPDX-License-Identifier: Apache-2.0

package crds

import "github.com/lictor-dev/lictor/tests/builders"

func infrastructureCases(namespace string) map[string]ruleCase {
	libvirt := builders.LibvirtMachine(namespace, "vm")
	vsphere := builders.VSphereMachine(namespace, "vm")
	libvirtTemplate := builders.LibvirtMachineTemplate(namespace, "vm")
	vsphereTemplate := builders.VSphereMachineTemplate(namespace, "vm")
	cluster := builders.VSphereCluster(namespace, "cluster")
	const (
		libvirtNIC = `{network: [{name: nic0, source: {kind: network, name: default}, ipam: %s}]}`
		vsphereNIC = `{network: [{name: nic0, portGroup: lan, ipam: %s}]}`
	)
	return joined(
		named("libvirt", map[string]ruleCase{
			"valid":      {reason: "the fixture is valid", object: libvirt},
			"no cpus":    {reason: "something has to run", object: libvirt, patch: `spec: {vcpus: 0}`, want: "greater than or equal to 1"},
			"no disks":   {reason: "something has to boot", object: libvirt, patch: `spec: {disks: []}`, want: "should have at least 1 items"},
			"no network": {reason: "the contract only says at most 16", object: libvirt, patch: `spec: {network: []}`},
			"bus":        {reason: "three buses", object: libvirt, patch: `spec: {disks: [{name: os, sizeGiB: 1, bus: ide}]}`, want: `supported values: "virtio", "scsi", "sata"`},
			"boot kind":  {reason: "two kinds", object: libvirt, patch: `spec: {bootSource: {kind: disk}}`, want: `supported values: "backingVolume", "installMedia"`},
		}),
		named("libvirt network", ipamCases(libvirt, `spec: `+libvirtNIC)),
		named("libvirt template network", ipamCases(libvirtTemplate, `spec: {template: {spec: `+libvirtNIC+`}}`)),
		named("vsphere", map[string]ruleCase{
			"valid":     {reason: "the fixture is valid", object: vsphere},
			"no memory": {reason: "nothing boots", object: vsphere, patch: `spec: {memoryMiB: 127}`, want: "greater than or equal to 128"},
			"no disks":  {reason: "something has to boot", object: vsphere, patch: `spec: {disks: []}`, want: "should have at least 1 items"},
		}),
		named("vsphere network", ipamCases(vsphere, `spec: `+vsphereNIC)),
		named("vsphere template network", ipamCases(vsphereTemplate, `spec: {template: {spec: `+vsphereNIC+`}}`)),
		named("vsphere cluster", map[string]ruleCase{
			"valid":       {reason: "the fixture is valid", object: cluster},
			"no endpoint": {reason: "a control plane provider may fill it in", object: cluster, patch: `spec: {controlPlaneEndpoint: null}`},
			"selectors": {reason: "instead of names", object: cluster, patch: `spec: {providerRefs: null, paused: true,
				providerSelector: {matchExpressions: [{key: a, operator: Exists}]},
				controlPlaneFailureDomainSelector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}`},
			"port": {reason: "ports end at 65535", object: cluster, patch: `spec: {controlPlaneEndpoint: {port: 65536}}`, want: "less than or equal to 65535"},
		}),
	)
}

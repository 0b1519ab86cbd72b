// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

// machineDefaults are those of a VirtualMachine's spec, which a pool repeats.
func machineDefaults(prefix string) map[string]string {
	defaults := map[string]string{}
	for path, value := range map[string]string{
		"placement.antiAffinity[].mode": `"required"`,
		"desiredPowerState":             `"PoweredOn"`,
		"userData.secretRef.key":        `"user-data"`,
		"userData.configMapRef.key":     `"user-data"`,
		"migrationPolicy":               `"automatic"`,
		"paused":                        `false`,
	} {
		defaults[prefix+path] = value
	}
	return defaults
}

// TestDefaultsDeclared pins every default of every kind.
func TestDefaultsDeclared(t *testing.T) {
	poolDefaults := machineDefaults("spec.template.spec.")
	maps.Copy(poolDefaults, map[string]string{
		"spec.maxSurge": "2", "spec.provisioningTimeoutSeconds": "1800", "spec.recycleOnImageChange": "true",
	})
	libvirt := map[string]string{
		"desiredPowerState": `"PoweredOn"`, "disks[].bus": `"virtio"`, "network[].model": `"virtio"`, "tpmEnabled": "false",
	}
	vsphere := map[string]string{
		"desiredPowerState": `"PoweredOn"`, "disks[].provisioning": `"thin"`, "tpmEnabled": "false",
	}
	want := map[string]map[string]string{
		"VirtualMachineClaim": {"status.phase": `"Pending"`},
		"VirtualMachinePool":  poolDefaults,
		"VirtualMachine":      machineDefaults("spec."),
		"VMClass": {
			"spec.hardware.disks[].provisioning": `"thin"`, "spec.firmware": `"efi"`, "spec.tpmEnabled": "false",
		},
		"VMImage": {
			"spec.cloudConfigs[].secretRef.key":   `"cloud-config.yaml"`,
			"spec.template.network[].adapter":     `"vmxnet3"`,
			"spec.template.disk":                  `{}`,
			"spec.template.disk.size":             "100",
			"spec.template.disk.type":             `"thin"`,
			"spec.template.disk.controller":       `"pvscsi"`,
			"spec.template.cpus":                  "2",
			"spec.template.memoryMib":             "4096",
			"spec.template.firmware":              `"efi"`,
			"spec.template.installMode":           `"immediate"`,
			"spec.template.installTimeoutSeconds": "1800",
			"spec.template.retainOnDelete":        "false",
		},
		"Provider": {
			"spec.connection.caBundle.configMapRef.key":       `"ca.crt"`,
			"spec.connection.caBundle.secretRef.key":          `"ca.crt"`,
			"spec.attestation.ekTrustBundle.configMapRef.key": `"ca.crt"`,
			"spec.attestation.ekTrustBundle.secretRef.key":    `"ca.crt"`,
			"spec.useContentLibrary":                          "false",
		},
		"ProviderClass":          {"spec.deployment": `"Managed"`, "spec.replicas": "1"},
		"LibvirtMachine":         prefixed("spec.", libvirt),
		"LibvirtMachineTemplate": prefixed("spec.template.spec.", libvirt),
		"VSphereMachine":         prefixed("spec.", vsphere),
		"VSphereMachineTemplate": prefixed("spec.template.spec.", vsphere),
		"VSphereCluster":         {},
	}
	got := map[string]map[string]string{}
	for kind, crd := range installed(t, testcluster.New(t).Client) {
		got[kind] = map[string]string{}
		walk(schemaOf(crd), "", func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			if schema.Default != nil {
				got[kind][path] = string(schema.Default.Raw)
			}
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
}

func prefixed(prefix string, paths map[string]string) map[string]string {
	longer := map[string]string{}
	for path, value := range paths {
		longer[prefix+path] = value
	}
	return longer
}

// TestDefaultsApplied holds that the API server fills in what a manifest leaves out.
func TestDefaultsApplied(t *testing.T) {
	c := testcluster.New(t)
	cases := map[string]struct {
		reason string
		object client.Object
		patch  string
		want   string
	}{
		"pool": {
			reason: "the least that a pool can state",
			object: builders.Pool(c.Namespace, "pool"),
			patch:  `{spec: {template: {spec: {migrationPolicy: null, userData: {secretRef: {name: a}}}}}}`,
			want: `{warmReplicas: 1, maxReplicas: 3, maxSurge: 2, readiness: GuestReady, provisioningTimeoutSeconds: 1800,
				recycleOnImageChange: true, template: {spec: {classRef: {name: class}, imageRef: {name: image},
				desiredPowerState: PoweredOn, migrationPolicy: automatic, paused: false,
				userData: {secretRef: {name: a, key: user-data}}}}}`,
		},
		"vm": {
			reason: "the least that a machine can state",
			object: builders.VM(c.Namespace, "vm"),
			patch:  `{spec: {placement: {antiAffinity: [{topologyKey: host, labelSelector: {}}]}}}`,
			want: `{classRef: {name: class}, imageRef: {name: image}, desiredPowerState: PoweredOn,
				migrationPolicy: automatic, paused: false,
				placement: {antiAffinity: [{topologyKey: host, labelSelector: {}, mode: required}]}}`,
		},
		"class": {
			reason: "the least that a class can state",
			object: builders.VMClass("class"),
			want: `{hardware: {cpus: 2, memoryMiB: 4096, disks: [{name: os, sizeGiB: 20, storageClass: standard,
				provisioning: thin}]}, network: {interfaces: [{name: nic0, networkClass: lan, ipam: {}}]},
				firmware: efi, tpmEnabled: false}`,
		},
		"image": {
			reason: "an empty template is complete",
			object: builders.VMImage("image"),
			patch:  `{spec: {template: {network: [{}]}, cloudConfigs: [{secretRef: {name: a}}], sources: []}}`,
			want: `{osFamily: linux, osDistribution: debian, osVersion: "13", architecture: amd64,
				guestAgent: cloud-init, sources: [], cloudConfigs: [{secretRef: {name: a, key: cloud-config.yaml}}],
				template: {network: [{adapter: vmxnet3}], disk: {size: 100, type: thin, controller: pvscsi}, cpus: 2,
				memoryMib: 4096, firmware: efi, installMode: immediate, installTimeoutSeconds: 1800,
				retainOnDelete: false}}`,
		},
		"provider class": {
			reason: "managed, once, unless stated otherwise",
			object: builders.ProviderClass("class"),
			patch:  `{spec: {deployment: null}}`,
			want: `{backend: libvirt, deployment: Managed, replicas: 1,
				image: {repository: registry.example.com/team/lictor, tag: v1.0.0}}`,
		},
		"provider": {
			reason: "CA bundles are read from ca.crt",
			object: builders.Provider(c.Namespace, "provider"),
			patch: `{spec: {capabilities: null, connection: {caBundle: {configMapRef: {name: a, key: null}}},
				attestation: {ekTrustBundle: {secretRef: {name: b}}}}}`,
			want: `{providerClassRef: {name: libvirt}, useContentLibrary: false,
				connection: {endpoint: "qemu+tls://host.example.com/system", credentialsRef: {name: credentials},
				caBundle: {configMapRef: {name: a, key: ca.crt}}},
				attestation: {ekTrustBundle: {secretRef: {name: b, key: ca.crt}}}}`,
		},
		"libvirt machine": {
			reason: "the least that a machine can state",
			object: builders.LibvirtMachine(c.Namespace, "vm"),
			want: `{providerRef: {name: libvirt}, pool: default, domainName: vm, vcpus: 2, memoryMiB: 4096,
				bootSource: {kind: backingVolume, volume: debian-13.qcow2}, firmware: efi, tpmEnabled: false,
				desiredPowerState: PoweredOn, disks: [{name: os, sizeGiB: 20, bus: virtio}],
				network: [{name: nic0, model: virtio, source: {kind: network, name: default}, ipam: {}}]}`,
		},
		"vsphere machine": {
			reason: "the least that a machine can state",
			object: builders.VSphereMachine(c.Namespace, "vm"),
			want: `{providerRef: {name: vcenter}, template: debian-13, datacenter: dc1, cluster: cluster1,
				datastore: datastore1, numCpus: 2, memoryMiB: 4096, firmware: efi, tpmEnabled: false,
				desiredPowerState: PoweredOn, disks: [{name: os, sizeGiB: 20, provisioning: thin}],
				network: [{name: nic0, portGroup: lan, ipam: {}}]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := patched(t, tc.object, tc.patch)
			if err := c.Client.Create(t.Context(), object, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(normal(t, parsed(t, tc.want)), normal(t, object.Object["spec"])); diff != "" {
				t.Errorf("%s: spec (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

// normal makes numbers of different Go types equal.
func normal(t *testing.T, value any) any {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, string(text))
}

// TestPhaseDefault holds that a claim whose status says nothing about its phase is Pending.
func TestPhaseDefault(t *testing.T) {
	c := testcluster.New(t)
	claim := builders.Claim(c.Namespace, "claim")
	if err := c.Client.Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	claim.Status.ObservedGeneration = 1
	if err := c.Client.Status().Update(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	if claim.Status.Phase != "Pending" {
		t.Errorf("want phase Pending, got %q", claim.Status.Phase)
	}
}

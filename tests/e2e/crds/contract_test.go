// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

// contract is what clients and people rely on beyond the fields.
type contract struct {
	Name      string
	ShortName string
	Scope     apiextensionsv1.ResourceScope
	// Columns are "Name type JSONPath", with the priority in the end unless it is 0.
	Columns []string
	Status  bool
	CAPI    bool
}

const (
	ready = `Ready string .status.conditions[?(@.type=="Ready")].status`
	age   = "Age date .metadata.creationTimestamp"
)

func contracts() map[string]contract {
	const namespaced, cluster = apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped
	return map[string]contract{
		"VirtualMachineClaim": {"virtualmachineclaims", "vmclaim", namespaced, []string{
			"Pool string .spec.poolRef.name", "VM string .status.virtualMachineRef.name",
			"Phase string .status.phase", "Expires string .status.expiresAt", age,
		}, true, false},
		"VirtualMachinePool": {"virtualmachinepools", "vmpool", namespaced, []string{
			"Warm integer .spec.warmReplicas", "Available integer .status.available",
			"Provisioning integer .status.provisioning", "Claimed integer .status.claimed", age,
		}, true, false},
		"VirtualMachine": {"virtualmachines", "vm", namespaced, []string{
			"Class string .spec.classRef.name", "Image string .spec.imageRef.name",
			"Provider string .status.scheduled.providerName",
			"FailureDomain string .status.scheduled.failureDomain 1",
			"Power string .status.observedPowerState", ready, age,
		}, true, false},
		"VMClass": {"vmclasses", "vmc", cluster, []string{
			"CPUs integer .spec.hardware.cpus", "MemoryMiB integer .spec.hardware.memoryMiB",
			"Firmware string .spec.firmware", age,
		}, false, false},
		"VMImage": {"vmimages", "vmi", cluster, []string{
			"OS string .spec.osDistribution", "Version string .spec.osVersion", "Arch string .spec.architecture",
			ready, age,
		}, true, false},
		"Provider": {"providers", "prov", namespaced, []string{
			"Class string .spec.providerClassRef.name", "Endpoint string .spec.connection.endpoint 1", ready, age,
		}, true, false},
		"ProviderClass": {"providerclasses", "pc", cluster, []string{
			"Backend string .spec.backend", "Image string .spec.image.tag", "Deployment string .spec.deployment",
			"Providers integer .status.providers", ready, age,
		}, true, false},
		"LibvirtMachine": {"libvirtmachines", "lvm", namespaced, []string{
			"Provider string .spec.providerRef.name", "Provisioned boolean .status.initialization.provisioned",
			"Power string .status.observedPowerState", "Domain string .spec.domainName 1",
			"ProviderID string .spec.providerID 1", age,
		}, true, true},
		"LibvirtMachineTemplate": {"libvirtmachinetemplates", "lvmt", namespaced, nil, false, true},
		"VSphereMachine": {"vspheremachines", "vsm", namespaced, []string{
			"Provider string .spec.providerRef.name", "Provisioned boolean .status.initialization.provisioned",
			"Power string .status.observedPowerState", "ProviderID string .spec.providerID 1",
			"Cluster string .spec.cluster 1", age,
		}, true, true},
		"VSphereMachineTemplate": {"vspheremachinetemplates", "vsmt", namespaced, nil, false, true},
		"VSphereCluster": {"vsphereclusters", "vsc", namespaced, []string{
			"Provisioned boolean .status.initialization.provisioned",
			"Endpoint string .status.controlPlaneEndpoint.host 1", ready, age,
		}, true, true},
	}
}

func TestContract(t *testing.T) {
	got := map[string]contract{}
	for kind, crd := range installed(t, testcluster.New(t).Client) {
		got[kind] = contractOf(t, crd)
	}
	if diff := cmp.Diff(contracts(), got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

func contractOf(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) contract {
	t.Helper()
	if len(crd.Spec.Versions) != 1 || len(crd.Spec.Names.ShortNames) != 1 || len(crd.Spec.Names.Categories) != 0 {
		t.Fatalf("%s: want one version, one short name and no categories, got %+v", crd.Name, crd.Spec.Names)
	}
	version := crd.Spec.Versions[0]
	if version.Name != "v1alpha1" || !version.Served || !version.Storage {
		t.Errorf("%s: want v1alpha1 served and stored, got %s", crd.Name, version.Name)
	}
	result := contract{
		Name: crd.Spec.Names.Plural, ShortName: crd.Spec.Names.ShortNames[0], Scope: crd.Spec.Scope,
		Status: version.Subresources != nil && version.Subresources.Status != nil,
		CAPI:   crd.Labels["cluster.x-k8s.io/v1beta2"] == "v1alpha1",
	}
	if version.Subresources != nil && version.Subresources.Scale != nil {
		t.Errorf("%s: has a scale subresource", crd.Name)
	}
	if _, hasStatus := version.Schema.OpenAPIV3Schema.Properties["status"]; hasStatus != result.Status {
		t.Errorf("%s: status in the schema is %v, as a subresource %v", crd.Name, hasStatus, result.Status)
	}
	for _, column := range version.AdditionalPrinterColumns {
		text := column.Name + " " + column.Type + " " + column.JSONPath
		if column.Priority != 0 {
			text += " 1"
		}
		result.Columns = append(result.Columns, text)
	}
	return result
}

// TestAllInstalled holds that deploy/crds has the kinds of the contract and nothing else. By reading the files within
// a test it also makes go test run again, rather than show a cached result, when they change.
func TestAllInstalled(t *testing.T) {
	files, err := filepath.Glob("../../../deploy/crds/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &crd); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got = append(got, crd.Spec.Names.Kind)
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(contracts())), got); diff != "" {
		t.Errorf("kinds in deploy/crds (-want +got):\n%s", diff)
	}
}

func TestEstablished(t *testing.T) {
	for kind, crd := range installed(t, testcluster.New(t).Client) {
		conditions := map[apiextensionsv1.CustomResourceDefinitionConditionType]apiextensionsv1.ConditionStatus{}
		for _, condition := range crd.Status.Conditions {
			conditions[condition.Type] = condition.Status
		}
		if conditions[apiextensionsv1.Established] != apiextensionsv1.ConditionTrue {
			t.Errorf("%s is not established: %v", kind, crd.Status.Conditions)
		}
		if conditions[apiextensionsv1.NonStructuralSchema] == apiextensionsv1.ConditionTrue {
			t.Errorf("the schema of %s is not structural: %v", kind, crd.Status.Conditions)
		}
	}
}

// TestLists pins how lists merge under server-side apply, which decides who may write them.
func TestLists(t *testing.T) {
	want := map[string]map[string][]string{
		"VirtualMachineClaim": {"status.conditions": {"type"}},
		"VirtualMachinePool": {
			"spec.template.spec.networkOverrides":               {"name"},
			"spec.template.spec.hardwareOverride.diskOverrides": {"name"},
			"status.conditions":                                 {"type"},
		},
		"VirtualMachine": {
			"spec.networkOverrides":               {"name"},
			"spec.hardwareOverride.diskOverrides": {"name"},
			"status.conditions":                   {"type"},
		},
		"VMClass": {},
		"VMImage": {
			"spec.sources":       {"providerClass"},
			"status.perProvider": {"providerName", "providerNamespace"},
			"status.conditions":  {"type"},
		},
		"Provider":               {},
		"ProviderClass":          {"spec.resources.claims": {"name"}, "status.conditions": {"type"}},
		"LibvirtMachine":         {"status.conditions": {"type"}},
		"LibvirtMachineTemplate": {},
		"VSphereMachine":         {"status.conditions": {"type"}},
		"VSphereMachineTemplate": {},
		"VSphereCluster":         {"status.failureDomains": {"name"}, "status.conditions": {"type"}},
	}
	got := map[string]map[string][]string{}
	for kind, crd := range installed(t, testcluster.New(t).Client) {
		got[kind] = map[string][]string{}
		walk(schemaOf(crd), "", func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			if len(schema.XListMapKeys) > 0 {
				got[kind][path] = schema.XListMapKeys
			}
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("map lists (-want +got):\n%s", diff)
	}
}

// TestExplained holds that kubectl explain has something to say about every kind and field, and every rule too.
func TestExplained(t *testing.T) {
	crds := installed(t, testcluster.New(t).Client)
	for _, kind := range slices.Sorted(maps.Keys(crds)) {
		walk(schemaOf(crds[kind]), "", func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			isElement := len(path) > 2 && path[len(path)-2:] == "[]"
			if schema.Description == "" && !isElement {
				t.Errorf("%s: %q has no description", kind, path)
			}
			if schema.XPreserveUnknownFields != nil {
				t.Errorf("%s: %q keeps unknown fields", kind, path)
			}
			for _, validation := range schema.XValidations {
				if validation.Message == "" {
					t.Errorf("%s: rule at %q has no message: %s", kind, path, validation.Rule)
				}
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

// TestStatusApart holds that a status is written through its subresource only, and that what has none refuses one.
func TestStatusApart(t *testing.T) {
	c := testcluster.New(t)
	pool := patched(t, builders.Pool(c.Namespace, "pool"), `{status: {available: 3}}`)
	if err := c.Client.Create(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	if status, found := pool.Object["status"]; found {
		t.Errorf("create took a status: %v", status)
	}
	class := patched(t, builders.VMClass("status-"+c.Namespace), "")
	if err := c.Client.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	removeLater(t, c, class)
	if err := c.Client.Status().Update(t.Context(), class); !apierrors.IsNotFound(err) {
		t.Errorf("want no status of a class, got %v", err)
	}
}

// removeLater deletes an object that no namespace takes with it.
func removeLater(t *testing.T, c *testcluster.Cluster, object client.Object) {
	t.Helper()
	if object.GetNamespace() != "" {
		return
	}
	t.Cleanup(func() {
		if err := c.Client.Delete(context.WithoutCancel(t.Context()), object); err != nil {
			t.Errorf("delete %s: %v", object.GetName(), err)
		}
	})
}

// TestStatusTaken holds that the statuses controllers write are accepted and read back whole.
func TestStatusTaken(t *testing.T) {
	c := testcluster.New(t)
	const condition = `{type: Ready, status: "True", reason: Reconciled, message: "", lastTransitionTime: "2026-01-02T03:04:05Z", observedGeneration: 1}`
	cases := map[string]struct {
		object client.Object
		status string
	}{
		"claim": {builders.Claim(c.Namespace, "claim"), `{phase: Bound, virtualMachineRef: {name: vm},
			addresses: [{type: InternalIP, address: 192.0.2.10}], tpmEndorsementCertificates: [pem],
			boundAt: "2026-01-02T03:04:05Z", expiresAt: "2026-01-02T04:04:05Z", nonce: old,
			conditions: [` + condition + `], observedGeneration: 1}`},
		"pool": {builders.Pool(c.Namespace, "pool"), `{replicas: 3, available: 0, provisioning: 2, claimed: 1,
			imageRevision: gen-4, conditions: [` + condition + `], observedGeneration: 1}`},
		"vm": {builders.VM(c.Namespace, "vm"), `{scheduled: {providerName: a, providerClass: libvirt, failureDomain: b,
			resolvedStorage: [{className: s, backendId: x}], resolvedNetworks: [{className: lan, backendId: default}],
			scheduledAt: "2026-01-02T03:04:05Z"}, infrastructureRef: {apiGroup: infrastructure.banlieue.io,
			kind: LibvirtMachine, name: vm, namespace: ns}, initialization: {provisioned: true},
			addresses: [{type: Hostname, address: vm}], observedPowerState: PoweredOff,
			tpmEndorsementCertificates: [pem], heldAddresses: [{interface: nic0, networkClass: lan, address: 192.0.2.10}],
			conditions: [` + condition + `], observedGeneration: 2}`},
		"image": {builders.VMImage("status-" + c.Namespace), `{buildArtifact: {kind: iso, phase: Ready, osArtifactRef: a,
			osArtifactUid: b, pvcRef: {name: c}, file: d, checksum: "sha256:e", reason: f, message: g,
			ociArtifact: {phase: Ready, reference: h, message: i}}, perProvider: [{providerName: a,
			providerNamespace: b, ready: false, resolvedRef: c, reason: Importing, message: d,
			zones: [{name: z, ready: true, reason: r, message: m, resolvedRef: x, templateFolder: f}]}],
			conditions: [` + condition + `], observedGeneration: 1}`},
		"provider": {builders.Provider(c.Namespace, "provider"), `{conditions: [` + condition + `],
			failureDomains: [{name: a, labels: {name: a}, attributes: {availableStorageClasses: [s],
			availableNetworkClasses: [lan], features: [vtpm], raw: {host: h}}}], ekCaCertificates: [pem],
			workload: {namespace: a, deploymentName: b, readyReplicas: 0, mode: Managed, observedGeneration: 1},
			observedGeneration: 1}`},
		"provider class": {builders.ProviderClass("status-" + c.Namespace), `{conditions: [` + condition + `],
			providers: 2, observedGeneration: 1}`},
		"libvirt machine": {builders.LibvirtMachine(c.Namespace, "vm"), `{initialization: {provisioned: true},
			addresses: [{type: InternalIP, address: 192.0.2.10}], addressSource: dhcpLease,
			conditions: [` + condition + `], domainUuid: 6f1c1b8e-0000-4000-8000-000000000001, failureDomain: a,
			guestInstalled: true, installMediaDetached: false, observedPowerState: PoweredOn, tpmAttached: false,
			tpmEndorsementCertificates: [pem], observedGeneration: 1}`},
		"vsphere machine": {builders.VSphereMachine(c.Namespace, "vm"), `{initialization: {provisioned: false},
			addresses: [{type: ExternalDNS, address: a.example}], conditions: [` + condition + `], vmRef: vm-1,
			instanceUuid: a, failureDomain: b, guestInstalled: false, observedPowerState: Suspended,
			tpmAttached: true, tpmEndorsementCertificates: [pem], observedGeneration: 1}`},
		"vsphere cluster": {builders.VSphereCluster(c.Namespace, "cluster"), `{initialization: {provisioned: true},
			controlPlaneEndpoint: {host: a, port: 6443}, failureDomains: [{name: a, controlPlane: false,
			attributes: {b: c}}], conditions: [` + condition + `], observedGeneration: 1}`},
	}
	strict := client.WithFieldValidation(c.Client, "Strict")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := patched(t, tc.object, "")
			if err := strict.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			removeLater(t, c, object)
			want := parsed(t, tc.status)
			object.Object["status"] = want
			if err := strict.Status().Update(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(normal(t, want), normal(t, object.Object["status"])); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			typedRoundTrip(t, c, object, tc.object)
		})
	}
}

// typedRoundTrip holds that the Go type carries all that the server holds.
func typedRoundTrip(t *testing.T, c *testcluster.Cluster, stored *unstructured.Unstructured, typed client.Object) {
	t.Helper()
	if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(stored), typed); err != nil {
		t.Fatal(err)
	}
	again := patched(t, typed, "")
	for _, part := range []string{"spec", "status"} {
		if diff := cmp.Diff(nonZero(normal(t, stored.Object[part])), nonZero(normal(t, again.Object[part]))); diff != "" {
			t.Errorf("Go type loses of %s (-stored +typed):\n%s", part, diff)
		}
	}
}

// nonZero leaves out what a Go type omits when it is zero: false, 0 and empty text, in objects.
func nonZero(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, member := range value {
			if member != false && member != 0.0 && member != "" {
				kept[key] = nonZero(member)
			}
		}
		return kept
	case []any:
		for i := range value {
			value[i] = nonZero(value[i])
		}
	}
	return value
}

// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"fmt"
	"strings"

	"github.com/lictor-dev/lictor/tests/builders"
)

func classCases() map[string]ruleCase {
	class := builders.VMClass("class")
	nic := func(reason, ipam, want string) ruleCase {
		return ruleCase{reason: reason, object: class, want: want, patch: fmt.Sprintf(
			`spec: {network: {interfaces: [{name: nic0, networkClass: lan, mtu: 1500, ipam: %s}]}}`, ipam)}
	}
	at := func(reason, spec, want string) ruleCase {
		return ruleCase{reason: reason, object: class, patch: `spec: ` + spec, want: want}
	}
	return named("class", map[string]ruleCase{
		"valid":         {reason: "the fixture is valid", object: class},
		"static":        nic("all but the address", `{static: {prefix: 24, gateway: 192.0.2.1, nameservers: [192.0.2.53], domain: a.example}}`, ""),
		"static IPv6":   nic("all but the address", `{static: {prefix: 64, gateway: "2001:db8::1"}}`, ""),
		"static empty":  nic("every field is optional", `{static: {}}`, ""),
		"pool":          nic("an IPAM pool", `{pool: {poolRef: {apiGroup: ipam.cluster.x-k8s.io, kind: InClusterIPPool, name: a, namespace: b}}}`, ""),
		"prefix 33":     nic("IPv4 has 32 bits", `{static: {prefix: 33, gateway: 192.0.2.1}}`, "prefix must be at most 32 with an IPv4 gateway"),
		"prefix 129":    nic("IPv6 has 128 bits", `{static: {prefix: 129}}`, wantAtMost128),
		"gateway":       nic("names are not resolved", `{static: {gateway: router}}`, wantIP),
		"nameserver":    nic("a resolver cannot resolve itself", `{static: {nameservers: [dns.example]}}`, wantIP),
		"address":       nic("a class is shared", `{static: {address: 192.0.2.1}}`, `unknown field "spec.network.interfaces[0].ipam.static.address"`),
		"no cpus":       at("something has to run", `{hardware: {cpus: 0}}`, "greater than or equal to 1"),
		"no memory":     at("nothing boots", `{hardware: {memoryMiB: 127}}`, "greater than or equal to 128"),
		"no disks":      at("something has to boot", `{hardware: {disks: []}}`, "should have at least 1 items"),
		"no interfaces": at("something has to be reached", `{network: {interfaces: []}}`, "should have at least 1 items"),
		"too many disks": at("no backend attaches more", `{hardware: {disks: [`+
			strings.Repeat(`{name: a, sizeGiB: 1, storageClass: b},`, 33)+`]}}`, "must have at most 32 items"),
		"small mtu": at("IPv4 needs 68 bytes", `{network: {interfaces: [{name: a, networkClass: b, ipam: {}, mtu: 67}]}}`, "greater than or equal to 68"),
		"firmware":  at("three kinds", `{firmware: uefi}`, `supported values: "bios", "efi", "efi-secure"`),
	})
}

func imageCases() map[string]ruleCase {
	image := builders.VMImage("image")
	checksum := func(reason, checksum, want string) ruleCase {
		return ruleCase{reason: reason, object: image, want: want, patch: fmt.Sprintf(
			`spec: {sources: [{providerClass: libvirt, kind: Url, ref: "", importFrom: "registry.example.com/a", checksum: %q}]}`, checksum)}
	}
	at := func(reason, spec, want string) ruleCase {
		return ruleCase{reason: reason, object: image, patch: `spec: ` + spec, want: want}
	}
	const want = "must be sha256: with 64 or sha512: with 128 hexadecimal digits"
	return named("image", map[string]ruleCase{
		"valid":        {reason: "the fixture is valid", object: image},
		"sha256":       checksum("64 digits", "sha256:"+strings.Repeat("0aF", 21)+"9", ""),
		"sha512":       checksum("128 digits", "sha512:"+strings.Repeat("a", 128), ""),
		"no algorithm": checksum("which one?", strings.Repeat("a", 64), want),
		"md5":          checksum("collisions are cheap", "md5:"+strings.Repeat("a", 32), want),
		"sha256 short": checksum("64 digits", "sha256:"+strings.Repeat("a", 63), want),
		"sha512 short": checksum("128 digits", "sha512:"+strings.Repeat("a", 64), want),
		"not a digit":  checksum("hexadecimal", "sha256:"+strings.Repeat("g", 64), want),
		"template":     at("everything by default", `{template: {network: [{}], disk: {}}}`, ""),
		"built": at("everything that a build needs", `{cloudConfigs: [{secretRef: {name: a, key: b}}],
			isoOverlay: {secretRef: {name: a}, files: [{key: a, path: b}]}, trustedBoot: {secretRef: {name: a}},
			template: {network: [{network: a, adapter: e1000, pciSlot: 192}]}}`, ""),
		"class twice":   at("keyed by class", `{sources: [{providerClass: a, kind: Template, ref: b}, {providerClass: a, kind: Template, ref: c}]}`, "Duplicate value"),
		"source kind":   at("three kinds", `{sources: [{providerClass: a, kind: URL, ref: b}]}`, `supported values: "Template", "BackingFile", "Url"`),
		"negative time": at("time does not run backwards", `{template: {installTimeoutSeconds: -1}}`, wantAtLeast0),
		"negative size": at("a disk has a size", `{template: {disk: {size: -1}}}`, wantAtLeast0),
		"adapter":       at("four models", `{template: {network: [{adapter: virtio}]}}`, `supported values: "vmxnet3"`),
	})
}

func providerCases(namespace string) map[string]ruleCase {
	provider := builders.Provider(namespace, "provider")
	trusting := provider.DeepCopy()
	trusting.Spec.Connection.CABundle = nil
	return joined(
		named("provider", map[string]ruleCase{
			"valid":           {reason: "the fixture is valid", object: provider},
			"no capabilities": {reason: "they are optional", object: provider, patch: `spec: {capabilities: null}`},
			"names": {reason: "zones may be named", object: provider,
				patch: `spec: {failureDomainNameOverrides: [{datacenter: a, cluster: b, name: c}]}`},
			"no endpoint": {reason: "there is nothing to reach", object: provider,
				patch: `spec: {connection: {endpoint: ""}}`, want: "should be at least 1 chars long"},
		}),
		named("provider CA bundle", caBundleCases(trusting, `spec: {connection: {caBundle: %s}}`)),
		named("provider EK bundle", caBundleCases(trusting, `spec: {attestation: {ekTrustBundle: %s}}`)),
		named("provider subnet", subnetCases(provider,
			`spec: {capabilities: {networkClasses: [{name: lan, subnet: %s}]}}`)),
		named("provider zone subnet", subnetCases(provider,
			`spec: {capabilities: {networkClasses: [{name: lan, perZoneSubnet: [{datacenter: a, cluster: b, subnet: %s}]}]}}`)),
	)
}

func providerClassCases() map[string]ruleCase {
	managed := builders.ProviderClass("managed")
	external := builders.ProviderClass("external")
	external.Spec.Deployment, external.Spec.Image = "External", nil
	const (
		wantImage   = "image is required while deployment is Managed"
		wantNoImage = "image has no use while deployment is External: remove image"
		wantNoPod   = "remove resources, nodeSelector and tolerations"
		wantRepo    = "must be an image repository such as"
		wantTag     = "must be an image tag"
		wantDigest  = "must be sha256: with 64 or sha512: with 128 lower-case hexadecimal digits"
	)
	image := func(reason, image, want string) ruleCase {
		return ruleCase{reason: reason, object: managed, patch: `spec: {image: ` + image + `}`, want: want}
	}
	return named("provider class", map[string]ruleCase{
		"Managed":  {reason: "the fixture is valid", object: managed},
		"External": {reason: "an identity only", object: external},
		"Managed by default": {reason: "the rules see defaults", object: managed,
			patch: `spec: {deployment: null, image: null}`, want: wantImage},
		"pod shape": {reason: "a managed pod has a shape", object: managed, patch: `spec: {workloadNamespace: a, resources: {limits: {cpu: "1"}},
			nodeSelector: {a: b}, tolerations: [{operator: Exists}], logging: {level: info, format: json},
			additionalRules: [{apiGroups: [batch], resources: [jobs], verbs: [get]}]}`},
		"Managed without image":       {reason: "nothing to run", object: managed, patch: `spec: {image: null}`, want: wantImage},
		"External with image":         {reason: "nothing runs it", object: external, patch: `spec: {image: {repository: a, tag: b}}`, want: wantNoImage},
		"External with resources":     {reason: "no pod", object: external, patch: `spec: {resources: {}}`, want: wantNoPod},
		"External with node selector": {reason: "no pod", object: external, patch: `spec: {nodeSelector: {a: b}}`, want: wantNoPod},
		"External with tolerations":   {reason: "no pod", object: external, patch: `spec: {tolerations: [{operator: Exists}]}`, want: wantNoPod},
		"External with replicas":      {reason: "they have a default, so they are always set", object: external, patch: `spec: {replicas: 2}`},
		"digest":                      image("digest beside tag", `{digest: "sha256:`+strings.Repeat("a", 64)+`", pullPolicy: Always, pullSecrets: [{name: a}]}`, ""),
		"digest sha512":               image("digest beside tag", `{digest: "sha512:`+strings.Repeat("a", 128)+`"}`, ""),
		"registry port":               image("a port is part of it", `{repository: "registry.example.com:5000/a/b"}`, ""),
		"registry IPv6":               image("brackets are part of it", `{repository: "[2001:db8::1]:5000/a"}`, ""),
		"repository empty":            image("nothing to pull", `{repository: ""}`, wantRepo),
		"repository with scheme":      image("images have none", `{repository: "https://a/b"}`, wantRepo),
		"repository with digest":      image("it has its own field", `{repository: "a@sha256:b"}`, wantRepo),
		"repository with space":       image("cannot be pulled", `{repository: "a b"}`, wantRepo),
		"tag empty":                   image("cannot be pulled", `{tag: ""}`, wantTag),
		"tag with colon":              image("cannot be pulled", `{tag: "a:b"}`, wantTag),
		"digest short":                image("64 digits", `{digest: "sha256:aa"}`, wantDigest),
		"digest upper case":           image("registries compare text", `{digest: "sha256:`+strings.Repeat("A", 64)+`"}`, wantDigest),
		"negative replicas":           {reason: "counts are not negative", object: managed, patch: `spec: {replicas: -1}`, want: wantAtLeast0},
		"no backend":                  {reason: "nothing to run", object: managed, patch: `spec: {backend: ""}`, want: "should be at least 1 chars long"},
	})
}

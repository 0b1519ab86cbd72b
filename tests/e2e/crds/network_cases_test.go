// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	wantIP        = "must be one IPv4 or IPv6 address"
	wantPrefix    = "prefix must be at most 32 for an IPv4 address"
	wantGateway   = "gateway must be of the same IP family as address"
	wantOneSource = "set exactly one of inline, configMapRef and secretRef"
	wantAtMost128 = "should be less than or equal to 128"
	wantAtLeast0  = "should be greater than or equal to 0"
)

// staticIpamCases are about a StaticIpamConfig; place is a patch with %s where it belongs.
func staticIpamCases(object client.Object, place string) map[string]ruleCase {
	at := func(reason, static, want string) ruleCase {
		return ruleCase{reason: reason, object: object, patch: fmt.Sprintf(place, static), want: want}
	}
	return map[string]ruleCase{
		"IPv4": at("a complete IPv4 configuration",
			`{address: 192.0.2.10, prefix: 24, gateway: 192.0.2.1, nameservers: [192.0.2.53, "2001:db8::53"], domain: a.example}`, ""),
		"IPv6": at("a complete IPv6 configuration",
			`{address: "2001:db8::10", prefix: 64, gateway: "2001:db8::1", nameservers: ["2001:db8::53"]}`, ""),
		"IPv4 host prefix":  at("32 bits are a host", `{address: 192.0.2.10, prefix: 32}`, ""),
		"IPv6 host prefix":  at("128 bits are a host", `{address: "2001:db8::10", prefix: 128}`, ""),
		"prefix zero":       at("the contract allows it", `{address: 192.0.2.10, prefix: 0}`, ""),
		"nulls":             at("clients of the reference send them", `{address: 192.0.2.10, prefix: 24, gateway: null, domain: null}`, ""),
		"octet too large":   at("octets end at 255", `{address: 192.0.2.300, prefix: 24}`, wantIP),
		"address is a CIDR": at("prefix has its own field", `{address: 192.0.2.10/24, prefix: 24}`, wantIP),
		"address is empty":  at("an address is needed", `{address: "", prefix: 24}`, wantIP),
		"address is a name": at("names are not resolved", `{address: host.example, prefix: 24}`, wantIP),
		"IPv4 prefix 33":    at("IPv4 has 32 bits", `{address: 192.0.2.10, prefix: 33}`, wantPrefix),
		"IPv6 prefix 129":   at("IPv6 has 128 bits", `{address: "2001:db8::10", prefix: 129}`, wantAtMost128),
		"negative prefix":   at("bits cannot be negative", `{address: 192.0.2.10, prefix: -1}`, wantAtLeast0),
		"gateway is a name": at("names are not resolved", `{address: 192.0.2.10, prefix: 24, gateway: router}`, wantIP),
		"gateway of other family": at("an IPv4 host cannot use an IPv6 gateway",
			`{address: 192.0.2.10, prefix: 24, gateway: "2001:db8::1"}`, wantGateway),
		"nameserver is a name": at("a resolver cannot resolve itself",
			`{address: 192.0.2.10, prefix: 24, nameservers: [192.0.2.53, dns.example]}`, wantIP),
	}
}

// ipamCases are about an IpamSpec.
func ipamCases(object client.Object, place string) map[string]ruleCase {
	at := func(reason, ipam string) ruleCase {
		return ruleCase{reason: reason, object: object, patch: fmt.Sprintf(place, ipam)}
	}
	const pool = `pool: {poolRef: {apiGroup: ipam.cluster.x-k8s.io, kind: InClusterIPPool, name: a, namespace: b}}`
	return joined(staticIpamCases(object, fmt.Sprintf(place, `{static: %s}`)), map[string]ruleCase{
		"DHCP":            at("nothing stated", `{}`),
		"pool":            at("an IPAM pool", `{`+pool+`}`),
		"static and pool": at("static wins", `{static: {address: 192.0.2.10, prefix: 24}, `+pool+`}`),
	})
}

// subnetCases are about a SubnetShape.
func subnetCases(object client.Object, place string) map[string]ruleCase {
	at := func(reason, subnet, want string) ruleCase {
		return ruleCase{reason: reason, object: object, patch: fmt.Sprintf(place, subnet), want: want}
	}
	return map[string]ruleCase{
		"complete":             at("a complete subnet", `{gateway: 192.0.2.1, nameservers: [192.0.2.53], domain: a.example}`, ""),
		"empty":                at("every field is optional", `{}`, ""),
		"gateway is a name":    at("names are not resolved", `{gateway: router}`, wantIP),
		"nameserver is a name": at("a resolver cannot resolve itself", `{nameservers: [dns.example]}`, wantIP),
	}
}

// caBundleCases are about a CABundleSource.
func caBundleCases(object client.Object, place string) map[string]ruleCase {
	at := func(reason, source, want string) ruleCase {
		return ruleCase{reason: reason, object: object, patch: fmt.Sprintf(place, source), want: want}
	}
	return map[string]ruleCase{
		"inline":     at("one source", `{inline: "-----BEGIN CERTIFICATE-----"}`, ""),
		"ConfigMap":  at("one source, key by default", `{configMapRef: {name: ca}}`, ""),
		"Secret":     at("one source, key stated", `{secretRef: {name: ca, key: root.pem}}`, ""),
		"no source":  at("none of the sources is not one", `{}`, wantOneSource),
		"two":        at("which one would win?", `{inline: x, configMapRef: {name: ca}}`, wantOneSource),
		"two others": at("which one would win?", `{secretRef: {name: ca}, configMapRef: {name: ca}}`, wantOneSource),
		"three":      at("three are odd, too", `{inline: x, secretRef: {name: ca}, configMapRef: {name: ca}}`, wantOneSource),
	}
}

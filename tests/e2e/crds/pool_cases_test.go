// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"fmt"
	"strings"

	"github.com/lictor-dev/lictor/tests/builders"
)

func poolCases(namespace string) map[string]ruleCase {
	pool := builders.Pool(namespace, "pool")
	const wantSize = "warmReplicas must not be greater than maxReplicas: lower warmReplicas or raise maxReplicas"
	return joined(
		named("pool", map[string]ruleCase{
			"valid":            {reason: "the fixture is valid", object: pool},
			"all warm":         {reason: "warm may equal max", object: pool, patch: `spec: {warmReplicas: 4, maxReplicas: 4}`},
			"empty":            {reason: "a pool may be switched off", object: pool, patch: `spec: {warmReplicas: 0, maxReplicas: 0}`},
			"warm above max":   {reason: "could never be warm", object: pool, patch: `spec: {warmReplicas: 4, maxReplicas: 3}`, want: wantSize},
			"negative warm":    {reason: "counts are not negative", object: pool, patch: `spec: {warmReplicas: -1}`, want: "spec.warmReplicas in body " + wantAtLeast0},
			"negative max":     {reason: "counts are not negative", object: pool, patch: `spec: {warmReplicas: 0, maxReplicas: -1}`, want: "spec.maxReplicas in body " + wantAtLeast0},
			"surge one":        {reason: "one at a time fills, too", object: pool, patch: `spec: {maxSurge: 1}`},
			"surge zero":       {reason: "could never fill", object: pool, patch: `spec: {maxSurge: 0}`, want: "spec.maxSurge in body should be greater than or equal to 1"},
			"timeout zero":     {reason: "the contract allows it", object: pool, patch: `spec: {provisioningTimeoutSeconds: 0}`},
			"timeout negative": {reason: "time does not run backwards", object: pool, patch: `spec: {provisioningTimeoutSeconds: -1}`, want: "spec.provisioningTimeoutSeconds in body " + wantAtLeast0},
			"idle":             {reason: "an hour", object: pool, patch: `spec: {maxIdleSeconds: 3600}`},
			"idle negative":    {reason: "time does not run backwards", object: pool, patch: `spec: {maxIdleSeconds: -1}`, want: "spec.maxIdleSeconds in body " + wantAtLeast0},
			"no readiness":     {reason: "there is no default", object: pool, patch: `spec: {readiness: null}`, want: "spec.readiness: Required value"},
			"other readiness":  {reason: "only two conditions can be waited for", object: pool, patch: `spec: {readiness: Ready}`, want: `supported values: "GuestReady", "InfrastructureReady"`},
			"nulls":            {reason: "clients of the reference send them", object: pool, patch: `spec: {maxIdleSeconds: null, addressing: null, maxSurge: null}`},
			"name of 63":       {reason: "label values hold 63 characters", object: builders.Pool(namespace, strings.Repeat("p", 63))},
			"name of 64":       {reason: "label values hold 63 characters", object: builders.Pool(namespace, strings.Repeat("p", 64)), want: "metadata.name must be at most 63 characters"},
		}),
		named("pool template", machineSpecCases(pool, `spec: {template: {spec: %s}}`)),
		named("pool template user data", userDataCases(pool, `spec: {template: {spec: {userData: %s}}}`)),
		named("pool template network", staticIpamCases(pool,
			`spec: {template: {spec: {networkOverrides: [{name: nic1, static: %s}]}}}`)),
		named("pool addressing", addressingCases(namespace)),
		named("pool entry", entryCases(namespace)),
	)
}

func addressingCases(namespace string) map[string]ruleCase {
	pool := builders.Pool(namespace, "pool", builders.PoolAddresses("192.0.2.10-192.0.2.20"))
	six := builders.Pool(namespace, "pool", builders.PoolAddresses("2001:db8::10-2001:db8::20"))
	const (
		wantPrefix  = "prefix must be at most 32 while pool has IPv4 entries"
		wantGateway = "gateway must be of the same IP family as every entry of pool"
	)
	many := strings.Repeat("192.0.2.10,", 1024)
	return map[string]ruleCase{
		"valid":        {reason: "the fixture is valid", object: pool},
		"complete":     {reason: "everything set", object: pool, patch: `spec: {addressing: {gateway: 192.0.2.1, nameservers: [192.0.2.53], domain: a.example}}`},
		"IPv6":         {reason: "everything set", object: six, patch: `spec: {addressing: {prefix: 64, gateway: "2001:db8::1"}}`},
		"mixed":        {reason: "families may be mixed below 33 bits", object: pool, patch: `spec: {addressing: {pool: [192.0.2.10, "2001:db8::10"]}}`},
		"prefix 33":    {reason: "IPv4 has 32 bits", object: pool, patch: `spec: {addressing: {prefix: 33}}`, want: wantPrefix},
		"mixed 64":     {reason: "the IPv4 entry has 32 bits", object: six, patch: `spec: {addressing: {prefix: 64, pool: ["2001:db8::10", 192.0.2.10]}}`, want: wantPrefix},
		"prefix 129":   {reason: "IPv6 has 128 bits", object: six, patch: `spec: {addressing: {prefix: 129}}`, want: wantAtMost128},
		"gateway":      {reason: "a CIDR is not a router", object: pool, patch: `spec: {addressing: {gateway: 192.0.2.1/24}}`, want: wantIP},
		"gateway IPv6": {reason: "an IPv4 member cannot use it", object: pool, patch: `spec: {addressing: {gateway: "2001:db8::1"}}`, want: wantGateway},
		"nameserver":   {reason: "a resolver cannot resolve itself", object: pool, patch: `spec: {addressing: {nameservers: [dns.example]}}`, want: wantIP},
		"no entries":   {reason: "no member could get an address", object: pool, patch: `spec: {addressing: {pool: []}}`, want: "should have at least 1 items"},
		"no interface": {reason: "some interface has to get the address", object: pool, patch: `spec: {addressing: {interface: ""}}`, want: "should be at least 1 chars long"},
		"most":         {reason: "the cost of checking stays within the budget", object: pool, patch: `spec: {addressing: {pool: [` + many + `]}}`},
		"too many":     {reason: "the cost of checking stays within the budget", object: pool, patch: `spec: {addressing: {pool: [` + many + `192.0.2.10]}}`, want: "must have at most 1024 items"},
	}
}

func entryCases(namespace string) map[string]ruleCase {
	pool := builders.Pool(namespace, "pool", builders.PoolAddresses("192.0.2.10"))
	const (
		wantEntry  = "must be one IP address such as 192.0.2.10, a range such as"
		wantCIDR   = "is not a CIDR: write an IP address, a slash and a prefix length"
		wantRange  = "is not a range: write two IP addresses with one hyphen and no spaces"
		wantFamily = "both ends of a range must be of one IP family"
		wantOrder  = "a range must run from low to high: swap its two ends"
	)
	at := func(reason, entry, want string) ruleCase {
		return ruleCase{reason: reason, object: pool, want: want,
			patch: fmt.Sprintf(`spec: {addressing: {prefix: 24, pool: [192.0.2.9, %q]}}`, entry)}
	}
	return map[string]ruleCase{
		"single":              at("one address", "192.0.2.10", ""),
		"single IPv6":         at("one address", "2001:db8::10", ""),
		"range":               at("low to high", "192.0.2.10-192.0.2.50", ""),
		"range of one":        at("inclusive at both ends", "192.0.2.10-192.0.2.10", ""),
		"range over octets":   at("compared as numbers, not as text", "192.0.2.200-192.0.10.3", ""),
		"range of everything": at("only the creates cost", "0.0.0.0-255.255.255.255", ""),
		"range IPv6":          at("low to high", "2001:db8::10-2001:db8::50", ""),
		"CIDR":                at("a block", "192.0.2.0/28", ""),
		"CIDR with host bits": at("the block that holds the address", "192.0.2.5/28", ""),
		"CIDR of everything":  at("only the creates cost", "0.0.0.0/0", ""),
		"CIDR IPv6":           at("a block", "2001:db8::/64", ""),
		"empty":               at("nothing is no address", "", wantEntry),
		"word":                at("names are not resolved", "somewhere", wantEntry),
		"octet too large":     at("octets end at 255", "192.0.2.256", wantEntry),
		"leading zero":        at("could be octal", "192.0.2.010", wantEntry),
		"list in a string":    at("one entry each", "192.0.2.10,192.0.2.11", wantEntry),
		"IPv4 prefix 33":      at("IPv4 has 32 bits", "192.0.2.0/33", wantCIDR),
		"IPv6 prefix 129":     at("IPv6 has 128 bits", "2001:db8::/129", wantCIDR),
		"no prefix":           at("a block has a length", "192.0.2.0/", wantCIDR),
		"netmask":             at("a length, not a mask", "192.0.2.0/255.255.255.0", wantCIDR),
		"no low end":          at("two ends", "-192.0.2.50", wantRange),
		"no high end":         at("two ends", "192.0.2.10-", wantRange),
		"short high end":      at("two complete addresses", "192.0.2.10-50", wantRange),
		"three ends":          at("two ends", "192.0.2.10-192.0.2.20-192.0.2.30", wantRange),
		"range with spaces":   at("no spaces", "192.0.2.10 - 192.0.2.50", wantRange),
		"range of CIDRs":      at("ends are addresses", "192.0.2.0/28-192.0.2.16/28", wantRange),
		"mixed families":      at("nothing is between them", "192.0.2.10-2001:db8::10", wantFamily),
		"reversed":            at("high before low", "192.0.2.50-192.0.2.10", wantOrder),
		"reversed by octets":  at("compared as numbers, not as text", "192.0.10.3-192.0.2.200", wantOrder),
		"too long":            at("no entry needs more", strings.Repeat("1", 92), "Too long: may not be more than 91"),
	}
}

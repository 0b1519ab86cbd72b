// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/tests/builders"
)

func machineCases(namespace string) map[string]ruleCase {
	vm := builders.VM(namespace, "vm")
	at := func(reason, spec, want string) ruleCase {
		return ruleCase{reason: reason, object: vm, patch: `spec: ` + spec, want: want}
	}
	return joined(
		named("vm", map[string]ruleCase{
			"valid": {reason: "the fixture is valid", object: vm},
			"nulls": at("clients of the reference send them",
				`{placement: null, userData: null, hardwareOverride: null, folder: null, paused: null}`, ""),
			"placement": at("everything set", `{placement: {providerSelector: {matchLabels: {a: b}},
				failureDomainSelector: {matchExpressions: [{key: name, operator: In, values: [x]}]},
				antiAffinity: [{topologyKey: host, labelSelector: {}, mode: preferred}]}}`, ""),
			"operator": at("selectors compare in four ways",
				`{placement: {providerSelector: {matchExpressions: [{key: a, operator: Like}]}}}`,
				`supported values: "In", "NotIn", "Exists", "DoesNotExist"`),
			"anti-affinity": at("two modes", `{placement: {antiAffinity: [{topologyKey: host, labelSelector: {}, mode: soft}]}}`,
				`supported values: "required", "preferred"`),
			"power state": at("three states", `{desiredPowerState: "On"}`,
				`supported values: "PoweredOn", "PoweredOff", "Suspended"`),
			"migration": at("three policies", `{migrationPolicy: always}`,
				`supported values: "automatic", "manual", "never"`),
			"least hardware":    at("lower bounds", `{hardwareOverride: {cpus: 1, memoryMiB: 128, diskOverrides: [{name: os, sizeGiB: 1}]}}`, ""),
			"most hardware":     at("upper bounds", `{hardwareOverride: {cpus: 256, memoryMiB: 4194304, diskOverrides: [{name: os, sizeGiB: 65536}]}}`, ""),
			"no cpus":           at("something has to run", `{hardwareOverride: {cpus: 0}}`, "greater than or equal to 1"),
			"too many cpus":     at("no backend has more", `{hardwareOverride: {cpus: 257}}`, "less than or equal to 256"),
			"too little memory": at("nothing boots", `{hardwareOverride: {memoryMiB: 127}}`, "greater than or equal to 128"),
			"too much memory":   at("no backend has more", `{hardwareOverride: {memoryMiB: 4194305}}`, "less than or equal to 4194304"),
			"empty disk":        at("a disk has a size", `{hardwareOverride: {diskOverrides: [{name: os, sizeGiB: 0}]}}`, "greater than or equal to 1"),
			"huge disk":         at("no backend has larger", `{hardwareOverride: {diskOverrides: [{name: os, sizeGiB: 65537}]}}`, "less than or equal to 65536"),
			"disk twice": at("keyed by name",
				`{hardwareOverride: {diskOverrides: [{name: os, sizeGiB: 1}, {name: os, sizeGiB: 2}]}}`, "Duplicate value"),
			"interface twice": at("keyed by name", `{networkOverrides: [{name: a, static: {address: 192.0.2.1, prefix: 24}},
				{name: a, static: {address: 192.0.2.2, prefix: 24}}]}`, "Duplicate value"),
		}),
		named("vm user data", userDataCases(vm, `spec: {userData: %s}`)),
		named("vm network", staticIpamCases(vm, `spec: {networkOverrides: [{name: nic0, static: %s}]}`)),
	)
}

// userDataCases are about a UserDataSource.
func userDataCases(object client.Object, place string) map[string]ruleCase {
	const want = "set exactly one of secretRef and configMapRef, and remove the other"
	at := func(reason, source, want string) ruleCase {
		return ruleCase{reason: reason, object: object, patch: fmt.Sprintf(place, source), want: want}
	}
	return map[string]ruleCase{
		"Secret":    at("one source", `{secretRef: {name: a}}`, ""),
		"ConfigMap": at("one source", `{configMapRef: {name: a, key: b}}`, ""),
		"none":      at("no source is not one", `{}`, want),
		"both":      at("which one would win?", `{secretRef: {name: a}, configMapRef: {name: a}}`, want),
		"null":      at("a null is not a source", `{secretRef: {name: a}, configMapRef: null}`, ""),
	}
}

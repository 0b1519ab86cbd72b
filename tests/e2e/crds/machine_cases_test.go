// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/tests/builders"
)

func machineCases(namespace string) map[string]ruleCase {
	vm := builders.VM(namespace, "vm")
	return joined(
		named("vm", map[string]ruleCase{"valid": {reason: "the fixture is valid", object: vm}}),
		named("vm spec", machineSpecCases(vm, `spec: %s`)),
		named("vm user data", userDataCases(vm, `spec: {userData: %s}`)),
		named("vm network", staticIpamCases(vm, `spec: {networkOverrides: [{name: nic0, static: %s}]}`)),
	)
}

// machineSpecCases are about a VirtualMachineSpec; place is a patch with %s where it belongs.
func machineSpecCases(object client.Object, place string) map[string]ruleCase {
	at := func(reason, spec, want string) ruleCase {
		return ruleCase{reason: reason, object: object, patch: fmt.Sprintf(place, spec), want: want}
	}
	const selector = `{matchLabels: {a: b}, matchExpressions: [{key: name, operator: In, values: [x]}]}`
	return map[string]ruleCase{
		"nulls": at("clients of the reference send them",
			`{placement: null, userData: null, hardwareOverride: null, folder: null, paused: null}`, ""),
		"placement": at("everything set", `{placement: {providerSelector: `+selector+`, failureDomainSelector: `+selector+`,
			antiAffinity: [{topologyKey: host, labelSelector: `+selector+`, mode: preferred}]}}`, ""),
		"open placement": at("empty selectors pick everything", `{placement: {providerSelector: {},
			antiAffinity: [{topologyKey: host, labelSelector: {}}]}}`, ""),
		"least hardware": at("lower bounds",
			`{hardwareOverride: {cpus: 1, memoryMiB: 128, diskOverrides: [{name: os, sizeGiB: 1}]}}`, ""),
		"most hardware": at("upper bounds",
			`{hardwareOverride: {cpus: 256, memoryMiB: 4194304, diskOverrides: [{name: os, sizeGiB: 65536}]}}`, ""),
		"disk twice": at("keyed by name",
			`{hardwareOverride: {diskOverrides: [{name: os, sizeGiB: 1}, {name: os, sizeGiB: 2}]}}`, "Duplicate value"),
		"interface twice": at("keyed by name", `{networkOverrides: [{name: a, static: {address: 192.0.2.1, prefix: 24}},
			{name: a, static: {address: 192.0.2.2, prefix: 24}}]}`, "Duplicate value"),
	}
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

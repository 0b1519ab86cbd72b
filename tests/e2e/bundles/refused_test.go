// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"testing"
	"time"
)

// refusedEdit is an edit that must not come into force.
type refusedEdit struct {
	// edit changes the claims bundle, or a second one that joins the shipped ones.
	edit func(claims, extra *folder)
	// want is a part of what is said.
	want string
	// longer is what the check itself takes.
	longer time.Duration
}

func refusedEdits() map[string]refusedEdit {
	inRank := func(text string) func(claims, _ *folder) {
		return func(claims, _ *folder) { claims.append("rank.rego", text) }
	}
	inData := func(old, with string) func(claims, _ *folder) {
		return func(claims, _ *folder) { claims.replace("data.yaml", old, with) }
	}
	const anEffect = "          - {type: event}"
	return map[string]refusedEdit{
		"it does not parse":                    {edit: inRank("this is not policy"), want: "rego_parse_error"},
		"it is sloppy, as strict mode sees it": {edit: inRank("sloppy if { unused := 1 }"), want: "unused"},
		"it misspells a field of the schema": {
			edit: func(claims, _ *folder) {
				claims.replace("step.rego", "time.parse_rfc3339_ns(input.object.status.expiresAt)", "time.parse_rfc3339_ns(input.object.status.expiresAtt)")
			},
			want: "expiresAtt",
		},
		"it reads a clock":       {edit: inRank("now := time.now_ns()"), want: "undefined function time.now_ns"},
		"it reaches the network": {edit: inRank(`page := http.send({"method": "get", "url": "http://127.0.0.1"})`), want: "undefined function http.send"},
		"it drops an entrypoint": {
			edit: func(claims, _ *folder) { claims.remove("rank.rego") },
			want: "entrypoint data.lictor.claims.rank is not defined",
		},
		"it breaks its own contract": {
			edit: func(claims, _ *folder) { claims.replace("wait.rego", `"PoolNotFound"`, `"NoSuchPool"`) },
			want: `vector "step waits for a pool that does not exist"`,
		},
		"it never ends": {
			edit: func(claims, _ *folder) {
				claims.replace("rank.rego", "_order := [", "_order := [0] if {\n"+endless+"} else := [")
			},
			want:   "(Timeout)",
			longer: 2 * time.Second, // a decision's timeout, and a margin
		},
		"two bundles claim one root": {
			edit: func(_, extra *folder) {
				extra.write("extra.rego", "package lictor.claims.extra\n\nanswer := 42\n")
				extra.write(".manifest", `{"roots": ["lictor/claims/extra"], "rego_version": 1}`)
			},
			want: `root "lictor/claims" contains or equals root "lictor/claims/extra"`,
		},
		"it would write Secrets": {
			edit: inData(anEffect, anEffect+"\n          - {type: create, apiVersion: v1, kind: Secret}"),
			want: "no bundle may write Secret (kernel rule 7)",
		},
		"it would write ClusterRoles": {
			edit: inData(anEffect, anEffect+"\n          - {type: apply, apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}"),
			want: "no bundle may write ClusterRole.rbac.authorization.k8s.io (kernel rule 7)",
		},
		"it registers what nobody knows": {
			edit: inData(anEffect, anEffect+"\n        efects: []"),
			want: `unknown field "efects"`,
		},
		"it registers a kind that is not installed": {
			edit: inData("{apiVersion: banlieue.io/v1alpha1, kind: VirtualMachinePool}, name:", "{apiVersion: nobody.example.com/v1, kind: Nothing}, name:"),
			want: "install its CRD first",
		},
		"its data does not parse": {edit: inData("lictor:", "lictor: ]"), want: "data.yaml"},
	}
}

// endless needs no memory and does not end within anybody's life.
const endless = `	some a in numbers.range(1, 100000)
	some b in numbers.range(1, 100000)
	some c in numbers.range(1, 100000)
	a + b + c < 0
`

const (
	extraManifest = `{"roots": ["lictor/extra"], "rego_version": 1}`
	extraPolicy   = "package lictor.extra\n\nanswer := 42\n"
)

// extraBundle joins the shipped bundles and decides nothing.
func extraBundle(t testing.TB) *folder {
	t.Helper()
	f := newFolder(t, "extra")
	f.write(".manifest", extraManifest)
	f.write("extra.rego", extraPolicy)
	return f
}

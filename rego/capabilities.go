// SPDX-License-Identifier: Apache-2.0

package rego

import "github.com/open-policy-agent/opa/v1/ast"

// withheldBuiltins are the builtins that bundles are compiled without, each with the reason.
// A test proves that every builtin that OPA marks as nondeterministic is in this list. Others are bounded (bounded.go).
func withheldBuiltins() map[string]string {
	const (
		clock      = "a clock: time is input.now, so that a decision can be replayed"
		network    = "network: a decision reads only its input"
		randomness = "randomness: the same input must give the same answer"
		unbounded  = "time: "
	)
	return map[string]string{
		"time.now_ns":             clock,
		"http.send":               network,
		"json.match_schema":       "network: a schema may refer to another host",
		"json.verify_schema":      "network: a schema may refer to another host",
		"net.lookup_ip_addr":      network,
		"opa.runtime":             "environment: policy must not depend on where it runs",
		"rand.intn":               randomness,
		"uuid.rfc4122":            randomness,
		"io.jwt.encode_sign":      randomness,
		"io.jwt.encode_sign_raw":  randomness,
		"io.jwt.decode_verify":    "a clock: it judges exp and nbf by the wall clock",
		"net.cidr_expand":         "memory: a /0 expands to every address",
		"graph.reachable_paths":   unbounded + "ten nodes can have a million paths, and nothing interrupts finding them",
		"json.patch":              unbounded + "each copy operation can double the document",
		"strings.render_template": unbounded + "a template is a program of its own, whose loops nothing interrupts",
		"trace":                   "side effect: explanations come from the engine",
		"crypto.x509.parse_and_verify_certificates":              "a clock: it judges validity by the wall clock",
		"crypto.x509.parse_and_verify_certificates_with_options": "a clock: it judges validity by the wall clock unless told otherwise",
	}
}

// capabilities returns what bundles may use: this OPA version's builtins without the withheld ones, and no network.
func capabilities() *ast.Capabilities {
	withheld := withheldBuiltins()
	caps := ast.CapabilitiesForThisVersion()
	kept := caps.Builtins[:0]
	for _, b := range caps.Builtins {
		if _, gone := withheld[b.Name]; !gone {
			kept = append(kept, b)
		}
	}
	caps.Builtins = kept
	caps.AllowNet = []string{}
	return caps
}

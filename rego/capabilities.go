// SPDX-License-Identifier: Apache-2.0

package rego

import "github.com/open-policy-agent/opa/v1/ast"

// withheldBuiltins are the builtins that bundles are compiled without, each with the reason.
// A test proves that every builtin that OPA marks as nondeterministic is in this list.
func withheldBuiltins() map[string]string {
	return map[string]string{
		"time.now_ns":          "a clock: time is input.now, so that a decision can be replayed",
		"http.send":            "network: a decision reads only its input",
		"net.lookup_ip_addr":   "network: DNS answers change",
		"opa.runtime":          "environment: policy must not depend on where it runs",
		"rand.intn":            "randomness: the same input must give the same answer",
		"uuid.rfc4122":         "randomness: the same input must give the same answer",
		"io.jwt.decode_verify": "a clock: it judges exp and nbf by the wall clock",
		"crypto.x509.parse_and_verify_certificates": "a clock: it judges validity by the wall clock; the _with_options variant takes a time",
		"net.cidr_expand": "memory: a /0 expands to every address",
		"trace":           "side effect: explanations come from the engine",
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

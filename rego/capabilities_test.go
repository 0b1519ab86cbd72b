// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"
)

// TestWithheldBuiltins proves that nothing nondeterministic is left, that each withheld builtin exists, and that each has
// its reason.
func TestWithheldBuiltins(t *testing.T) {
	withheld := withheldBuiltins()
	known := map[string]bool{}
	for _, b := range ast.CapabilitiesForThisVersion().Builtins {
		known[b.Name] = true
		if b.Nondeterministic {
			require.Contains(t, withheld, b.Name, "OPA marks it as nondeterministic")
		}
	}
	for name, reason := range withheld {
		require.True(t, known[name], "%s is not a builtin of this OPA; remove it", name)
		require.NotEmpty(t, reason)
	}
	for _, b := range capabilities().Builtins {
		require.NotContains(t, withheld, b.Name)
	}
	require.Empty(t, capabilities().AllowNet)
	require.NotNil(t, capabilities().AllowNet, "nil would allow every host")
}

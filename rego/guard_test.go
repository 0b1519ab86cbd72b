// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/stretchr/testify/require"
)

// TestStuckBuiltin proves that nobody waits for a builtin that never returns, that only so many are left behind, and that
// the engine decides again when they end.
func TestStuckBuiltin(t *testing.T) {
	release := make(chan struct{})
	builtin := &ast.Builtin{Name: "lictor.test.stuck", Decl: types.NewFunction(types.Args(types.A), types.A)}
	ast.RegisterBuiltin(builtin)
	topdown.RegisterBuiltinFunc(builtin.Name, func(_ topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		if operands[0].Value.Compare(ast.String("you")) != 0 {
			<-release
		}
		return iter(operands[0])
	})
	e := demoEngine(t, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	require.NoError(t, e.Activate(t.Context(), []*Bundle{step(`step := {"step": "Greet", "text": sprintf("hello %s", [lictor.test.stuck(input.object.name)])}`).load(t)}))
	ask := func(name string) error {
		_, err := e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": name}}))
		return err
	}
	var none *NoDecisionError
	for i := range maxAbandoned {
		require.ErrorAs(t, ask("me"), &none)
		require.Equal(t, CauseTimeout, none.Cause)
		require.Equal(t, map[string]float64{"": float64(i + 1)}, series(t, e.config.Metrics.abandoned))
	}
	err := ask("you")
	require.ErrorAs(t, err, &none)
	require.Equal(t, CauseTimeout, none.Cause)
	require.ErrorIs(t, err, errAbandoned, "a core that is busy with abandoned work has no time for more")
	close(release)
	require.Eventually(t, func() bool { return ask("you") == nil && series(t, e.config.Metrics.abandoned)[""] == 0 },
		5*time.Second, time.Millisecond, "the engine recovers by itself")
}

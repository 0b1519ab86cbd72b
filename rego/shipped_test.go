// SPDX-License-Identifier: Apache-2.0

package rego_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/bundles"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

// TestShippedAnswersHaveTheirShape asks the shipped bundles every contract vector that they have, and validates each answer
// against the schema of what the registrations ask.
func TestShippedAnswersHaveTheirShape(t *testing.T) {
	outputs := map[string]string{}
	e := shippedEngine(t, outputs)
	asked := map[string]bool{}
	for _, v := range e.Vectors(t.Context(), t) {
		t.Run(v.Name, func(t *testing.T) {
			require.Contains(t, outputs, v.Decision, "nobody asks this")
			d, err := e.Decide(t.Context(), v.Decision, v.Input)
			require.NoError(t, err)
			require.NoError(t, e.ValidateResult(outputs[v.Decision], d))
			asked[v.Decision] = true
		})
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(outputs)), slices.Collect(maps.Keys(asked)))
}

// TestValidateResultRefuses proves that the validation above can fail.
func TestValidateResultRefuses(t *testing.T) {
	e := shippedEngine(t, map[string]string{})
	for name, answer := range map[string]any{
		"no step":         map[string]any{"effects": []any{}},
		"a misspelt step": map[string]any{"stepp": "Wait", "effects": []any{}},
		"a string":        "Wait",
	} {
		v, err := rego.NewValue(answer)
		require.NoError(t, err)
		require.Error(t, e.ValidateResult(decisionv1.SchemaStep, rego.Decision{Result: v}), name)
	}
	require.Error(t, e.ValidateResult(decisionv1.SchemaStep, rego.Decision{}), "no answer has no shape")
	require.Error(t, e.ValidateResult("none", rego.Decision{}), "there is no such schema")
}

// shippedEngine activates the shipped bundles, and fills in the output schema of each entrypoint that they register.
func shippedEngine(t *testing.T, outputs map[string]string) *rego.Engine {
	t.Helper()
	schemas, err := bundles.Schemas()
	require.NoError(t, err)
	metrics, err := rego.NewMetrics(prometheus.NewRegistry())
	require.NoError(t, err)
	e, err := rego.NewEngine(rego.Config{Schemas: schemas, Metrics: metrics, Log: logr.Discard(), Check: func(r *rego.Revision) ([]rego.Entrypoint, error) {
		reg, err := registry.Load(slices.Collect(maps.Keys(r.Bundles())), r.Data)
		if err != nil {
			return nil, err
		}
		for _, v := range reg.Views {
			outputs[v.Classify] = decisionv1.SchemaRank
		}
		for _, r := range reg.Reconcilers {
			outputs[r.Decision] = decisionv1.SchemaStep
		}
		var asked []rego.Entrypoint
		for path, output := range outputs {
			asked = append(asked, rego.Entrypoint{Path: path, Output: output})
		}
		return asked, nil
	}})
	require.NoError(t, err)
	source := rego.Source{Shipped: bundles.FS(), Names: bundles.Names()}
	loaded, err := source.Load()
	require.NoError(t, err)
	require.NoError(t, e.Activate(t.Context(), loaded))
	return e
}

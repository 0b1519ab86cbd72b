// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Vector is a contract vector, for tests from outside.
type Vector struct {
	Name, Decision string
	Input          Value
}

// Vectors are the active revision's contract vectors.
func (e *Engine) Vectors(ctx context.Context, t *testing.T) []Vector {
	t.Helper()
	all, err := e.Active().vectors(ctx, e.guard)
	require.NoError(t, err)
	var out []Vector
	for _, v := range all {
		out = append(out, Vector{Name: v.name, Decision: v.decision, Input: v.input})
	}
	return out
}

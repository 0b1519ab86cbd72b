// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkDecide measures what the engine adds to the evaluation of a small rule.
func BenchmarkDecide(b *testing.B) {
	e := demoEngine(b, nil)
	require.NoError(b, e.Activate(b.Context(), []*Bundle{greeting().load(b)}))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Decide(b.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "you"}})); err != nil {
			b.Fatal(err)
		}
	}
}

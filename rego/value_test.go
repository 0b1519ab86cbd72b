// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// data generates what unstructured Kubernetes objects hold.
func data(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Int64().AsAny(),
		rapid.Float64Range(-1e12, 1e12).Filter(func(f float64) bool { return f != math.Trunc(f) }).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := data(depth - 1)
	return rapid.OneOf(append(scalars,
		rapid.SliceOfN(inner, 0, 4).AsAny(),
		rapid.MapOfN(rapid.String(), inner, 0, 4).AsAny())...)
}

// TestValueRoundTrip proves that data survives becoming a policy value and back, converted at once or lazily.
func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOfN(rapid.String(), data(3), 0, 4).Draw(t, "object")
		strict, err := NewValue(want)
		require.NoError(t, err)
		got, err := strict.Go()
		require.NoError(t, err)
		require.EqualValues(t, want, got)
		lazy := Lazy(want)
		got, err = lazy.Go()
		require.NoError(t, err)
		require.EqualValues(t, want, got)
		require.Zero(t, strict.Compare(lazy))
	})
}

func TestLazyHoldsValues(t *testing.T) {
	inner, err := NewValue(map[string]any{"a": int64(1)})
	require.NoError(t, err)
	list, err := NewValue([]Value{inner, inner})
	require.NoError(t, err)
	got, err := Lazy(map[string]any{"items": list, "one": Lazy(map[string]any{"in": inner})}).Go()
	require.NoError(t, err)
	one := map[string]any{"a": int64(1)}
	require.Equal(t, map[string]any{"items": []any{one, one}, "one": map[string]any{"in": one}}, got)
}

func TestGoRefusesWhatIsNotJSON(t *testing.T) {
	_, err := Value{}.Go()
	require.Error(t, err)
	e := demoEngine(t, nil)
	require.Error(t, e.Activate(t.Context(), []*Bundle{step(`step := {"step": "x", {"a": 1}: 2}`).load(t)}), "an object key must be a string")
}

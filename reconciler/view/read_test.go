// SPDX-License-Identifier: Apache-2.0

package view

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lictor-dev/lictor/reconciler/registry"
)

// TestReadShowsTheNewestState: what was shown before must not be shown again after a change, nor after another ranking.
func TestReadShowsTheNewestState(t *testing.T) {
	f := newFixture(t)
	version, err := registry.ParsePointer("/metadata/resourceVersion")
	require.NoError(t, err)
	f.index.view.Fields = append(f.index.view.Fields, version)
	shown := func() any {
		s, err := f.index.Read(t.Context(), Group{Namespace: "ns", Name: "g"}, 1, false, types.NamespacedName{})
		require.NoError(t, err)
		plain, err := s.Value.Go()
		require.NoError(t, err)
		items := plain.(map[string]any)["a"].(map[string]any)["items"].([]any)
		return items[0].(map[string]any)["metadata"].(map[string]any)["resourceVersion"]
	}
	o := object("one", "g", "a", 1)
	f.index.Update(t.Context(), o)
	require.Equal(t, "1", shown())
	changed := o.DeepCopy()
	changed.SetResourceVersion("2")
	f.index.Update(t.Context(), changed)
	require.Equal(t, "2", shown())
	f.scope = map[string]any{"reverse": true}
	require.Equal(t, "2", shown())
}

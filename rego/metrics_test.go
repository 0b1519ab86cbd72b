// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMetricsForgetRevisions activates many revisions: only those that decide, and those just before, have series.
func TestMetricsForgetRevisions(t *testing.T) {
	e := demoEngine(t, nil)
	var bundles []*Bundle
	for i := range 5 {
		bundles = append(bundles, greeting().with(files{".manifest": fmt.Sprintf(`{"revision": "%d", "roots": ["lictor/demo"]}`, i)}).load(t))
	}
	takeOver := func(i int) (decided []string) {
		late := e.Active()
		require.NoError(t, e.Activate(t.Context(), bundles[i:i+1]))
		for _, r := range []*Revision{late, e.Active()} {
			if r != nil { // a decision may end after the takeover
				_, err := e.DecideIn(t.Context(), r, "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "me"}}))
				require.NoError(t, err)
			}
		}
		for labels := range series(t, e.config.Metrics.decisions) {
			decided = append(decided, labels[len("lictor.demo.step "):][:1])
		}
		return decided
	}
	require.ElementsMatch(t, []string{"0"}, takeOver(0))
	require.ElementsMatch(t, []string{"0", "1"}, takeOver(1))
	require.ElementsMatch(t, []string{"1", "2"}, takeOver(2))
	require.ElementsMatch(t, []string{"2", "1"}, takeOver(1), "one may come back")
	require.ElementsMatch(t, []string{"1", "3"}, takeOver(3))
	require.ElementsMatch(t, []string{"3", "4"}, takeOver(4))
	require.ElementsMatch(t, []string{"4"}, takeOver(4), "the same again")
	require.Equal(t, []string{bundles[3].Revision(), bundles[1].Revision(), bundles[2].Revision(), bundles[0].Revision()}, e.Active().Retired())
	require.Len(t, series(t, e.config.Metrics.bundles), 1)
}

func TestMetricsShowARefusal(t *testing.T) {
	e := demoEngine(t, nil)
	refused := func() float64 { return series(t, e.config.Metrics.refusal)[""] }
	require.Zero(t, refused())
	e.Refuse(errors.New("no"))
	require.Equal(t, 1.0, refused())
	require.NoError(t, e.Activate(t.Context(), []*Bundle{greeting().load(t)}))
	require.Zero(t, refused())
	e.Refuse(errors.New("no"))
	require.Equal(t, 1.0, refused())
	e.mended()
	require.Zero(t, refused(), "what is wanted is active")
}

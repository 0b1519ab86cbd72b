// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

func TestMetricsCountWhatHappensAndNameNoObject(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("a-pool-of-ours", builders.PoolSize(1, 2))
	w.Apply(w.NewClaim("a-claim-of-ours", "a-pool-of-ours"))
	member := w.UntilBound("a-claim-of-ours").Status.VirtualMachineRef.Name
	w.UntilWarm("a-pool-of-ours")

	code, text, err := w.Controller.Health("/healthz")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code, text)

	active := w.Controller.Bundles().Active
	require.Contains(t, active, "claims")
	for _, series := range []string{
		`lictor_decisions_total{entrypoint="lictor.claims.step",revision="` + active["claims"] + `"}`,
		`lictor_decision_duration_seconds_count{entrypoint="lictor.pools.plan"}`,
		`lictor_bundle_activations_total{result="activated"}`,
		`lictor_bundle_active{bundle="claims",revision="` + active["claims"] + `"}`,
		`lictor_reconcile_total{registration="claims.claims",revision="` + active["claims"] + `",step="Bind"}`,
		`lictor_reconcile_duration_seconds_count{registration="pools.pools"}`,
		`lictor_effects_total{outcome="done",type="bind"}`,
		`lictor_view_items{bucket="fresh",view="claims.members"}`,
		`lictor_leader`,
	} {
		require.Positive(t, w.Controller.Metric(series), series)
	}
	for _, name := range []string{"a-pool-of-ours", "a-claim-of-ours", member, w.Namespace} {
		require.NotContains(t, w.Controller.Metrics(), name, "there are too many objects for labels")
	}
}

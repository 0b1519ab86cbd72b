// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lictor-dev/lictor/tests/e2e/fixture"
	"github.com/lictor-dev/lictor/tests/process"
)

func TestWithoutPolicyNothingIsReadyAndNothingIsDecided(t *testing.T) {
	t.Parallel()
	claims := shipped(t, "claims")
	w := fixture.New(t, claims.dir)
	w.StartMachines()
	claims.append("rank.rego", "this is not policy")
	w.Apply(w.NewPool("pool"))
	w.Apply(w.NewClaim("mine", "pool"))

	w.Controller = process.Start(t, process.Options{Kubeconfig: w.Kubeconfig, Namespace: w.Namespace, Bundles: []string{claims.dir}})
	w.Until("the first activation has failed", func() error {
		return unlessContains(w.Controller.Bundles().LastError, "rego_parse_error")
	})
	writes := w.Writes()
	w.Throughout(3*time.Second, "it tries again, is not ready and decides nothing", func() error {
		require.Empty(t, w.Read(writes))
		code, _, err := w.Controller.Health("/readyz")
		require.Equal(t, http.StatusInternalServerError, code)
		return err
	})
	require.ErrorContains(t, w.Controller.Ready(), "rego_parse_error", "it says why")
	require.Greater(t, w.Controller.Metric(refusedSeries), 1.0)
	require.Nil(t, w.Controller.Bundles().Active)
	code, _, err := w.Controller.Health("/healthz")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, code, "restarting it would not help")

	claims.restore()
	w.Until("it is ready", w.Controller.Ready)
	require.Empty(t, w.Controller.Bundles().LastError)
	w.UntilBound("mine")
}

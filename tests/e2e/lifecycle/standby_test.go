// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
	"github.com/lictor-dev/lictor/tests/process"
)

// TestStandbyTakesOver is the only test with an election: the rights allow one lease.
func TestStandbyTakesOver(t *testing.T) {
	w := fixture.New(t)
	w.StartMachines()
	first := startElecting(w)
	w.Until("the first one leads", leads(first))
	w.WarmPool("pool", builders.PoolSize(1, 9))

	second := startElecting(w)
	for _, path := range []string{"/healthz", "/readyz"} {
		code, text, err := second.Health(path)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, code, text)
	}
	w.Apply(w.NewClaim("before", "pool"))
	w.UntilBound("before")
	require.Error(t, leads(second)())
	require.Empty(t, second.Series("lictor_effects_total"), "it does nothing")
	require.Equal(t, 1.0, first.Metric("lictor_leader"))

	first.Kill()
	w.Apply(w.NewClaim("after-a-crash", "pool"))
	w.UntilBound("after-a-crash")
	require.NoError(t, leads(second)())

	third := startElecting(w)
	holder := leaseHolder(w)
	second.Stop()
	require.NotEqual(t, holder, leaseHolder(w), "one that ends gives up its lease")
	w.Apply(w.NewClaim("after-an-end", "pool"))
	w.UntilBound("after-an-end")
	require.NoError(t, leads(third)())
}

func startElecting(w *fixture.World) *process.Controller {
	w.T.Helper()
	c := process.Start(w.T, process.Options{Kubeconfig: w.Kubeconfig, Namespace: w.Namespace, Elect: true, Args: []string{
		"--leader-election-lease-duration=3s", "--leader-election-renew-deadline=2s", "--leader-election-retry-period=500ms"}})
	w.Until("the controller is ready", c.Ready)
	return c
}

func leads(c *process.Controller) func() error {
	return func() error {
		if c.Metric("lictor_leader") == 1 {
			return nil
		}
		return errors.New("it does not lead")
	}
}

func leaseHolder(w *fixture.World) string {
	w.T.Helper()
	var lease coordinationv1.Lease
	key := client.ObjectKey{Namespace: process.SystemNamespace, Name: "lictor-controller"}
	require.NoError(w.T, w.Client.Get(w.T.Context(), key, &lease))
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

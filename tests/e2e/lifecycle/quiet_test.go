// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

func TestPassesThatChangeNothingWriteNothing(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(2, 3))
	for _, name := range []string{"bound", "waiting"} {
		w.Apply(w.NewClaim(name, map[string]string{"bound": "pool", "waiting": "no-pool"}[name]))
	}
	member := w.UntilBound("bound").Status.VirtualMachineRef.Name
	w.UntilClaim("waiting", v1alpha1.ConditionBound, "False", v1alpha1.ReasonPoolNotFound)
	w.UntilWarm("pool")
	w.Until("the pool has counted everybody", func() error {
		s := w.Pool("pool").Status
		return unlessEqual("2 0 1", fmt.Sprint(s.Available, s.Provisioning, s.Claimed))
	})
	writes := w.Writes()
	untilQuiet(w, writes)
	before, passesBefore := len(w.Read(writes)), passes(w)

	// Others may write; it makes the controller look, and find nothing to do.
	for _, what := range []string{"vmpool/pool", "vmclaim/bound", "vmclaim/waiting", "vm/" + member, "vmimage/" + w.Image} {
		w.Kubectl.Run("annotate", what, "looked-at=by-the-test")
	}
	w.Throughout(5*time.Second, "nothing is written", func() error {
		return unlessEqual(before, len(w.Read(writes)))
	})
	require.GreaterOrEqual(t, passes(w)-passesBefore, 5.0, "a pass for each change, and the waiting claim's own")
}

// untilQuiet waits until nothing was written for a second.
func untilQuiet(w *fixture.World, writes *testcluster.AuditReader) {
	last, since := -1, time.Now()
	w.Until("nothing was written for a second", func() error {
		if now := len(w.Read(writes)); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) < time.Second {
			return fmt.Errorf("%d writes so far", last)
		}
		return nil
	})
}

// passes is how many passes there were.
func passes(w *fixture.World) (sum float64) {
	for _, series := range w.Controller.Series("lictor_reconcile_total") {
		sum += series
	}
	return sum
}

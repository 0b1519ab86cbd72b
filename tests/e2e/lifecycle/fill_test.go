// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

func TestPoolFillsToWarmAndKubectlShowsIt(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(3, 5))

	pool := w.Pool("pool")
	require.Equal(t, int32(3), pool.Status.Replicas)
	require.Equal(t, pool.Generation, pool.Status.ObservedGeneration)
	require.Equal(t, "gen-1", pool.Status.ImageRevision, "the image was written once and is not built")
	requireCondition(t, pool.Status.Conditions, v1alpha1.ConditionWarm, metav1.ConditionTrue, v1alpha1.ReasonWarm)
	requireCondition(t, pool.Status.Conditions, v1alpha1.ConditionCapacity, metav1.ConditionTrue, "Available")
	for _, vm := range w.Members("pool") {
		require.Equal(t, map[string]string{v1alpha1.LabelPool: "pool", v1alpha1.LabelPoolImageRevision: "gen-1"}, vm.Labels)
		require.Equal(t, []metav1.OwnerReference{*metav1.NewControllerRef(pool, kind("VirtualMachinePool"))}, vm.OwnerReferences)
		require.Equal(t, v1alpha1.MigrationNever, vm.Spec.MigrationPolicy)
		require.Equal(t, w.Image, vm.Spec.ImageRef.Name)
	}

	w.Apply(w.NewClaim("mine", "pool"))
	claim := w.UntilBound("mine")
	w.UntilWarm("pool")
	w.Until("the pool counts the claimed member", func() error {
		return unlessEqual("3 3 0 1", columns(w.Kubectl.Run("get", "vmpool", "pool"), "WARM", "AVAILABLE", "PROVISIONING", "CLAIMED"))
	})
	require.Equal(t, "mine pool "+claim.Status.VirtualMachineRef.Name+" Bound "+claim.Status.ExpiresAt.UTC().Format(time.RFC3339),
		columns(w.Kubectl.Run("get", "vmclaim", "mine"), "NAME", "POOL", "VM", "PHASE", "EXPIRES"))
	require.Equal(t, "class "+w.Image,
		columns(w.Kubectl.Run("get", "vm", claim.Status.VirtualMachineRef.Name), "CLASS", "IMAGE"))
}

func TestPoolFillsNoFasterThanSurge(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.StartController()
	w.Apply(w.NewPool("pool", builders.PoolSize(5, 9), builders.PoolSurge(2)))

	for ready := range 5 {
		want := min(2, 5-ready)
		w.Until(fmt.Sprintf("%d machines are being provisioned", want), func() error {
			p := w.Pool("pool").Status
			if p.Provisioning != int32(want) || p.Available != int32(ready) {
				return fmt.Errorf("the status is %+v", p)
			}
			return nil
		})
		unready := notReady(w.Members("pool"))
		require.Len(t, unready, want, "never more at once than maxSurge")
		w.SetReady(&unready[0], metav1.ConditionTrue, time.Now())
	}
	w.UntilWarm("pool")
	require.Len(t, w.Members("pool"), 5)
}

func TestPoolStopsAtMaxReplicas(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(2, 3))
	for _, name := range []string{"first", "second"} {
		w.Apply(w.NewClaim(name, "pool"))
		w.UntilBound(name)
	}

	got := w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionFalse, v1alpha1.ReasonMaxReplicasReached)
	require.Contains(t, got.Message, "maxReplicas (3)")
	w.UntilPool("pool", v1alpha1.ConditionWarm, metav1.ConditionFalse, v1alpha1.ReasonFilling)
	require.Len(t, w.Members("pool"), 3, "claimed members count, and there is room for one more")

	w.Kubectl.Run("delete", "vmclaim", "first")
	w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionTrue, "Available")
	w.UntilWarm("pool")
}

func TestPoolTellsThatNoMemberEverSignalsReadiness(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.StartController()
	w.Apply(w.NewPool("pool", builders.PoolSize(2, 4)))

	got := w.UntilPool("pool", v1alpha1.ConditionWarm, metav1.ConditionFalse, v1alpha1.ReasonReadinessSignalAbsent)
	require.Contains(t, got.Message, v1alpha1.ConditionGuestReady)
	w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionFalse, v1alpha1.ReasonReadinessSignalAbsent)

	w.Until("there are two members", func() error { return unlessEqual(2, len(w.Members("pool"))) })
	w.SetReady(&w.Members("pool")[0], metav1.ConditionFalse, time.Now())
	w.UntilPool("pool", v1alpha1.ConditionWarm, metav1.ConditionFalse, v1alpha1.ReasonFilling)
	w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionTrue, "Available")
}

func notReady(members []v1alpha1.VirtualMachine) (out []v1alpha1.VirtualMachine) {
	for _, vm := range members {
		if len(vm.Status.Conditions) == 0 {
			out = append(out, vm)
		}
	}
	return out
}

// columns reads named columns of the first row of a table that kubectl printed.
func columns(table string, names ...string) string {
	lines := strings.Split(table, "\n")
	head := lines[0]
	var cells []string
	for _, name := range names {
		at := strings.Index(" "+head+" ", " "+name+" ")
		if at < 0 || len(lines) < 2 || at >= len(lines[1]) {
			return "no column " + name + " in:\n" + table
		}
		cell, _, _ := strings.Cut(lines[1][at:], " ")
		cells = append(cells, cell)
	}
	return strings.Join(cells, " ")
}

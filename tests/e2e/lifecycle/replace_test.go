// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

func TestNewImageIsRolledOutWithoutLosingWarmth(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(3, 10), builders.PoolSurge(1))
	w.Apply(w.NewClaim("mine", "pool"))
	claimed := w.UntilBound("mine").Status.VirtualMachineRef.Name
	w.Until("the pool is full again", func() error { return unlessEqual(4, len(ready(w.Members("pool")))) })

	seen := w.FollowMembers("pool")
	w.Kubectl.Run("patch", "vmimage", w.Image, "--type=merge", "--patch", `{"spec": {"osVersion": "14"}}`)
	w.Until("every unclaimed member is of the new image", func() error {
		members := w.Members("pool")
		for _, vm := range members {
			if want := revisionOf(&vm, claimed); vm.Labels[v1alpha1.LabelPoolImageRevision] != want {
				return fmt.Errorf("%s is of %s", vm.Name, vm.Labels[v1alpha1.LabelPoolImageRevision])
			}
		}
		return unlessEqual(4, len(ready(members)))
	})
	require.Equal(t, "gen-2", w.Pool("pool").Status.ImageRevision)
	extremes := seen()
	require.Equal(t, 3, extremes.LeastAvailable, "replacement first, deletion after")
	require.Equal(t, 1, extremes.MostProvisioning, "no more at once than maxSurge")
	require.Nil(t, w.Machine(claimed).DeletionTimestamp, "a claimed member is not the pool's to replace")
}

func revisionOf(vm *v1alpha1.VirtualMachine, claimed string) string {
	if vm.Name == claimed {
		return "gen-1"
	}
	return "gen-2"
}

func TestIdleMembersAreReplacedWithoutLosingWarmth(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(2, 6), func(p *v1alpha1.VirtualMachinePool) { p.Spec.MaxIdleSeconds = new(int64(5)) })
	first := ready(w.Members("pool"))
	require.Len(t, first, 2)

	seen := w.FollowMembers("pool")
	w.Until("the first members are gone", func() error {
		for _, vm := range w.Members("pool") {
			if i := slices.IndexFunc(first, func(f v1alpha1.VirtualMachine) bool { return f.UID == vm.UID }); i >= 0 {
				return fmt.Errorf("%s is there", vm.Name)
			}
		}
		return nil
	})
	since := first[0].Status.Conditions[0].LastTransitionTime.Time
	require.GreaterOrEqual(t, time.Since(since), 5*time.Second, "not before they were idle for too long")
	require.GreaterOrEqual(t, seen().LeastAvailable, 2)
}

func TestMembersThatDoNotGetReadyInTimeAreReplaced(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.StartController()
	w.Apply(w.NewPool("pool", builders.PoolSize(2, 4), func(p *v1alpha1.VirtualMachinePool) { p.Spec.ProvisioningTimeoutSeconds = new(int64(3)) }))
	w.Until("there are two members", func() error { return unlessEqual(2, len(w.Members("pool"))) })
	good, poisoned := w.Members("pool")[0], w.Members("pool")[1]
	w.SetReady(&good, metav1.ConditionTrue, time.Now())

	w.Gone(&poisoned)
	w.Until("it is replaced", func() error { return unlessEqual(2, len(w.Members("pool"))) })
	require.Equal(t, good.UID, w.Machine(good.Name).UID)
}

func TestBadAddressEntryStopsCreatesOnly(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(3, 5), builders.PoolAddresses("2001:db8::10-2001:db8::20"))

	// Admission cannot order IPv6 addresses, so this is what reaches the controller.
	const bad = "2001:db8::9-2001:db8::1"
	w.Kubectl.Run("patch", "vmpool", "pool", "--type=json", "--patch", `[{"op": "add", "path": "/spec/addressing/pool/-", "value": "`+bad+`"}]`)
	got := w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionFalse, v1alpha1.ReasonInvalidAddressEntry)
	require.Contains(t, got.Message, `"`+bad+`"`)

	w.Kubectl.Run("patch", "vmpool", "pool", "--type=merge", "--patch", `{"spec": {"warmReplicas": 1}}`)
	w.Until("surplus members are deleted all the same", func() error { return unlessEqual(1, len(w.Members("pool"))) })
	w.Kubectl.Run("patch", "vmpool", "pool", "--type=merge", "--patch", `{"spec": {"warmReplicas": 2}}`)
	w.UntilPool("pool", v1alpha1.ConditionWarm, metav1.ConditionFalse, v1alpha1.ReasonFilling)
	require.Len(t, w.Members("pool"), 1)

	w.Kubectl.Run("patch", "vmpool", "pool", "--type=json", "--patch", `[{"op": "remove", "path": "/spec/addressing/pool/1"}]`)
	w.UntilWarm("pool")
	w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionTrue, "Available")
}

func TestAddressesAreUniqueAndHeldUntilTheMemberIsGone(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(2, 9), builders.PoolAddresses("192.0.2.10", "192.0.2.10-192.0.2.11", "192.0.2.12/32"))
	w.Apply(w.NewClaim("mine", "pool"))
	claim := w.UntilBound("mine")
	w.UntilWarm("pool")
	require.Equal(t, []string{"192.0.2.10", "192.0.2.11", "192.0.2.12"}, addresses(w.Members("pool")))

	w.Apply(w.NewClaim("more", "pool"))
	w.UntilBound("more")
	w.UntilPool("pool", v1alpha1.ConditionCapacity, metav1.ConditionFalse, v1alpha1.ReasonAddressRangeExhausted)
	w.Hold(claim.Status.VirtualMachineRef.Name)
	w.Kubectl.Run("delete", "vmclaim", "mine", "--wait=false")
	w.UntilClaim("mine", v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonReleased)
	w.Throughout(time.Second, "a member on its way out still holds its address", func() error {
		return unlessEqual(3, len(w.Members("pool")))
	})

	w.LetGo(claim.Status.VirtualMachineRef.Name)
	w.UntilWarm("pool")
	require.Equal(t, []string{"192.0.2.10", "192.0.2.11", "192.0.2.12"}, addresses(w.Members("pool")))
}

func addresses(members []v1alpha1.VirtualMachine) (out []string) {
	for _, vm := range members {
		out = append(out, string(vm.Spec.NetworkOverrides[0].Static.Address))
	}
	slices.Sort(out)
	return out
}

func ready(members []v1alpha1.VirtualMachine) (out []v1alpha1.VirtualMachine) {
	for _, vm := range members {
		if vm.DeletionTimestamp == nil && len(vm.Status.Conditions) > 0 {
			out = append(out, vm)
		}
	}
	return out
}

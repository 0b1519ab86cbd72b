// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

// clients is how many create claims at the same time.
const clients = 20

func TestBurstBindsEachMemberOnce(t *testing.T) {
	const members, claims = 100, 200
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(members, members), builders.PoolSurge(members))
	writes := w.Writes()

	var all errgroup.Group
	all.SetLimit(clients)
	for i := range claims {
		all.Go(func() error { return w.Client.Create(t.Context(), w.NewClaim(fmt.Sprintf("claim-%d", i), "pool")) })
	}
	require.NoError(t, all.Wait())
	w.Until("every claim is bound or told to wait", func() error {
		return unlessEqual(map[v1alpha1.ClaimPhase]int{v1alpha1.ClaimBound: members, v1alpha1.ClaimPending: claims - members}, phases(w))
	})

	holder := map[string]*v1alpha1.VirtualMachineClaim{}
	for _, c := range w.Claims() {
		if c.Status.Phase == v1alpha1.ClaimPending {
			requireCondition(t, c.Status.Conditions, v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonNoMemberAvailable)
			continue
		}
		require.NotContains(t, holder, c.Status.VirtualMachineRef.Name, "one claim per member")
		holder[c.Status.VirtualMachineRef.Name] = &c
	}
	for _, vm := range w.Members("pool") {
		require.Equal(t, holder[vm.Name].Name, vm.Labels[v1alpha1.LabelClaim])
		require.Equal(t, []metav1.OwnerReference{*metav1.NewControllerRef(holder[vm.Name], kind("VirtualMachineClaim"))}, vm.OwnerReferences)
	}
	w.Until("the audit log has every bind", func() error {
		took := map[string]int{}
		for _, e := range w.Read(writes) {
			if e.ObjectRef.Resource == "virtualmachines" && e.Verb == "patch" && e.ResponseStatus.Code == 200 {
				took[e.ObjectRef.Name]++
			}
		}
		for name := range holder {
			if took[name] != 1 {
				return fmt.Errorf("member %s was taken %d times", name, took[name])
			}
		}
		return unlessEqual(members, len(took))
	})
}

// phases counts the namespace's claims.
func phases(w *fixture.World) map[v1alpha1.ClaimPhase]int {
	out := map[v1alpha1.ClaimPhase]int{}
	for _, c := range w.Claims() {
		if len(c.Status.Conditions) > 0 {
			out[c.Status.Phase]++
		}
	}
	return out
}

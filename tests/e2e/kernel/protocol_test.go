// SPDX-License-Identifier: Apache-2.0

package kernel_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
)

func (w *world) get(t testing.TB, kind, name string) *unstructured.Unstructured {
	o := w.handle(kind, name)
	require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o))
	return o
}

// during runs f before the n-th write, as another process would.
func (w *world) during(n int, f func()) {
	w.kernel.Fence = func() error {
		if n--; n == 0 {
			w.kernel.Fence = func() error { return nil }
			f()
		}
		return nil
	}
}

func requireHolds(t *testing.T, w *world, claim, member string) {
	t.Helper()
	c, vm := w.get(t, claimKind, claim), w.get(t, vmKind, member)
	ref, _, _ := unstructured.NestedString(c.Object, "status", "virtualMachineRef", "name")
	require.Equal(t, member, ref)
	require.Contains(t, c.GetFinalizers(), banlieue.FinalizerClaim)
	require.Equal(t, claim, vm.GetLabels()[banlieue.LabelClaim])
	require.Len(t, vm.GetOwnerReferences(), 1, "the claim is the only owner")
	require.Equal(t, c.GetUID(), vm.GetOwnerReferences()[0].UID)
}

// TestBindResumes ends the process after each write of the protocol, and lets another one finish, on fresh facts and on
// the facts from before the crash.
func TestBindResumes(t *testing.T) {
	for _, written := range []int{0, 1, 2} {
		for _, stale := range []bool{false, true} {
			w := newWorld(t)
			crash := errors.New("the process ends here")
			effects := w.bindEffects(w.cached(vmKind, "vm-0"))
			w.kernel.Fence = failAfter(written, crash)
			require.ErrorIs(t, w.perform(t, w.pass(claimKind, "claim-0"), effects...), crash)
			w.kernel.Fence = func() error { return nil }
			if stale && written > 0 {
				err := w.perform(t, w.pass(claimKind, "claim-0"), effects...)
				require.True(t, apierrors.IsConflict(err), "the claim has moved on: %v", err)
			}
			w.refresh(t)
			require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), effects...))
			requireHolds(t, w, "claim-0", "vm-0")
		}
	}
}

// TestMemberMoved lets the member's status change between the decision and the write: the same member is taken.
func TestMemberMoved(t *testing.T) {
	w := newWorld(t)
	effects := w.bindEffects(w.cached(vmKind, "vm-0"))
	w.during(2, func() {
		require.NoError(t, w.Client.Patch(t.Context(), w.handle(vmKind, "vm-0"),
			client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"example.com/moved":"yes"}}}`))))
	})
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), effects...))
	requireHolds(t, w, "claim-0", "vm-0")
}

// TestMemberTaken lets another claim take the member first: the loser learns it, and may then intend another one.
func TestMemberTaken(t *testing.T) {
	w := newWorld(t)
	effects := w.bindEffects(w.cached(vmKind, "vm-0"))
	w.during(2, func() { w.mustBind(t, "claim-1", "vm-0") })
	err := w.perform(t, w.pass(claimKind, "claim-0"), effects...)
	require.ErrorAs(t, err, new(*kernel.Taken))
	w.refresh(t)
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), w.bindEffects(w.cached(vmKind, "vm-2"))...))
	requireHolds(t, w, "claim-1", "vm-0")
	requireHolds(t, w, "claim-0", "vm-2")
}

// TestMemberGone lets the intended member be deleted: another one may be intended once a live read shows that.
func TestMemberGone(t *testing.T) {
	w := newWorld(t)
	w.intend(t, "claim-0", "vm-0")
	require.NoError(t, w.Client.Delete(t.Context(), w.handle(vmKind, "vm-0")))
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), w.bindEffects(w.cached(vmKind, "vm-2"))...))
	requireHolds(t, w, "claim-0", "vm-2")
}

// TestSlowFormerLeader is the hardest case: a former leader is about to write the member when a new one releases the
// claim, whose intent was never finished. The member's write must fail, or it would belong to nobody.
func TestSlowFormerLeader(t *testing.T) {
	w := newWorld(t)
	effects := w.bindEffects(w.cached(vmKind, "vm-0"))
	former := w.pass(claimKind, "claim-0")
	w.during(2, func() {
		w.userDeletes(t, claimKind, "claim-0")
		remove := decisionv1.Effect{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}
		require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), remove))
	})
	require.Error(t, w.perform(t, former, effects...))
	require.Empty(t, w.get(t, vmKind, "vm-0").GetLabels()[banlieue.LabelClaim], "the member is still free")
	w.refresh(t)
	w.mustBind(t, "claim-1", "vm-0")
	requireHolds(t, w, "claim-1", "vm-0")
}

// TestPoolLosesRace lets a claim take a member that the pool has decided to delete.
func TestPoolLosesRace(t *testing.T) {
	w := newWorld(t)
	pool := w.pass(poolKind, "pool")
	remove := decisionv1.Effect{Type: decisionv1.EffectDelete, Target: target(w.cached(vmKind, "vm-0"))}
	w.during(1, func() {
		p := w.pass(claimKind, "claim-0")
		require.NoError(t, w.perform(t, p, w.bindEffects(w.cached(vmKind, "vm-0"))...))
	})
	err := w.perform(t, pool, remove)
	require.True(t, apierrors.IsConflict(err), "%v", err)
	requireHolds(t, w, "claim-0", "vm-0")
}

// TestRelease goes through both ends of a claim: deleted by a person, and past its deadline.
func TestRelease(t *testing.T) {
	for name, over := range map[string]func(*world){
		"deleted": func(w *world) { w.userDeletes(t, claimKind, "claim-0") },
		"expired": func(w *world) { w.now = w.now.Add(2 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.mustBind(t, "claim-0", "vm-0")
			over(w)
			member := target(w.cached(vmKind, "vm-0"))
			require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), decisionv1.Effect{Type: decisionv1.EffectDelete, Target: member}))
			if name == "expired" {
				w.refresh(t)
				self := target(w.cached(claimKind, "claim-0"))
				require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), decisionv1.Effect{Type: decisionv1.EffectDelete, Target: self}))
			}
			w.refresh(t)
			remove := decisionv1.Effect{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}
			require.ErrorAs(t, w.perform(t, w.pass(claimKind, "claim-0"), remove), new(*kernel.Refusal), "the member still terminates")
			w.userPatches(t, vmKind, "vm-0", `{"metadata":{"finalizers":null}}`)
			require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), remove))
			err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(w.handle(claimKind, "claim-0")), w.handle(claimKind, "claim-0"))
			require.True(t, apierrors.IsNotFound(err))
		})
	}
}

// TestUnchangedStatusIsNotSent compares resourceVersions: equal status, equal version; a changed message keeps the
// transition time, a flipped status does not.
func TestUnchangedStatusIsNotSent(t *testing.T) {
	w := newWorld(t)
	set := func(status, message string) *unstructured.Unstructured {
		e := decisionv1.Effect{Type: decisionv1.EffectStatus, Status: map[string]any{"phase": "Pending", "conditions": []any{
			map[string]any{"type": "Bound", "status": status, "reason": "Test", "message": message}}}}
		require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), e))
		w.refresh(t)
		return w.cached(claimKind, "claim-0")
	}
	since := func(o *unstructured.Unstructured) any {
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		return list[0].(map[string]any)["lastTransitionTime"]
	}
	first := set("False", "a")
	w.now = w.now.Add(time.Minute)
	require.Equal(t, first.GetResourceVersion(), set("False", "a").GetResourceVersion())
	second := set("False", "b")
	require.NotEqual(t, first.GetResourceVersion(), second.GetResourceVersion())
	require.Equal(t, since(first), since(second))
	require.NotEqual(t, since(first), since(set("True", "b")))
}

// TestFence proves that a process that may not lead writes nothing, whatever the effect.
func TestFence(t *testing.T) {
	w := newWorld(t)
	w.kernel.Fence = func() error { return errors.New("the lease is old") }
	vm := w.cached(vmKind, "vm-0")
	for _, e := range append(w.bindEffects(vm)[:1],
		decisionv1.Effect{Type: decisionv1.EffectStatus, Status: map[string]any{"phase": "Pending"}},
		decisionv1.Effect{Type: decisionv1.EffectFinalizerAdd, Finalizer: "example.com/other"},
		decisionv1.Effect{Type: decisionv1.EffectPatch, Target: target(w.cached(claimKind, "claim-0")), Patch: map[string]any{}},
	) {
		require.ErrorAs(t, w.perform(t, w.pass(claimKind, "claim-0"), e), new(*kernel.LostLeadership), "%s", e.Type)
	}
	made := map[string]any{"apiVersion": "banlieue.io/v1alpha1", "kind": vmKind, "metadata": map[string]any{"name": "made"}}
	for _, e := range []decisionv1.Effect{
		{Type: decisionv1.EffectDelete, Target: target(vm)}, {Type: decisionv1.EffectCreate, Object: made}, {Type: decisionv1.EffectApply, Object: made},
	} {
		require.ErrorAs(t, w.perform(t, w.pass(poolKind, "pool"), e), new(*kernel.LostLeadership), "%s", e.Type)
	}
	before := vm.GetResourceVersion()
	w.refresh(t)
	require.Equal(t, before, w.cached(vmKind, "vm-0").GetResourceVersion())
}

// TestSlowFormerLeaderSeesTheFence is the other half of the hardest case: the former leader had only read the claim, and
// its cache shows the member as the release left it, fenced.
func TestSlowFormerLeaderSeesTheFence(t *testing.T) {
	w := newWorld(t)
	w.intend(t, "claim-0", "vm-0")
	former := w.pass(claimKind, "claim-0")
	w.userDeletes(t, claimKind, "claim-0")
	remove := decisionv1.Effect{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), remove))
	w.refresh(t)
	require.Error(t, w.perform(t, former, w.bindEffects(w.cached(vmKind, "vm-0"))...))
	require.Empty(t, w.get(t, vmKind, "vm-0").GetLabels()[banlieue.LabelClaim], "the member is still free")
	w.mustBind(t, "claim-1", "vm-0")
	requireHolds(t, w, "claim-1", "vm-0")
}

// TestFenceOverwritten lets another claim's release write over the fence: the claim itself is then read.
func TestFenceOverwritten(t *testing.T) {
	w := newWorld(t)
	w.intend(t, "claim-0", "vm-0")
	former := w.pass(claimKind, "claim-0")
	w.userDeletes(t, claimKind, "claim-0")
	remove := decisionv1.Effect{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), remove))
	w.userPatches(t, vmKind, "vm-0", `{"metadata":{"annotations":{"lictor.dev/released-intent-of":"another"}}}`)
	require.Error(t, w.perform(t, former, w.bindEffects(w.cached(vmKind, "vm-0"))...))
	require.Empty(t, w.get(t, vmKind, "vm-0").GetLabels()[banlieue.LabelClaim], "the member is still free")
}

// TestCreateKnowsItsName makes the same name twice, as a retry after a lost answer does, and a stranger's name.
func TestCreateKnowsItsName(t *testing.T) {
	w := newWorld(t)
	create := func(metadata map[string]any) (*kernel.Pass, error) {
		p := w.pass(poolKind, "pool")
		return p, w.perform(t, p, decisionv1.Effect{Type: decisionv1.EffectCreate, Object: map[string]any{
			"apiVersion": "banlieue.io/v1alpha1", "kind": vmKind, "metadata": metadata,
			"spec": map[string]any{"classRef": map[string]any{"name": "a"}, "imageRef": map[string]any{"name": "b"}}}})
	}
	first, err := create(map[string]any{"name": "made"})
	require.NoError(t, err)
	again, err := create(map[string]any{"name": "made"})
	require.NoError(t, err)
	require.Equal(t, first.Writes[0].UID, again.Writes[0].UID)
	generated, err := create(map[string]any{"generateName": "pool-"})
	require.NoError(t, err)
	require.Regexp(t, "^pool-[a-z0-9]{5}$", generated.Writes[0].Name.Name)
	_, err = create(map[string]any{"name": "stranger"})
	require.ErrorAs(t, err, new(*kernel.Refusal))
}

// TestPatchMinds the state that policy saw.
func TestPatchMinds(t *testing.T) {
	w := newWorld(t)
	at := target(w.cached(vmKind, "vm-0"))
	patch := func() error {
		return w.perform(t, w.pass(poolKind, "pool"), decisionv1.Effect{Type: decisionv1.EffectPatch, Target: at,
			Patch: map[string]any{"metadata": map[string]any{"annotations": map[string]any{"example.com/a": "b"}}}})
	}
	at.ResourceVersion = "1"
	require.True(t, apierrors.IsConflict(patch()))
	at.ResourceVersion = w.cached(vmKind, "vm-0").GetResourceVersion()
	require.NoError(t, patch())
}

// TestTroubleStays lets a policy write a complete status over the condition Decided: only the kernel takes it off.
func TestTroubleStays(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.kernel.ReportCondition(t.Context(), w.pass(claimKind, "claim-0"), kernel.ConditionDecided, "NoDecision", "none"))
	w.refresh(t)
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), decisionv1.Effect{Type: decisionv1.EffectStatus, Status: map[string]any{"phase": "Pending", "observedGeneration": nil}}))
	w.refresh(t)
	require.Len(t, conditions(w.cached(claimKind, "claim-0")), 1)
	before := w.cached(claimKind, "claim-0").GetResourceVersion()
	require.NoError(t, w.perform(t, w.pass(claimKind, "claim-0"), decisionv1.Effect{Type: decisionv1.EffectStatus, Status: map[string]any{"phase": "Pending", "observedGeneration": nil}}))
	w.refresh(t)
	require.Equal(t, before, w.cached(claimKind, "claim-0").GetResourceVersion(), "null is absent")
	require.NoError(t, w.kernel.ClearCondition(t.Context(), w.pass(claimKind, "claim-0"), kernel.ConditionDecided))
	w.refresh(t)
	require.Empty(t, conditions(w.cached(claimKind, "claim-0")))
}

func conditions(o *unstructured.Unstructured) []any {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	return list
}

// halfTaken is a view in which another claim may have been first.
type halfTaken struct {
	taken   bool
	assumed map[types.UID]bool
}

func (h *halfTaken) Assume(uid types.UID, _ types.NamespacedName) bool {
	if h.taken {
		return false
	}
	h.assumed[uid] = true
	return true
}

func (h *halfTaken) Written(types.UID, types.NamespacedName, string) {}

func (h *halfTaken) Release(types.NamespacedName) { clear(h.assumed) }

// TestAssumesEverywhereOrNowhere lets another claim be first in one of two views: what was hidden in the other is shown
// again, or the two claims would keep the member from everybody.
func TestAssumesEverywhereOrNowhere(t *testing.T) {
	w := newWorld(t)
	p := w.pass(claimKind, "claim-0")
	first, second := &halfTaken{assumed: map[types.UID]bool{}}, &halfTaken{taken: true, assumed: map[types.UID]bool{}}
	p.Assumed = []kernel.Assumptions{first, second}
	require.ErrorAs(t, w.perform(t, p, w.bindEffects(w.cached(vmKind, "vm-0"))...), new(*kernel.Taken))
	require.Empty(t, first.assumed)
}

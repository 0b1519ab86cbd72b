// SPDX-License-Identifier: Apache-2.0

package kernel_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// steps is how many acts one history has. Longer ones rarely find more: the world has four members and three claims.
const steps = 25

// TestHostileEffects draws histories of passes with random effects, on facts of random age, between the acts of people,
// and checks after every act that no rule is broken.
func TestHostileEffects(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		h := &history{world: w, claimOf: map[types.UID]types.UID{}, memberOf: map[types.UID]types.UID{},
			guarded: map[types.UID]bool{}, deadlines: map[types.UID]string{}, refs: map[types.UID]string{}, protected: map[types.UID]bool{}, doomed: map[types.UID]bool{}}
		h.check(t, rt, "start")
		for i := range steps {
			act := rapid.SampledFrom([]string{"pass", "pass", "pass", "pass", "refresh", "refresh", "time", "delete claim", "delete member", "end member"}).Draw(rt, fmt.Sprintf("act %d", i))
			h.act(t, rt, act)
			h.check(t, rt, act)
		}
	})
}

// history is what must never change about a world.
type history struct {
	*world
	claimOf   map[types.UID]types.UID // member to the claim that ever owned it
	memberOf  map[types.UID]types.UID // claim to the member that it ever owned
	refs      map[types.UID]string    // claim to its virtualMachineRef
	deadlines map[types.UID]string    // claim to its expiresAt
	guarded   map[types.UID]bool      // members with a machine finalizer
	protected map[types.UID]bool      // claims that ever had the finalizer
	doomed    map[types.UID]bool      // members that a person deleted
}

func (h *history) act(t *testing.T, rt *rapid.T, act string) {
	switch act {
	case "pass":
		h.hostilePass(t, rt)
	case "refresh":
		h.refresh(t)
	case "time":
		h.now = h.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(rt, "seconds")) * time.Second)
	case "delete claim":
		name := fmt.Sprintf("claim-%d", rapid.IntRange(0, claims-1).Draw(rt, "claim"))
		require.NoError(t, client.IgnoreNotFound(h.Client.Delete(t.Context(), h.handle(claimKind, name))))
	case "delete member":
		name := fmt.Sprintf("vm-%d", rapid.IntRange(0, members-1).Draw(rt, "member"))
		for _, vm := range h.live(t, vmKind) {
			if vm.GetName() == name {
				h.doomed[vm.GetUID()] = true
			}
		}
		require.NoError(t, client.IgnoreNotFound(h.Client.Delete(t.Context(), h.handle(vmKind, name))))
	case "end member": // the backend says that what is being deleted is gone
		for _, vm := range h.live(t, vmKind) {
			if vm.GetDeletionTimestamp() != nil && len(vm.GetFinalizers()) > 0 {
				patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
				require.NoError(t, client.IgnoreNotFound(h.Client.Patch(t.Context(), h.handle(vmKind, vm.GetName()), patch)))
			}
		}
	}
}

func (h *history) hostilePass(t *testing.T, rt *rapid.T) {
	kind := rapid.SampledFrom([]string{claimKind, claimKind, claimKind, poolKind, vmKind}).Draw(rt, "kind")
	name := map[string]*rapid.Generator[string]{
		claimKind: rapid.SampledFrom([]string{"claim-0", "claim-1", "claim-2"}),
		poolKind:  rapid.SampledFrom([]string{"pool", "other"}),
		vmKind:    rapid.SampledFrom([]string{"vm-0", "vm-1"}),
	}[kind].Draw(rt, "name")
	p := h.pass(kind, name)
	if p == nil {
		return
	}
	// Whatever the error, the rules must hold: a refusal, a conflict, or an answer of the API server.
	if err := h.perform(t, p, h.effects(rt, p.Object)...); err != nil {
		rt.Logf("%s %s: %v", kind, name, err)
	}
}

// effects draws what a bundle could answer, from sound to absurd.
func (h *history) effects(rt *rapid.T, self *unstructured.Unstructured) []decisionv1.Effect {
	switch rapid.SampledFrom([]string{"bind", "bind", "let go", "destroy", "anything", "anything"}).Draw(rt, "intention") {
	case "bind":
		if vm := h.drawCached(rt, vmKind); vm != nil {
			return h.bindEffects(vm)
		}
	case "let go":
		return []decisionv1.Effect{{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}}
	case "destroy":
		if vm := h.drawCached(rt, vmKind); vm != nil {
			return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(vm)}}
		}
	}
	var out []decisionv1.Effect
	for range rapid.IntRange(1, 3).Draw(rt, "count") {
		out = append(out, h.effect(rt, self))
	}
	return out
}

func (h *history) effect(rt *rapid.T, self *unstructured.Unstructured) decisionv1.Effect {
	e := decisionv1.Effect{Type: rapid.SampledFrom(decisionv1.EffectTypes()).Draw(rt, "type")}
	e.Finalizer = rapid.SampledFrom(finalizers()).Draw(rt, "finalizer")
	e.EventType, e.Reason, e.Message = "Normal", "Hostile", "hostile"
	if vm := h.drawCached(rt, vmKind); vm != nil {
		e.Member = &decisionv1.Member{Name: vm.GetName(), UID: string(vm.GetUID()),
			ResourceVersion: rapid.SampledFrom([]string{vm.GetResourceVersion(), "1"}).Draw(rt, "resourceVersion")}
	} else {
		e.Member = &decisionv1.Member{Name: "none", UID: "none", ResourceVersion: "1"}
	}
	e.Target = target(self)
	if o := h.drawCached(rt, rapid.SampledFrom([]string{vmKind, vmKind, claimKind}).Draw(rt, "target kind")); o != nil {
		e.Target = target(o)
	}
	metadata := rapid.SampledFrom([]map[string]any{
		{"name": "made"}, {"name": "vm-0"}, {"name": "stranger"}, {"name": "made", "namespace": "default"},
		{"name": "vm-2", "labels": map[string]any{banlieue.LabelClaim: "claim-0"}},
		{"name": "vm-0", "labels": nil}, {"name": "vm-0", "annotations": nil},
		{"name": "vm-0", "ownerReferences": []any{}}, {"name": "vm-0", "finalizers": []any{}},
	}).Draw(rt, "metadata")
	e.Object = map[string]any{"apiVersion": "banlieue.io/v1alpha1", "kind": rapid.SampledFrom([]string{vmKind, secretKind}).Draw(rt, "object kind"),
		"metadata": metadata, "spec": map[string]any{"classRef": map[string]any{"name": "a"}, "imageRef": map[string]any{"name": "b"}}}
	if e.Object["kind"] == secretKind {
		e.Object["apiVersion"] = "v1"
	}
	e.Patch = map[string]any{"metadata": withoutName(metadata)}
	e.Status = h.hostileStatus(rt)
	return e
}

func withoutName(metadata map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range metadata {
		if k != "name" && k != "namespace" {
			out[k] = v
		}
	}
	return out
}

func (h *history) hostileStatus(rt *rapid.T) map[string]any {
	status := map[string]any{"phase": rapid.SampledFrom([]string{"Pending", "Bound", "Releasing", "Failed"}).Draw(rt, "phase")}
	if name := rapid.SampledFrom([]string{"", "vm-0", "vm-2"}).Draw(rt, "ref"); name != "" {
		status["virtualMachineRef"] = map[string]any{"name": name}
	}
	for _, field := range []string{"boundAt", "expiresAt"} {
		if seconds := rapid.SampledFrom([]int{-1, 0, 60, 61, 100000}).Draw(rt, field); seconds >= 0 {
			status[field] = stamp(h.now.Add(time.Duration(seconds) * time.Second))
		}
	}
	return status
}

func (h *history) drawCached(rt *rapid.T, kind string) *unstructured.Unstructured {
	n := map[string]int{vmKind: members, claimKind: claims}[kind]
	prefix := map[string]string{vmKind: "vm", claimKind: "claim"}[kind]
	i := rapid.IntRange(0, n).Draw(rt, "which "+kind)
	if kind == vmKind && i == n {
		return h.cached(vmKind, "stranger")
	}
	return h.cached(kind, fmt.Sprintf("%s-%d", prefix, i))
}

// check reads the world as it is and compares it with everything that was ever true.
func (h *history) check(t *testing.T, rt *rapid.T, act string) {
	vms, all := h.live(t, vmKind), h.live(t, claimKind)
	owners := map[types.UID]bool{} // claims that own a live machine
	alive := map[types.UID]*unstructured.Unstructured{}
	for i := range all {
		alive[all[i].GetUID()] = &all[i]
	}
	stranger := false
	for i := range vms {
		vm := &vms[i]
		stranger = stranger || vm.GetName() == "stranger" && vm.GetDeletionTimestamp() == nil && len(vm.GetOwnerReferences()) == 0
		h.checkMember(rt, vm, alive, owners)
	}
	if !stranger {
		rt.Fatalf("after %s, rule 10: the stranger's machine was touched", act)
	}
	for i := range all {
		h.checkClaim(rt, &all[i], owners)
	}
	for uid := range h.protected {
		if owners[uid] && alive[uid] == nil {
			rt.Fatalf("after %s, rule 3: claim %s is gone and its member lives", act, uid)
		}
	}
	secrets := &corev1.SecretList{}
	require.NoError(t, h.Client.List(t.Context(), secrets, client.InNamespace(h.Namespace)))
	if len(secrets.Items) != 1 {
		rt.Fatalf("after %s, rule 7: there are %d Secrets", act, len(secrets.Items))
	}
}

func (h *history) checkMember(rt *rapid.T, vm *unstructured.Unstructured, alive map[types.UID]*unstructured.Unstructured, owners map[types.UID]bool) {
	uids := claimUIDs(vm)
	if len(uids) > 1 || len(uids) == 1 && len(vm.GetOwnerReferences()) != 1 {
		rt.Fatalf("rule 1: member %s has owners %v", vm.GetName(), vm.GetOwnerReferences())
	}
	before, claimed := h.claimOf[vm.GetUID()]
	if claimed && (len(uids) == 0 || uids[0] != before) {
		rt.Fatalf("rule 1: member %s belonged to claim %s, now %v", vm.GetName(), before, uids)
	}
	guarded := slices.Contains(vm.GetFinalizers(), banlieue.FinalizerVirtualMachine)
	h.guarded[vm.GetUID()] = h.guarded[vm.GetUID()] || guarded
	if vm.GetDeletionTimestamp() == nil && h.guarded[vm.GetUID()] && !guarded {
		rt.Fatalf("rule 5: member %s lost its finalizer", vm.GetName())
	}
	if len(uids) == 0 {
		return
	}
	owner := uids[0]
	owners[owner] = true
	h.claimOf[vm.GetUID()] = owner
	if other, ok := h.memberOf[owner]; ok && other != vm.GetUID() {
		rt.Fatalf("rule 2: claim %s held member %s and now %s", owner, other, vm.GetUID())
	}
	h.memberOf[owner] = vm.GetUID()
	claim := alive[owner]
	if vm.GetDeletionTimestamp() == nil || h.doomed[vm.GetUID()] || claim == nil || claim.GetDeletionTimestamp() != nil {
		return
	}
	if deadline, err := time.Parse(time.RFC3339, h.deadlines[owner]); err != nil || h.now.Before(deadline) {
		rt.Fatalf("rule 4: member %s is being deleted while its claim is alive and not past %q", vm.GetName(), h.deadlines[owner])
	}
}

func (h *history) checkClaim(rt *rapid.T, claim *unstructured.Unstructured, owners map[types.UID]bool) {
	uid := claim.GetUID()
	ref, _, _ := unstructured.NestedString(claim.Object, "status", "virtualMachineRef", "name")
	deadline, _, _ := unstructured.NestedString(claim.Object, "status", "expiresAt")
	if before := h.refs[uid]; before != "" && ref != before {
		rt.Fatalf("rule 2: claim %s referred to %s and now to %q", claim.GetName(), before, ref)
	}
	if before := h.deadlines[uid]; before != "" && deadline != before {
		rt.Fatalf("rule 9: claim %s ended at %s and now at %q", claim.GetName(), before, deadline)
	}
	if ref != "" && deadline == "" {
		rt.Fatalf("rule 9: claim %s holds %s without a deadline", claim.GetName(), ref)
	}
	if end, err := time.Parse(time.RFC3339, deadline); err == nil && end.After(h.now.Add(time.Minute)) {
		rt.Fatalf("rule 9: claim %s ends at %s, more than its ttl from %s", claim.GetName(), end, h.now)
	}
	h.refs[uid], h.deadlines[uid] = ref, deadline
	has := false
	for _, f := range claim.GetFinalizers() {
		has = has || f == banlieue.FinalizerClaim
	}
	if h.protected[uid] && !has && owners[uid] {
		rt.Fatalf("rule 3: claim %s lost its finalizer while its member lives", claim.GetName())
	}
	h.protected[uid] = h.protected[uid] || has
}

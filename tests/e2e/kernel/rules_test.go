// SPDX-License-Identifier: Apache-2.0

package kernel_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
)

// TestRules tries to break each rule once, and sees it refused with its number and nothing written.
func TestRules(t *testing.T) {
	status := func(fields map[string]any) decisionv1.Effect {
		return decisionv1.Effect{Type: decisionv1.EffectStatus, Status: fields}
	}
	owned := map[string]any{"apiVersion": "banlieue.io/v1alpha1", "kind": vmKind, "metadata": map[string]any{"name": "new"}}
	withMeta := func(field string, value any) map[string]any {
		return map[string]any{"apiVersion": "banlieue.io/v1alpha1", "kind": vmKind, "metadata": map[string]any{"name": "new", field: value}}
	}
	cases := map[string]struct {
		reason   string
		rule     kernel.Rule
		by, name string
		prepare  func(*testing.T, *world)
		effects  func(*world) []decisionv1.Effect
	}{
		"bind a claimed member": {"it is somebody's", kernel.RuleOneClaimPerMember, claimKind, "claim-1",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "vm-0")) }},
		"bind another pool's member": {"the claim draws from its pool", kernel.RuleOneClaimPerMember, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "vm-1")) }},
		"bind a stranger's machine": {"no pool gave it", kernel.RuleOneClaimPerMember, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "stranger")) }},
		"bind a second member": {"a claim holds one", kernel.RuleOneMemberPerClaim, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "vm-2")) }},
		"create a member for itself": {"it would go around bind", kernel.RuleOneMemberPerClaim, claimKind, "claim-0", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: owned}}
			}},
		"bind past a live intent": {"the first intent may still be finished", kernel.RuleOneMemberPerClaim, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.intend(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "vm-2")) }},
		"refer to an unbound member": {"a reference without a bind is a lie", kernel.RuleOneMemberPerClaim, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "vm-0"))[1:] }},
		"drop the reference": {"it is written once", kernel.RuleOneMemberPerClaim, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{status(map[string]any{"phase": "Pending"})}
			}},
		"finalizer off a bound claim": {"its member lives", kernel.RuleClaimProtection, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0"); w.userDeletes(t, claimKind, "claim-0") },
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}}
			}},
		"finalizer off while the label is hidden": {"the member is found by owner", kernel.RuleClaimProtection, claimKind, "claim-0",
			func(t *testing.T, w *world) {
				w.mustBind(t, "claim-0", "vm-0")
				w.userPatches(t, vmKind, "vm-0", `{"metadata":{"labels":{"banlieue.io/claim":null}}}`)
				w.userDeletes(t, claimKind, "claim-0")
			},
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}}
			}},
		"finalizer off a live claim": {"it is not over", kernel.RuleClaimProtection, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerClaim}}
			}},
		"pool deletes a claimed member": {"it is somebody's", kernel.RuleOwnObjects, poolKind, "pool",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(w.cached(vmKind, "vm-0"))}}
			}},
		"claim deletes its member early": {"its time is not over", kernel.RuleReleaseOnly, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(w.cached(vmKind, "vm-0"))}}
			}},
		"claim deletes itself early": {"that would release its member", kernel.RuleReleaseOnly, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(w.cached(claimKind, "claim-0"))}}
			}},
		"machine finalizer": {"no backend said that it is gone", kernel.RuleMachineFinalizer, vmKind, "vm-0", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectFinalizerRemove, Finalizer: banlieue.FinalizerVirtualMachine}}
			}},
		"create a Secret": {"no bundle writes Secrets, whatever it registers", kernel.RuleRegistered, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: map[string]any{"apiVersion": "v1", "kind": secretKind, "metadata": map[string]any{"name": "x"}}}}
			}},
		"unregistered kind": {"the registration does not list it", kernel.RuleRegistered, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "x"}}}}
			}},
		"status in a patch": {"status has an effect of its own", kernel.RuleRegistered, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectPatch, Target: target(w.cached(claimKind, "claim-0")), Patch: map[string]any{"status": map[string]any{}}}}
			}},
		"create with owners": {"ownership is the kernel's", kernel.RuleRegistered, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: withMeta("ownerReferences", []any{})}}
			}},
		"create with finalizers": {"nobody would remove them", kernel.RuleRegistered, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: withMeta("finalizers", []any{"a.b/c"})}}
			}},
		"create a claimed member": {"only bind claims", kernel.RuleOneClaimPerMember, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: withMeta("labels", map[string]any{banlieue.LabelClaim: "claim-0"})}}
			}},
		"patch an intent": {"only bind intends", kernel.RuleOneClaimPerMember, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectPatch, Target: target(w.cached(claimKind, "claim-0")),
					Patch: map[string]any{"metadata": map[string]any{"annotations": map[string]any{banlieue.AnnotationBindIntentUID: nil}}}}}
			}},
		"take off every annotation": {"the intent would be among them", kernel.RuleRegistered, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectPatch, Target: target(w.cached(claimKind, "claim-0")),
					Patch: map[string]any{"metadata": map[string]any{"annotations": nil}}}}
			}},
		"take off every label": {"the claim would be among them", kernel.RuleRegistered, vmKind, "vm-0", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectPatch, Target: target(w.cached(vmKind, "vm-0")),
					Patch: map[string]any{"metadata": map[string]any{"labels": nil}}}}
			}},
		"take off all metadata": {"everything would be among it", kernel.RuleRegistered, vmKind, "vm-0", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectPatch, Target: target(w.cached(vmKind, "vm-0")), Patch: map[string]any{"metadata": nil}}}
			}},
		"a machine deletes itself under its claim": {"it is somebody's", kernel.RuleReleaseOnly, vmKind, "vm-0",
			func(t *testing.T, w *world) {
				w.mustBind(t, "claim-0", "vm-0")
				w.userPatches(t, vmKind, "vm-0", `{"metadata":{"labels":{"banlieue.io/claim":null}}}`)
			},
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(w.cached(vmKind, "vm-0"))}}
			}},
		"bind twice in one pass": {"a claim holds one", kernel.RuleOneMemberPerClaim, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				return append(w.bindEffects(w.cached(vmKind, "vm-0"))[:1], w.bindEffects(w.cached(vmKind, "vm-2"))[:1]...)
			}},
		"attribute a member to somebody else": {"the audit log would confirm it", kernel.RuleOneClaimPerMember, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				effects := w.bindEffects(w.cached(vmKind, "vm-0"))
				effects[0].Annotations = map[string]string{banlieue.AnnotationClaimSubjectID: "somebody-else"}
				return effects
			}},
		"another's finalizer": {"it is not registered", kernel.RuleRegistered, claimKind, "claim-0", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectFinalizerRemove, Finalizer: "foregroundDeletion"}}
			}},
		"bind from a pool": {"only claims bind", kernel.RuleRegistered, poolKind, "pool", nil,
			func(w *world) []decisionv1.Effect { return w.bindEffects(w.cached(vmKind, "vm-0")) }},
		"extend the deadline": {"the deadline is hard", kernel.RuleDeadline, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{status(map[string]any{"virtualMachineRef": map[string]any{"name": "vm-0"},
					"boundAt": stamp(w.now), "expiresAt": stamp(w.now.Add(time.Hour))})}
			}},
		"drop the deadline": {"a claim without one never ends", kernel.RuleDeadline, claimKind, "claim-0",
			func(t *testing.T, w *world) { w.mustBind(t, "claim-0", "vm-0") },
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{status(map[string]any{"virtualMachineRef": map[string]any{"name": "vm-0"}, "boundAt": stamp(w.now)})}
			}},
		"bind longer than the ttl": {"ttlSeconds is what was asked for", kernel.RuleDeadline, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				effects := w.bindEffects(w.cached(vmKind, "vm-0"))
				effects[1].Status["expiresAt"] = stamp(w.now.Add(2 * time.Minute))
				return effects
			}},
		"bind in the future": {"that would extend the deadline", kernel.RuleDeadline, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				effects := w.bindEffects(w.cached(vmKind, "vm-0"))
				effects[1].Status["boundAt"], effects[1].Status["expiresAt"] = stamp(w.now.Add(time.Hour)), stamp(w.now.Add(time.Hour))
				return effects
			}},
		"bind without a deadline": {"a claim without one never ends", kernel.RuleDeadline, claimKind, "claim-0", nil,
			func(w *world) []decisionv1.Effect {
				effects := w.bindEffects(w.cached(vmKind, "vm-0"))
				delete(effects[1].Status, "expiresAt")
				return effects
			}},
		"delete a stranger's machine": {"it is not the pool's", kernel.RuleOwnObjects, poolKind, "pool", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(w.cached(vmKind, "stranger"))}}
			}},
		"delete another pool's member": {"it is not this pool's", kernel.RuleOwnObjects, poolKind, "pool", nil,
			func(w *world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectDelete, Target: target(w.cached(vmKind, "vm-1"))}}
			}},
		"create elsewhere": {"other namespaces are others'", kernel.RuleOwnObjects, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectCreate, Object: withMeta("namespace", "kube-system")}}
			}},
		"apply over a stranger's machine": {"it is not the pool's", kernel.RuleOwnObjects, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect {
				return []decisionv1.Effect{{Type: decisionv1.EffectApply, Object: map[string]any{"apiVersion": "banlieue.io/v1alpha1", "kind": vmKind, "metadata": map[string]any{"name": "stranger"}}}}
			}},
		"an effect that does not exist": {"the vocabulary is closed", kernel.RuleRegistered, poolKind, "pool", nil,
			func(*world) []decisionv1.Effect { return []decisionv1.Effect{{Type: "exec", Object: owned}} }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.prepare != nil {
				c.prepare(t, w)
			}
			effects := c.effects(w)
			err := w.perform(t, w.pass(c.by, c.name), effects...)
			var refusal *kernel.Refusal
			require.ErrorAs(t, err, &refusal, c.reason)
			require.Equal(t, c.rule, refusal.Rule, "%v", err)
		})
	}
}

// intend leaves a claim with an intent that was never finished, as a crash after the first write does.
func (w *world) intend(t testing.TB, claim, member string) {
	fails := errors.New("the process ends here")
	w.kernel.Fence = failAfter(1, fails)
	err := w.perform(t, w.pass(claimKind, claim), w.bindEffects(w.cached(vmKind, member))...)
	require.ErrorIs(t, err, fails)
	w.kernel.Fence = func() error { return nil }
	w.refresh(t)
}

// failAfter is a fence that lets n writes through.
func failAfter(n int, err error) func() error {
	return func() error {
		if n--; n < 0 {
			return err
		}
		return nil
	}
}

func (w *world) userDeletes(t testing.TB, kind, name string) {
	require.NoError(t, client.IgnoreNotFound(w.Client.Delete(t.Context(), w.handle(kind, name))))
	w.refresh(t)
}

func (w *world) userPatches(t testing.TB, kind, name, patch string) {
	require.NoError(t, w.Client.Patch(t.Context(), w.handle(kind, name), client.RawPatch(types.MergePatchType, []byte(patch))))
	w.refresh(t)
}

func (w *world) handle(kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(banlieue.GroupVersion.WithKind(kind))
	o.SetNamespace(w.Namespace)
	o.SetName(name)
	return o
}

// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

// hostileCase is an answer that must not be carried out. The bundle gives it for claims of the case's name; it decides
// as shipped for all others.
type hostileCase struct {
	// bind lets the claim be bound as shipped first, and delete deletes it then, while its member is held.
	bind, delete bool
	// answer is a rule body that defines the answer; `victim` in it is another claim's member.
	answer string
	// reason and message are what the condition Decided says.
	reason, message string
}

const (
	noDecision    = "NoDecision"
	kernelRefused = "KernelRefused"
)

func hostileCases() map[string]hostileCase {
	return map[string]hostileCase{
		"undefined":  {answer: `input.object.metadata.name == "somebody-else"; answer := {}`, reason: noDecision, message: "(Undefined)"},
		"wrong-type": {answer: `answer := {"step": "Wait", "effects": "none"}`, reason: noDecision, message: "(Type)"},
		"no-effects": {answer: `answer := {"step": "Wait"}`, reason: noDecision, message: "the answer has no effects"},
		"unknown-field": {
			answer: `answer := {"step": "Wait", "effects": [{"type": "status", "status": {}, "force": true}]}`,
			reason: noDecision, message: "effects[0].force: there is no such field",
		},
		"not-an-object": {answer: `answer := true`, reason: noDecision, message: "not an object"},
		"fails":         {answer: `answer := {"step": "Wait", "effects": []}; 1 / (input.now - input.now) > 0`, reason: noDecision, message: "(Undefined)"},
		"never-ends":    {answer: endless + "\tanswer := {}", reason: noDecision, message: "(Timeout)"},
		"unregistered-effect": {
			answer: `answer := {"step": "Steal", "effects": [{"type": "create", "object": {"apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachine", "metadata": {"name": "another"}, "spec": {}}}]}`,
			reason: kernelRefused, message: "kernel rule 7 refuses create",
		},
		"unregistered-kind": {
			answer: `answer := {"step": "Steal", "effects": [{"type": "delete", "target": {"apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachinePool", "name": "pool", "uid": "x"}, "reason": "Spite"}]}`,
			reason: kernelRefused, message: "kernel rule 7 refuses delete",
		},
		"binds-a-claimed-member": {
			answer: `answer := {"step": "Steal", "effects": [{"type": "bind", "member": victim, "annotations": {}}]}`,
			reason: kernelRefused, message: "kernel rule 1 refuses bind",
		},
		"names-a-member-without-binding-it": {
			answer: `answer := {"step": "Steal", "effects": [{"type": "status", "status": {"phase": "Bound", "virtualMachineRef": {"name": victim.name}, "boundAt": "2026-01-01T00:00:00Z", "expiresAt": "2026-01-01T00:00:01Z"}}]}`,
			reason: kernelRefused, message: "kernel rule 2 refuses status",
		},
		"takes-a-second-member": {
			bind:   true,
			answer: `answer := {"step": "Steal", "effects": [{"type": "bind", "member": victim, "annotations": {}}]}`,
			reason: kernelRefused, message: "kernel rule 2 refuses bind",
		},
		"removes-the-finalizer-of-a-live-claim": {
			bind:   true,
			answer: `answer := {"step": "Leave", "effects": [{"type": "finalizer.remove", "finalizer": "banlieue.io/claim-protection"}]}`,
			reason: kernelRefused, message: "kernel rule 3 refuses finalizer.remove",
		},
		"removes-the-finalizer-early": {
			bind: true, delete: true,
			answer: `answer := {"step": "Leave", "effects": [{"type": "finalizer.remove", "finalizer": "banlieue.io/claim-protection"}]}`,
			reason: kernelRefused, message: "kernel rule 3 refuses finalizer.remove",
		},
		"deletes-its-member-early": {
			bind:   true,
			answer: `answer := {"step": "Spite", "effects": [{"type": "delete", "target": {"apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachine", "name": input.related.member.metadata.name, "uid": input.related.member.metadata.uid}, "reason": "Spite"}]}`,
			reason: kernelRefused, message: "kernel rule 4 refuses delete",
		},
		"deletes-a-strangers-member": {
			answer: `answer := {"step": "Spite", "effects": [{"type": "delete", "target": {"apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachine", "name": victim.name, "uid": victim.uid}, "reason": "Spite"}]}`,
			reason: kernelRefused, message: "kernel rule 10 refuses delete",
		},
		"moves-the-deadline": {
			bind:   true,
			answer: `answer := {"step": "Stay", "effects": [{"type": "status", "status": object.union(input.object.status, {"expiresAt": "2099-01-01T00:00:00Z"})}]}`,
			reason: kernelRefused, message: "kernel rule 9 refuses status",
		},
	}
}

// hostile makes a shipped copy of the claims bundle decide badly for some claims. The wrapper is the registered decision;
// what tells it which claims, and who the victim is, are annotations.
func (f *folder) hostile() {
	f.t.Helper()
	f.replace("data.yaml", "decision: lictor.claims.step", "decision: lictor.claims.wrapped")
	f.replace("contract.rego", "\nvectors := ", "\n_shipped := ")
	f.append("contract.rego", `vectors := object.union(_shipped, {name: vector |
	some shipped, v in _shipped
	v.decision == "lictor.claims.step"
	name := concat(" ", ["wrapped", shipped])
	vector := object.union(object.remove(v, ["want"]), {"decision": "lictor.claims.wrapped"})
})`)
	var text strings.Builder
	text.WriteString("package lictor.claims\n\nimport data.lictor.claims\n\n")
	text.WriteString("wrapped := _hostile[_case] if _case else := claims.step if not _case\n\n")
	text.WriteString("_case := input.object.metadata.annotations[\"test.lictor.dev/case\"]\n\n")
	text.WriteString("_victim := json.unmarshal(input.object.metadata.annotations[\"test.lictor.dev/victim\"])\n\n")
	for name, tc := range hostileCases() {
		body := strings.ReplaceAll(tc.answer, "victim", "_victim")
		fmt.Fprintf(&text, "_hostile[%q] := answer if {\n\t%s\n}\n\n", name, body)
	}
	f.write("wrapped.rego", text.String())
}

func TestHostileAnswersAreRefusedOneByOne(t *testing.T) {
	claims := shipped(t, "claims")
	claims.hostile()
	w := fixture.New(t, claims.dir)
	w.StartController(claims.dir)
	w.StartMachines()
	w.WarmPool("pool", builders.PoolSize(2, 40))
	victim := bindOne(w, "victim")
	member := w.Machine(victim.Status.VirtualMachineRef.Name)

	for name, tc := range hostileCases() {
		t.Run(name, func(t *testing.T) {
			before := troubles(w, tc.reason)
			own := provoke(w, name, tc, member)
			decided := w.UntilClaim(name, "Decided", metav1.ConditionFalse, tc.reason)
			require.Contains(t, decided.Message, tc.message)
			event := w.UntilEvent(name, tc.reason)
			require.Equal(t, "Warning", event.Type)
			require.Contains(t, event.Note, tc.message)
			require.Greater(t, troubles(w, tc.reason), before)
			require.Contains(t, lastLine(w.Controller.Log(), w.Namespace+"/"+name), quoted(tc.message))

			requireUnharmed(w, member)
			if own != nil {
				requireUnharmed(w, own)
			}
			after := w.Claim(name)
			require.Equal(t, own != nil, after.Status.VirtualMachineRef != nil)
			require.Equal(t, tc.bind, len(after.Finalizers) == 1)
			bindOne(w, "beside-"+name)
		})
	}
	requireUnharmed(w, w.Machine(member.Name))

	claims.restore()
	w.Until("every claim is decided again", func() error {
		for _, c := range w.Claims() {
			if meta.FindStatusCondition(c.Status.Conditions, "Decided") != nil {
				return fmt.Errorf("%s is not", c.Name)
			}
		}
		return nil
	})
}

func troubles(w *fixture.World, reason string) float64 {
	return w.Controller.Metric(`lictor_reconcile_trouble_total{reason="` + reason + `",registration="claims.claims"}`)
}

// provoke makes a claim for which policy answers badly, and returns its own member if it has one.
func provoke(w *fixture.World, name string, tc hostileCase, victim *v1alpha1.VirtualMachine) *v1alpha1.VirtualMachine {
	w.T.Helper()
	claim := w.NewClaim(name, "pool")
	annotations := map[string]string{
		"test.lictor.dev/case":   name,
		"test.lictor.dev/victim": fmt.Sprintf(`{"name": %q, "uid": %q, "resourceVersion": %q}`, victim.Name, victim.UID, victim.ResourceVersion),
	}
	if !tc.bind {
		claim.Annotations = annotations
		w.Create(claim)
		return nil
	}
	claim = bindOne(w, name)
	member := w.Machine(claim.Status.VirtualMachineRef.Name)
	before := claim.DeepCopy()
	for key, value := range annotations {
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, key, value)
	}
	require.NoError(w.T, w.Client.Patch(w.T.Context(), claim, client.MergeFrom(before)))
	if tc.delete {
		w.Kubectl.Run("delete", "vmclaim", name, "--wait=false")
	}
	return member
}

// requireUnharmed holds that a member is as it was.
func requireUnharmed(w *fixture.World, before *v1alpha1.VirtualMachine) {
	w.T.Helper()
	now := w.Machine(before.Name)
	require.Equal(w.T, before.UID, now.UID)
	require.Nil(w.T, now.DeletionTimestamp)
	require.Equal(w.T, before.OwnerReferences, now.OwnerReferences)
	require.Equal(w.T, before.Labels, now.Labels)
}

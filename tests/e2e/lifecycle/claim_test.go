// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

func TestClaimIsBoundWithThreeWrites(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(2, 5))
	writes := w.Writes()
	before := len(w.Read(writes)) // the pool's, from filling it

	start := time.Now().Truncate(time.Second)
	w.Apply(w.NewClaim("mine", "pool", builders.ClaimTTL(600), builders.ClaimSubject("https://issuer.example.com", "alice")))
	claim := w.UntilBound("mine")
	vm := w.Machine(claim.Status.VirtualMachineRef.Name)

	require.Equal(t, v1alpha1.ClaimBound, claim.Status.Phase)
	require.Equal(t, claim.Generation, claim.Status.ObservedGeneration)
	require.WithinRange(t, claim.Status.BoundAt.Time, start, time.Now())
	require.Equal(t, 600*time.Second, claim.Status.ExpiresAt.Sub(claim.Status.BoundAt.Time))
	require.Len(t, claim.Status.Conditions, 1)
	requireCondition(t, claim.Status.Conditions, v1alpha1.ConditionBound, metav1.ConditionTrue, v1alpha1.ReasonBound)
	require.Equal(t, []string{v1alpha1.FinalizerClaim}, claim.Finalizers)
	require.Equal(t, vm.Name, claim.Annotations[v1alpha1.AnnotationBindIntent])
	require.Equal(t, vm.UID, types.UID(claim.Annotations[v1alpha1.AnnotationBindIntentUID]))

	require.Equal(t, map[string]string{v1alpha1.LabelPool: "pool", v1alpha1.LabelPoolImageRevision: "gen-1", v1alpha1.LabelClaim: "mine"}, vm.Labels)
	require.Equal(t, map[string]string{v1alpha1.AnnotationClaimSubjectIssuer: "https://issuer.example.com",
		v1alpha1.AnnotationClaimSubjectID: "alice"}, vm.Annotations)
	require.Equal(t, []metav1.OwnerReference{*metav1.NewControllerRef(claim, kind("VirtualMachineClaim"))}, vm.OwnerReferences,
		"the claim is the only owner")

	// The audit log is behind what a watch shows by a moment.
	w.Until("three writes are in the audit log", func() error {
		return unlessEqual("patch claim, patch member, patch claim/status", describe(w.Read(writes)[before:], claim, vm.Name))
	})

	w.Kubectl.Run("delete", "vmclaim", "mine", "--timeout="+fixture.Patience.String())
	w.Until("the claim's whole life is in the audit log", func() error {
		return unlessEqual("patch claim, patch member, patch claim/status, delete member, patch claim/status, patch claim",
			describe(w.Read(writes)[before:], claim, vm.Name))
	})
}

// describe says in one line what was written to a claim and its member.
func describe(all []auditv1.Event, claim *v1alpha1.VirtualMachineClaim, member string) (out string) {
	for _, e := range all {
		what := ""
		switch {
		case e.ObjectRef.Resource == "virtualmachineclaims" && e.ObjectRef.Name == claim.Name:
			what = "claim"
		case e.ObjectRef.Resource == "virtualmachines" && e.ObjectRef.Name == member && e.Verb != "create": // long before
			what = "member"
		default:
			continue
		}
		if e.ObjectRef.Subresource != "" {
			what += "/" + e.ObjectRef.Subresource
		}
		if code := e.ResponseStatus.Code; code >= 300 {
			what += fmt.Sprintf(" (%d)", code)
		}
		if out != "" {
			out += ", "
		}
		out += e.Verb + " " + what
	}
	return out
}

func TestDeletedClaimGoesAfterItsMember(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool")
	w.Apply(w.NewClaim("mine", "pool"))
	claim := w.UntilBound("mine")
	member := claim.Status.VirtualMachineRef.Name
	w.Hold(member)

	w.Kubectl.Run("delete", "vmclaim", "mine", "--wait=false")
	w.UntilClaim("mine", v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonReleased)
	require.NotNil(t, w.Machine(member).DeletionTimestamp, "the member goes first")
	releasing := w.Claim("mine")
	require.Equal(t, v1alpha1.ClaimReleasing, releasing.Status.Phase)
	require.Equal(t, claim.Status.ExpiresAt, releasing.Status.ExpiresAt)
	require.Empty(t, releasing.Status.Addresses)
	w.Throughout(time.Second, "the finalizer outlives the member", func() error {
		return unlessEqual(1, len(w.Claim("mine").Finalizers))
	})

	w.LetGo(member)
	w.Gone(claim)
	w.Gone(&v1alpha1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: member}})
}

func TestExpiredClaimIsReleasedAtItsInstant(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool")
	w.Apply(w.NewClaim("mine", "pool", builders.ClaimTTL(3)))
	claim := w.UntilBound("mine")
	member := claim.Status.VirtualMachineRef.Name
	w.Hold(member)

	deadline := claim.Status.ExpiresAt.Time
	w.Throughout(time.Until(deadline)-50*time.Millisecond, "nothing happens before the deadline", func() error {
		return unlessEqual(v1alpha1.ClaimBound, w.Claim("mine").Status.Phase)
	})
	w.Within(time.Until(deadline)+time.Second, "the deadline is acted on within a second", func() error {
		return unlessEqual(v1alpha1.ClaimReleasing, w.Claim("mine").Status.Phase)
	})
	expired := w.Claim("mine")
	requireCondition(t, expired.Status.Conditions, v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonExpired)
	require.Nil(t, expired.DeletionTimestamp, "the claim stays until the member is gone")
	require.NotNil(t, w.Machine(member).DeletionTimestamp)

	w.LetGo(member)
	w.Gone(claim)
}

func TestClaimThatWaitsSaysForWhatAndIsWoken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.StartController()
	w.Apply(w.NewClaim("mine", "later"))
	got := w.UntilClaim("mine", v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonPoolNotFound)
	require.Contains(t, got.Message, `"later"`)
	require.Equal(t, v1alpha1.ClaimPending, w.Claim("mine").Status.Phase)
	require.Empty(t, w.Claim("mine").Finalizers, "a claim that holds nothing protects nothing")

	w.Apply(w.NewPool("later", builders.PoolSize(1, 2)))
	w.UntilPool("later", v1alpha1.ConditionWarm, metav1.ConditionFalse, v1alpha1.ReasonReadinessSignalAbsent)
	w.Until("the claim tells the pool's reason", func() error {
		c := w.Claim("mine").Status.Conditions[0]
		if c.Reason != v1alpha1.ReasonNoMemberAvailable || !contains(c.Message, `"later"`, v1alpha1.ReasonReadinessSignalAbsent) {
			return fmt.Errorf("it says %s: %s", c.Reason, c.Message)
		}
		return nil
	})

	member := w.Members("later")[0]
	w.SetReady(&member, metav1.ConditionTrue, time.Now())
	w.Within(time.Second, "the claim is woken, not polled", func() error {
		return unlessEqual(v1alpha1.ClaimBound, w.Claim("mine").Status.Phase)
	})
	require.Equal(t, member.Name, w.Claim("mine").Status.VirtualMachineRef.Name)
}

func TestDeletedPoolLeavesClaimedMembers(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(3, 5))
	w.Apply(w.NewClaim("mine", "pool"))
	claim := w.UntilBound("mine")
	w.UntilWarm("pool")

	w.Kubectl.Run("delete", "vmpool", "pool", "--timeout="+fixture.Patience.String())
	w.Until("only the claimed member is left", func() error { return unlessEqual(1, len(w.Members("pool"))) })
	left := w.Machine(claim.Status.VirtualMachineRef.Name)
	require.Nil(t, left.DeletionTimestamp)
	require.Equal(t, v1alpha1.ClaimBound, w.Claim("mine").Status.Phase)

	w.Apply(w.NewClaim("late", "pool"))
	w.UntilClaim("late", v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonPoolNotFound)
	w.Kubectl.Run("delete", "vmclaim", "mine", "--timeout="+fixture.Patience.String())
	w.Gone(left)
}

func TestClaimWhoseMemberVanishedFailsForGood(t *testing.T) {
	t.Parallel()
	w := fixture.Started(t)
	w.WarmPool("pool", builders.PoolSize(3, 5))
	w.Apply(w.NewClaim("mine", "pool", builders.ClaimTTL(4)))
	claim := w.UntilBound("mine")
	w.UntilWarm("pool")

	w.Kubectl.Run("delete", "vm", claim.Status.VirtualMachineRef.Name)
	w.UntilClaim("mine", v1alpha1.ConditionBound, metav1.ConditionFalse, v1alpha1.ReasonMemberLost)
	event := w.UntilEvent("mine", v1alpha1.ReasonMemberLost)
	require.Equal(t, "Warning", event.Type)
	require.Contains(t, event.Note, claim.Status.VirtualMachineRef.Name)

	expires := claim.Status.ExpiresAt.Time
	w.Throughout(time.Until(expires)-50*time.Millisecond, "it is never bound again, though members are free", func() error {
		now := w.Claim("mine").Status
		if now.Phase != v1alpha1.ClaimFailed || *now.VirtualMachineRef != *claim.Status.VirtualMachineRef {
			return fmt.Errorf("the status is %+v", now)
		}
		return nil
	})
	w.Within(time.Until(expires)+2*time.Second, "a lost claim ends at its deadline", func() error {
		err := w.Client.Get(t.Context(), client.ObjectKeyFromObject(claim), claim)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is %v: %w", claim.Status.Phase, err)
	})
	for _, vm := range w.Members("pool") {
		require.NotContains(t, vm.Labels, v1alpha1.LabelClaim)
	}
}

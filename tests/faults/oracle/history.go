// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// Fact is one state of a member or a claim, or its end. Exactly one of Member and Claim is set.
type Fact struct {
	// Revision is the store's: one counter for all objects, so facts of different kinds have an order.
	Revision uint64
	// At is when the fact was known, not earlier than when it happened.
	At time.Time
	// Gone says that the object ceased to exist in this state.
	Gone bool

	Member *banlieue.VirtualMachine
	Claim  *banlieue.VirtualMachineClaim
}

// UID is the object's.
func (f *Fact) UID() types.UID {
	if f.Member != nil {
		return f.Member.UID
	}
	return f.Claim.UID
}

// Sort brings facts of several watches into their order.
func Sort(history []Fact) {
	slices.SortFunc(history, func(a, b Fact) int { return cmp.Compare(a.Revision, b.Revision) })
}

// Violation is a broken rule.
type Violation struct {
	Rule     Rule
	Revision uint64
	Message  string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s (revision %d): %s", v.Rule, v.Revision, v.Message)
}

// Rule names what a history must keep.
type Rule string

// The rules; docs/faults.md describes them.
const (
	OneClaimPerMember Rule = "1: a member never belongs to two claims"
	OneMemberPerClaim Rule = "2: a claim never has two members"
	WrittenOnce       Rule = "2: a claim's member and deadline are written once"
	Protected         Rule = "3: a claim outlives its member, and its finalizer with it"
	ReleaseOnly       Rule = "4: a claimed member ends only with its claim"
	NoOrphan          Rule = "4: no member belongs to a claim that is gone"
	PoolAtRest        Rule = "4: a pool at rest is warm and within its limits"
	OneAddress        Rule = "5: two members never hold one address"
	Complete          Rule = "the history is complete"
)

// claimOf is the UID of the claim that owns a member, and the name of the claim that it is labelled with.
func claimOf(member *banlieue.VirtualMachine) (owner types.UID, label string) {
	for i := range member.OwnerReferences {
		if o := &member.OwnerReferences[i]; o.Kind == "VirtualMachineClaim" {
			owner = o.UID
		}
	}
	return owner, member.Labels[banlieue.LabelClaim]
}

func protects(claim *banlieue.VirtualMachineClaim) bool {
	return slices.Contains(claim.Finalizers, banlieue.FinalizerClaim)
}

func expired(claim *banlieue.VirtualMachineClaim, at time.Time) bool {
	return claim.Status.ExpiresAt != nil && !at.Before(claim.Status.ExpiresAt.Time)
}

func addressOf(member *banlieue.VirtualMachine) string {
	if member.Labels[banlieue.LabelPool] == "" || len(member.Spec.NetworkOverrides) == 0 {
		return ""
	}
	return string(member.Spec.NetworkOverrides[0].Static.Address)
}

func deleted(o metav1.Object) bool { return o.GetDeletionTimestamp() != nil }

// Members are the UIDs of all members that ever belonged to a claim.
func Members(history []Fact, claim types.UID) []types.UID {
	var out []types.UID
	for i := range history {
		m := history[i].Member
		if m == nil || slices.Contains(out, m.UID) {
			continue
		}
		if owner, _ := claimOf(m); owner == claim && claim != "" {
			out = append(out, m.UID)
		}
	}
	return out
}

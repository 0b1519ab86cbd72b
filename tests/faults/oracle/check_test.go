// SPDX-License-Identifier: Apache-2.0

package oracle_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
)

func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC) }

type (
	vm    = banlieue.VirtualMachine
	claim = banlieue.VirtualMachineClaim
)

func member(uid types.UID, options ...builders.Option[vm]) oracle.Fact {
	m := builders.VM("ns", "name-of-"+string(uid), options...)
	m.UID = uid
	builders.VMLabel(banlieue.LabelPool, "pool")(m)
	return oracle.Fact{At: noon(), Member: m}
}

// of makes a member one of the claim with this UID.
func of(uid types.UID) builders.Option[vm] {
	return func(m *vm) {
		builders.VMLabel(banlieue.LabelClaim, "name-of-"+string(uid))(m)
		m.OwnerReferences = []metav1.OwnerReference{{Kind: "VirtualMachineClaim", Name: "name-of-" + string(uid), UID: uid}}
	}
}

func claimed(uid types.UID, options ...builders.Option[claim]) oracle.Fact {
	c := builders.Claim("ns", "name-of-"+string(uid), options...)
	c.UID = uid
	return oracle.Fact{At: noon(), Claim: c}
}

func protected(c *claim) { c.Finalizers = []string{banlieue.FinalizerClaim} }

// holding makes a claim say that it is bound to a member until noon and some seconds.
func holding(member string, seconds int) builders.Option[claim] {
	return func(c *claim) {
		protected(c)
		until := metav1.NewTime(noon().Add(time.Duration(seconds) * time.Second))
		c.Status.VirtualMachineRef, c.Status.ExpiresAt = &banlieue.LocalObjectReference{Name: member}, &until
	}
}

func going[T metav1.Object](o T) { now := metav1.NewTime(noon()); o.SetDeletionTimestamp(&now) }

func gone(f oracle.Fact) oracle.Fact {
	f.Gone = true
	return f
}

// history numbers facts in their order.
func history(facts ...oracle.Fact) []oracle.Fact {
	for i := range facts {
		facts[i].Revision = uint64(i + 1)
	}
	return facts
}

func TestCheck(t *testing.T) {
	bound := holding("name-of-m1", 60)
	cases := map[string]struct {
		reason  string
		history []oracle.Fact
		want    []oracle.Rule
	}{
		"WholeLife": {
			reason: "bound, deleted, released in order: no complaint",
			history: history(member("m1"), claimed("c1"), claimed("c1", protected), member("m1", of("c1")), claimed("c1", bound),
				claimed("c1", bound, going), member("m1", of("c1"), going), gone(member("m1", of("c1"))), gone(claimed("c1", bound, going))),
		},
		"Expiry": {
			reason: "a member that goes at its claim's deadline goes rightly",
			history: history(member("m1"), claimed("c1", protected), member("m1", of("c1")), claimed("c1", holding("name-of-m1", 0)),
				gone(member("m1", of("c1")))),
		},
		"NeverBound": {
			reason:  "a claim without a member may go at any time, with or without its finalizer",
			history: history(claimed("c1"), gone(claimed("c1")), claimed("c2", protected), gone(claimed("c2", protected))),
		},
		"Rebound": {
			reason: "a member that changes its claim",
			history: history(member("m1"), claimed("c1", protected), claimed("c2", protected), member("m1", of("c1")),
				member("m1", of("c2"))),
			want: []oracle.Rule{oracle.OneClaimPerMember},
		},
		"Unbound": {
			reason:  "a member that goes back to its pool",
			history: history(claimed("c1", protected), member("m1", of("c1")), member("m1")),
			want:    []oracle.Rule{oracle.OneClaimPerMember},
		},
		"LabelAlone": {
			reason:  "a member that is labelled and not owned",
			history: history(member("m1", builders.VMLabel(banlieue.LabelClaim, "name-of-c1"))),
			want:    []oracle.Rule{oracle.OneClaimPerMember},
		},
		"TwoMembers": {
			reason:  "a claim with two members",
			history: history(claimed("c1", protected), member("m1", of("c1")), member("m2", of("c1"))),
			want:    []oracle.Rule{oracle.OneMemberPerClaim},
		},
		"TwoMembersOneAfterTheOther": {
			reason: "a claim whose first member is gone and that gets another",
			history: history(claimed("c1", protected, going), member("m1", of("c1")), gone(member("m1", of("c1"))),
				member("m2", of("c1"))),
			want: []oracle.Rule{oracle.OneMemberPerClaim},
		},
		"WrongName": {
			reason:  "a claim that says that it has another member than it has",
			history: history(claimed("c1", protected), member("m1", of("c1")), claimed("c1", holding("name-of-m2", 60))),
			want:    []oracle.Rule{oracle.OneMemberPerClaim},
		},
		"MovedReference": {
			reason:  "a reference that changes",
			history: history(claimed("c1", bound), claimed("c1", holding("name-of-m2", 60))),
			want:    []oracle.Rule{oracle.WrittenOnce},
		},
		"MovedDeadline": {
			reason:  "a deadline that changes",
			history: history(claimed("c1", bound), claimed("c1", holding("name-of-m1", 61))),
			want:    []oracle.Rule{oracle.WrittenOnce},
		},
		"LostReference": {
			reason:  "a reference that vanishes",
			history: history(claimed("c1", bound), claimed("c1", protected)),
			want:    []oracle.Rule{oracle.WrittenOnce},
		},
		"LostFinalizer": {
			reason:  "a finalizer that comes off while the member is there",
			history: history(claimed("c1", protected), member("m1", of("c1")), claimed("c1")),
			want:    []oracle.Rule{oracle.Protected},
		},
		"NoFinalizer": {
			reason:  "a member that is bound to a claim without a finalizer",
			history: history(claimed("c1"), member("m1", of("c1"))),
			want:    []oracle.Rule{oracle.Protected},
		},
		"ClaimGoesFirst": {
			reason: "a claim that goes while its member is still being destroyed",
			history: history(claimed("c1", protected), member("m1", of("c1")), claimed("c1", protected, going),
				member("m1", of("c1"), going), gone(claimed("c1", protected, going))),
			want: []oracle.Rule{oracle.Protected},
		},
		"Orphan": {
			reason:  "a member that is bound to a claim which is gone",
			history: history(member("m1"), claimed("c1", protected), gone(claimed("c1", protected, going)), member("m1", of("c1"))),
			want:    []oracle.Rule{oracle.NoOrphan},
		},
		"Namesake": {
			reason: "a member that is bound to a claim which is gone and whose name another one has",
			history: history(claimed("c1", protected), gone(claimed("c1", protected, going)), claimed("c2", protected),
				member("m1", of("c1"))),
			want: []oracle.Rule{oracle.NoOrphan},
		},
		"TakenAway": {
			reason: "a member that is deleted while its claim lives",
			history: history(member("m1"), claimed("c1", protected), member("m1", of("c1")), claimed("c1", bound),
				member("m1", of("c1"), going), gone(member("m1", of("c1"), going))),
			want: []oracle.Rule{oracle.ReleaseOnly},
		},
		"TakenAwayAtOnce": {
			reason:  "the same without a finalizer on the member",
			history: history(claimed("c1", protected), member("m1", of("c1")), gone(member("m1", of("c1")))),
			want:    []oracle.Rule{oracle.ReleaseOnly},
		},
		"OneAddressTwice": {
			reason:  "an address that is given out while its holder is still there",
			history: history(member("m1", address), member("m1", address, going), member("m2", address)),
			want:    []oracle.Rule{oracle.OneAddress},
		},
		"AddressAgain": {
			reason:  "an address that is given out again once its holder is gone",
			history: history(member("m1", address), gone(member("m1", address)), member("m2", address)),
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			var got []oracle.Rule
			for _, v := range oracle.Check(test.history) {
				got = append(got, v.Rule)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

func address(m *vm) { builders.VMStaticAddress("nic0", "192.0.2.7")(m) }

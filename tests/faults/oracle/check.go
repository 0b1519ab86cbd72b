// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// Check plays a sorted history through and returns every violation of the rules that hold at each moment.
func Check(history []Fact) []Violation {
	w := newWorld()
	for i := range history {
		w.play(&history[i])
	}
	return w.violations
}

// world is the present of a history that is being played, and what must not be forgotten of its past.
type world struct {
	members map[types.UID]*banlieue.VirtualMachine
	claims  map[types.UID]*banlieue.VirtualMachineClaim

	claimOfMember map[types.UID]types.UID // for ever: who it belonged to first
	labelOfMember map[types.UID]string
	memberOfClaim map[types.UID]types.UID
	bound         map[types.UID]banlieue.VirtualMachineClaimStatus // the first status with a member

	revision   uint64
	violations []Violation
}

func newWorld() *world {
	return &world{
		members: map[types.UID]*banlieue.VirtualMachine{}, claims: map[types.UID]*banlieue.VirtualMachineClaim{},
		claimOfMember: map[types.UID]types.UID{}, labelOfMember: map[types.UID]string{}, memberOfClaim: map[types.UID]types.UID{},
		bound: map[types.UID]banlieue.VirtualMachineClaimStatus{},
	}
}

func (w *world) play(f *Fact) {
	w.revision = f.Revision
	if f.Member != nil {
		w.playMember(f)
	} else {
		w.playClaim(f)
	}
}

func (w *world) playMember(f *Fact) {
	w.checkAttribution(f.Member)
	w.checkRelease(f)
	if f.Gone {
		delete(w.members, f.Member.UID)
		return
	}
	w.checkAddress(f.Member)
	w.members[f.Member.UID] = f.Member
	w.checkProtection(f.Member)
}

func (w *world) playClaim(f *Fact) {
	w.checkStatus(f.Claim)
	if f.Gone {
		delete(w.claims, f.Claim.UID)
	} else {
		w.claims[f.Claim.UID] = f.Claim
	}
	for _, m := range w.members {
		if owner, _ := claimOf(m); owner != f.Claim.UID {
			continue
		}
		if f.Gone {
			w.report(Protected, "claim %s is gone while its member %s is there", f.Claim.Name, m.Name)
			continue
		}
		w.checkProtection(m)
	}
}

// checkAttribution holds rules 1 and 2 on the members' side.
func (w *world) checkAttribution(m *banlieue.VirtualMachine) {
	owner, label := claimOf(m)
	if (owner == "") != (label == "") {
		w.report(OneClaimPerMember, "member %s has the claim label %q and the claim owner %q: both or none", m.Name, label, owner)
	}
	firstOwner, owned := w.claimOfMember[m.UID]
	firstLabel := w.labelOfMember[m.UID]
	if owned && (firstOwner != owner || firstLabel != label) {
		w.report(OneClaimPerMember, "member %s went from claim %s (%s) to %q (%q)", m.Name, firstLabel, firstOwner, label, owner)
		return
	}
	if owned || owner == "" {
		return
	}
	w.claimOfMember[m.UID], w.labelOfMember[m.UID] = owner, label
	if other, ok := w.memberOfClaim[owner]; ok {
		w.report(OneMemberPerClaim, "claim %s (%s) has members %s and %s (%s)", label, owner, other, m.UID, m.Name)
		return
	}
	w.memberOfClaim[owner] = m.UID
}

// checkStatus holds rule 2 on the claim's side.
func (w *world) checkStatus(c *banlieue.VirtualMachineClaim) {
	first, bound := w.bound[c.UID]
	now := c.Status
	switch {
	case !bound && now.VirtualMachineRef != nil:
		w.bound[c.UID] = now
		member := w.members[w.memberOfClaim[c.UID]]
		if member != nil && member.Name != now.VirtualMachineRef.Name {
			w.report(OneMemberPerClaim, "claim %s says %s and has member %s", c.Name, now.VirtualMachineRef.Name, member.Name)
		}
	case !bound && now.ExpiresAt != nil:
		w.report(WrittenOnce, "claim %s has a deadline and no member", c.Name)
	case bound && (now.VirtualMachineRef == nil || *now.VirtualMachineRef != *first.VirtualMachineRef):
		w.report(WrittenOnce, "claim %s: virtualMachineRef was %v, is %v", c.Name, first.VirtualMachineRef, now.VirtualMachineRef)
	case bound && !now.ExpiresAt.Equal(first.ExpiresAt):
		w.report(WrittenOnce, "claim %s: expiresAt was %v, is %v", c.Name, first.ExpiresAt, now.ExpiresAt)
	}
}

// checkProtection holds rule 3 and the absence of orphans: whenever a member belongs to a claim, the claim exists and
// has its finalizer.
func (w *world) checkProtection(m *banlieue.VirtualMachine) {
	owner, label := claimOf(m)
	if owner == "" {
		return
	}
	switch c := w.claims[owner]; {
	case c == nil:
		w.report(NoOrphan, "member %s belongs to claim %s (%s), which does not exist", m.Name, label, owner)
	case !protects(c):
		w.report(Protected, "claim %s lacks its finalizer while member %s is there", c.Name, m.Name)
	}
}

// checkRelease holds rule 4: a claimed member's deletion begins only when its claim is deleted or past its deadline.
func (w *world) checkRelease(f *Fact) {
	before := w.members[f.Member.UID]
	begins := (f.Gone || deleted(f.Member)) && (before == nil || !deleted(before))
	owner, label := claimOf(f.Member)
	if !begins || owner == "" {
		return
	}
	// A claim that is gone was deleted before; whether it may have gone is rule 3's question.
	if c := w.claims[owner]; c != nil && !deleted(c) && !expired(c, f.At) {
		w.report(ReleaseOnly, "member %s was deleted at %s while claim %s lived (deadline %v)",
			f.Member.Name, f.At.UTC().Format(time.RFC3339Nano), label, c.Status.ExpiresAt)
	}
}

// checkAddress holds rule 5: a member has its address until it is gone.
func (w *world) checkAddress(m *banlieue.VirtualMachine) {
	address := addressOf(m)
	if address == "" || w.members[m.UID] != nil {
		return
	}
	for _, other := range w.members {
		if addressOf(other) == address {
			w.report(OneAddress, "members %s and %s both hold %s", other.Name, m.Name, address)
		}
	}
}

func (w *world) report(rule Rule, format string, args ...any) {
	w.violations = append(w.violations, Violation{Rule: rule, Revision: w.revision, Message: fmt.Sprintf(format, args...)})
}

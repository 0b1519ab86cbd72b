// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// Counts says how much a history tells, so that a test can show that it tested something.
type Counts struct {
	States, Claims, Bound, Expired, Released, Members, MembersGone int
}

// Count counts a sorted history.
func Count(history []Fact) Counts {
	out := Counts{States: len(history)}
	claims, members, bound := map[types.UID]bool{}, map[types.UID]bool{}, map[types.UID]bool{}
	for i := range history {
		f := &history[i]
		if f.Member != nil {
			members[f.Member.UID] = true
			out.MembersGone += one(f.Gone)
			continue
		}
		claims[f.Claim.UID] = true
		had := bound[f.Claim.UID]
		bound[f.Claim.UID] = had || f.Claim.Status.VirtualMachineRef != nil
		if f.Gone && had {
			out.Released++
			out.Expired += one(endedByDeadline(f.Claim, f.At))
		}
	}
	out.Claims, out.Members = len(claims), len(members)
	for _, b := range bound {
		out.Bound += one(b)
	}
	return out
}

// endedByDeadline tells whether a claim was deleted no earlier than its deadline, as its controller does.
func endedByDeadline(c *banlieue.VirtualMachineClaim, at time.Time) bool {
	return expired(c, at) && c.DeletionTimestamp != nil && !c.DeletionTimestamp.Before(c.Status.ExpiresAt)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c Counts) String() string {
	return fmt.Sprintf("%d claims, %d of them bound; %d bound claims released, %d of these expired; %d members, %d of them gone; %d states",
		c.Claims, c.Bound, c.Released, c.Expired, c.Members, c.MembersGone, c.States)
}

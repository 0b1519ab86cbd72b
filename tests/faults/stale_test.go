// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lictor-dev/lictor/tests/faults/oracle"
	"github.com/lictor-dev/lictor/tests/faults/proxy"
)

// TestStaleClaim has a former leader that has not learned that it is one, whose cache of claims is old and whose cache of
// members is not: it believes in a claim that was released meanwhile, and knows the newest resourceVersion of the member
// that the claim intended to take.
func TestStaleClaim(t *testing.T) {
	r := newPair(t, false)
	const claims, members = "virtualmachineclaims", "virtualmachines"
	before := r.first.proxy.Delivered(claims)
	release := make(chan struct{})
	held := r.first.proxy.Arm(proxy.MemberBind, proxy.Fault{Before: func() { <-release }})
	r.claims()
	await(t, "the first controller comes to the bind", held.Hit())
	delivered(t, r.first, claims, before+2) // the claim, and its intent
	resume := r.first.proxy.Stall(claims)
	seen := r.first.proxy.Delivered(members)
	r.second.start()
	r.releasesFenced()
	delivered(t, r.first, members, seen+1) // the fence
	close(release)
	await(t, "the late bind is answered", held.Done())
	// Its next passes come after 50 ms at most, and each of them is one chance to go wrong.
	<-time.After(2 * time.Second)
	resume()
	history := judge(t, r.Cluster, r.recorder)
	if had := oracle.Members(history, r.claim.UID); len(had) != 0 {
		t.Errorf("the claim has had the members %v", had)
	}
}

func delivered(t *testing.T, k *controller, resource string, pieces int) {
	t.Helper()
	eventually(t, "controller "+k.name+" sees "+resource, func(context.Context) error {
		if k.proxy.Delivered(resource) < pieces {
			return errors.New("nothing new")
		}
		return nil
	})
}

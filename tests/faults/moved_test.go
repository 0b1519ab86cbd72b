// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
	"github.com/lictor-dev/lictor/tests/faults/proxy"
)

// TestMovedMember has the intended member change while the write that binds it is under way, so that the API server
// refuses the write. The controller lives, and tells apart a member that merely moved and one that it must not take.
func TestMovedMember(t *testing.T) {
	cases := map[string]struct {
		reason    string
		meanwhile func(*moving)
		members   int
		binds     int // how many writes to bind a member there are in all
	}{
		"StatusMoves": {
			reason:    "a member whose status moved is tried again; it is not given up for another",
			meanwhile: func(*moving) {}, members: 1, binds: 2,
		},
		"ClaimIsDeleted": {
			reason:    "the claim is read again before the member is: a deleted one takes nothing any more",
			meanwhile: func(m *moving) { m.delete(m.claim) }, binds: 1,
		},
		"MemberGoes": {
			reason:    "the claim intends another member",
			meanwhile: func(m *moving) { m.delete(builders.VM(m.Namespace, m.intended())) }, members: 1, binds: 2,
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // mostly waiting
			t.Log(test.reason)
			m := newMoving(t)
			release := m.hold()
			m.touch()
			test.meanwhile(m)
			release()
			if test.members == 0 {
				m.gone(m.claim.Name)
			} else {
				m.bound(m.claim.Name)
			}
			history := judge(t, m.Cluster, m.recorder)
			if had := oracle.Members(history, m.claim.UID); len(had) != test.members {
				t.Errorf("the claim has had the members %v, not %d", had, test.members)
			}
			if got := m.first.proxy.Counts()[proxy.MemberBind]; got != test.binds {
				t.Errorf("%d writes to bind a member, want %d", got, test.binds)
			}
		})
	}
}

// moving is a single controller with a claim whose bind is under way.
type moving struct{ *rivals }

func newMoving(t *testing.T) *moving { return &moving{newPair(t, false)} }

// hold creates the claim, and returns when its bind is under way. The returned function lets the bind go on.
func (m *moving) hold() func() {
	m.t.Helper()
	let := make(chan struct{})
	armed := m.first.proxy.Arm(proxy.MemberBind, proxy.Fault{Before: func() { <-let }})
	m.claims()
	await(m.t, "the bind is under way", armed.Hit())
	return func() { close(let) }
}

// touch moves the intended member's status, as its machine does from time to time.
func (m *moving) touch() {
	m.t.Helper()
	vm := builders.VM(m.Namespace, m.intended())
	if err := m.Client.Get(m.t.Context(), client.ObjectKeyFromObject(vm), vm); err != nil {
		m.t.Fatalf("read member: %v", err)
	}
	for i := range vm.Status.Conditions {
		vm.Status.Conditions[i].Message = "moved"
	}
	if err := m.Client.Status().Update(m.t.Context(), vm); err != nil {
		m.t.Fatalf("move member: %v", err)
	}
}

// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"errors"
	"net/http"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
	"github.com/lictor-dev/lictor/tests/faults/proxy"
)

// TestPausedLeader stops a leader while one of its writes is under way. Another controller takes over and does what is to
// be done. Then the write arrives, and the former leader goes on.
func TestPausedLeader(t *testing.T) { testLateWrites(t, newRivals) }

// TestKilledLeader is the same with a process that is killed, and followed at once by one that needs no lease: nothing
// but the writes' preconditions stands against the late write.
func TestKilledLeader(t *testing.T) { testLateWrites(t, newSuccessors) }

// lateWrite is a case of a write that arrives when another controller has gone on.
type lateWrite struct {
	reason  string
	point   proxy.Point
	prepare func(*rivals) // before the write is awaited
	cause   func(*rivals) // makes the first controller write
	takes   func(*rivals) // what happens while the write is under way
	members int           // how many the first claim has had in the end
	late    int           // what the API server answers to the late write
}

func lateWrites() map[string]lateWrite {
	return map[string]lateWrite{
		"Intent, the other binds": {
			reason: "the intent carries the claim's resourceVersion, which the other's has moved",
			point:  proxy.Intent, cause: (*rivals).claims, takes: (*rivals).binds, members: 1, late: http.StatusConflict,
		},
		"Intent, the claim is deleted": {
			reason: "a claim without an intent has no finalizer and is gone at once",
			point:  proxy.Intent, cause: (*rivals).claims, takes: (*rivals).releases, late: http.StatusNotFound,
		},
		"Intent, the claim is deleted and made again": {
			reason: "the intent carries the claim's UID",
			point:  proxy.Intent, cause: (*rivals).claims, takes: (*rivals).replaces, late: http.StatusConflict,
		},
		"Bind, the other binds": {
			reason: "the other finishes the same intent, so the member has moved",
			point:  proxy.MemberBind, cause: (*rivals).claims, takes: (*rivals).binds, members: 1, late: http.StatusConflict,
		},
		"Bind, the claim is deleted": {
			reason: "the other fences the member before it lets the claim go: the late bind knows an old resourceVersion",
			point:  proxy.MemberBind, cause: (*rivals).claims, takes: (*rivals).releasesFenced, late: http.StatusConflict,
		},
		"Bind, the claim is deleted and made again": {
			reason: "the same name does not help a late bind",
			point:  proxy.MemberBind, cause: (*rivals).claims, takes: (*rivals).replaces, late: http.StatusConflict,
		},
		"Bind, the member goes and another is taken": {
			reason: "the other proves that the intended member is gone before it intends another",
			point:  proxy.MemberBind, cause: (*rivals).claims, takes: (*rivals).bindsAnother, members: 1, late: http.StatusNotFound,
		},
		"Status, the other binds": {
			reason: "the status carries the claim's resourceVersion: the other's deadline stays",
			point:  proxy.StatusBound, cause: (*rivals).claims, takes: (*rivals).binds, members: 1, late: http.StatusConflict,
		},
		"Status, the claim is deleted": {
			reason: "the member is known by its owner, not by the status that was never written",
			point:  proxy.StatusBound, cause: (*rivals).claims, takes: (*rivals).releases, members: 1, late: http.StatusNotFound,
		},
		"Member delete": {
			reason: "the delete carries the member's UID, and nobody gets that member any more",
			point:  proxy.MemberDelete, prepare: (*rivals).holds, cause: (*rivals).deletes, takes: (*rivals).releases,
			members: 1, late: http.StatusNotFound,
		},
		"Status Releasing": {
			reason: "the claim is gone by then",
			point:  proxy.StatusReleasing, prepare: (*rivals).holds, cause: (*rivals).deletes, takes: (*rivals).releases,
			members: 1, late: http.StatusNotFound,
		},
		"Finalizer removal": {
			reason: "the claim is gone by then",
			point:  proxy.FinalizerRemove, prepare: (*rivals).holds, cause: (*rivals).deletes, takes: (*rivals).releases,
			members: 1, late: http.StatusNotFound,
		},
		"Finalizer removal, the claim is made again": {
			reason: "the removal carries the claim's UID: the new claim of the same name keeps its finalizer",
			point:  proxy.FinalizerRemove, prepare: (*rivals).holds, cause: (*rivals).deletes, takes: (*rivals).replaces,
			members: 1, late: http.StatusConflict,
		},
		"Fence": {
			reason: "a fence that comes late finds the member moved",
			point:  proxy.Fence, prepare: (*rivals).abandons, cause: (*rivals).restarts, takes: (*rivals).releases, late: http.StatusConflict,
		},
		"Create": {
			reason: "a late create makes one member more than is wanted, and the pool gives it up again",
			point:  proxy.MemberCreate, cause: (*rivals).addsPool, takes: (*rivals).filled, late: http.StatusCreated,
		},
		"Create with an address": {
			reason: "the member's name follows from the address, so the address is not given out twice",
			point:  proxy.MemberCreate, cause: (*rivals).addsAddressedPool, takes: (*rivals).filled, late: http.StatusConflict,
		},
	}
}

func testLateWrites(t *testing.T, with func(*testing.T) *rivals) {
	for name, test := range lateWrites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // mostly waiting for leases
			t.Log(test.reason)
			r := with(t)
			if test.prepare != nil {
				test.prepare(r)
			}
			held := r.holdFirst(test.point, func() { test.cause(r) })
			test.takes(r)
			if got := r.releaseFirst(held); got != test.late {
				t.Errorf("the API server answered the late write with %d, want %d", got, test.late)
			}
			history := judge(t, r.Cluster, r.recorder)
			if had := oracle.Members(history, r.claim.UID); len(had) != test.members {
				t.Errorf("the claim has had the members %v, not %d", had, test.members)
			}
		})
	}
}

// rivals are two controllers, of which the second goes on where the first is stopped.
type rivals struct {
	*setting
	first, second *controller
	stop, goOn    func() // the first
	claim         *banlieue.VirtualMachineClaim
	again         *banlieue.VirtualMachineClaim // of the same name, after claim
}

// newRivals are controllers that elect a leader. The first is paused, and goes on when it does not lead any more.
func newRivals(t *testing.T) *rivals {
	r := newPair(t, true)
	var leader string
	r.stop = func() {
		leader = r.leader(t.Context())
		r.first.pause()
	}
	r.goOn = func() {
		eventually(t, "the second controller leads", func(ctx context.Context) error {
			if r.leader(ctx) == leader {
				return errors.New("the first one does")
			}
			return nil
		})
		r.first.resume()
	}
	return r
}

// newSuccessors are controllers that each lead without asking. The first is killed.
func newSuccessors(t *testing.T) *rivals {
	r := newPair(t, false)
	r.stop, r.goOn = r.first.kill, func() {}
	return r
}

func newPair(t *testing.T, elect bool) *rivals {
	s := newSetting(t, simulation{})
	r := &rivals{setting: s, first: newController(t, s.Cluster, "A", elect), second: newController(t, s.Cluster, "B", elect)}
	r.claim = builders.Claim(s.Namespace, "desk")
	r.again = builders.Claim(s.Namespace, "desk")
	r.pool("pool", 2, 4)
	r.first.start()
	r.filled()
	return r
}

// leader is who holds the lease.
func (r *rivals) leader(ctx context.Context) string {
	r.t.Helper()
	var lease coordinationv1.Lease
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: leaseName}, &lease); err != nil {
		r.t.Fatalf("read lease: %v", err)
	}
	return *lease.Spec.HolderIdentity
}

// heldWrite is a write of the first controller that is under way.
type heldWrite struct {
	armed   *proxy.Armed
	release chan struct{}
}

// holdFirst has the first controller come to a write, holds the write, stops the controller, and starts the second.
func (r *rivals) holdFirst(point proxy.Point, cause func()) *heldWrite {
	r.t.Helper()
	h := &heldWrite{release: make(chan struct{})}
	h.armed = r.first.proxy.Arm(point, proxy.Fault{Before: func() { <-h.release }})
	cause()
	await(r.t, "the first controller comes to "+string(point), h.armed.Hit())
	r.stop()
	r.second.start()
	return h
}

// releaseFirst lets the held write arrive and the first controller go on, which finds that it does not lead and ends. It
// returns what the API server answers to the write.
func (r *rivals) releaseFirst(h *heldWrite) int {
	r.t.Helper()
	r.goOn()
	close(h.release)
	await(r.t, "the late write is answered", h.armed.Done())
	await(r.t, "the first controller ends", r.first.ended())
	return h.armed.Status()
}

func (r *rivals) addsPool() { r.pool("another", 3, 6) }

func (r *rivals) addsAddressedPool() {
	r.pool("addresses", 3, 6, builders.PoolAddresses("10.0.0.1-10.0.0.9"))
}

func (r *rivals) claims()   { r.create(r.claim) }
func (r *rivals) deletes()  { r.delete(r.claim) }
func (r *rivals) binds()    { r.bound(r.claim.Name) }
func (r *rivals) restarts() { r.first.start() }

func (r *rivals) holds() {
	r.create(r.claim)
	r.bound(r.claim.Name)
}

func (r *rivals) releases() {
	r.delete(r.claim)
	r.gone(r.claim.Name)
	r.filled()
}

func (r *rivals) releasesFenced() {
	r.releases()
	if r.second.proxy.Counts()[proxy.Fence] != 1 {
		r.t.Errorf("the member was not fenced: %v", r.second.proxy.Counts())
	}
}

func (r *rivals) replaces() {
	r.releases()
	r.create(r.again)
	r.bound(r.again.Name)
}

// bindsAnother has the intended member vanish. The other controller then finds the claim another one.
func (r *rivals) bindsAnother() {
	r.delete(builders.VM(r.Namespace, r.intended()))
	r.bound(r.claim.Name)
}

// intended is the name of the member that the claim intends to take.
func (r *rivals) intended() string {
	r.t.Helper()
	var claim banlieue.VirtualMachineClaim
	if err := r.Client.Get(r.t.Context(), client.ObjectKeyFromObject(r.claim), &claim); err != nil {
		r.t.Fatalf("read claim: %v", err)
	}
	name := claim.Annotations[banlieue.AnnotationBindIntent]
	if name == "" {
		r.t.Fatal("the claim intends to take no member")
	}
	return name
}

// abandons leaves a deleted claim that intends to take a member which is still free.
func (r *rivals) abandons() {
	dropped := r.first.proxy.Arm(proxy.MemberBind, striking(r.first, before))
	r.create(r.claim)
	await(r.t, "the first controller is killed before it binds", dropped.Done())
	r.delete(r.claim)
}

// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"testing"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
	"github.com/lictor-dev/lictor/tests/faults/proxy"
)

// moment is when a fault strikes a write.
type moment string

const (
	// before kills the controller when the API server has not got the write.
	before moment = "before"
	// after kills the controller when the API server has executed the write and the controller does not know.
	after moment = "after"
	// lost does not kill: the controller gets no answer and must find out by itself.
	lost moment = "answer lost"
)

func striking(k *controller, m moment) proxy.Fault {
	switch m {
	case before:
		return proxy.Fault{Before: k.kill, Drop: true}
	case after:
		return proxy.Fault{After: func(int) { k.kill() }, Cut: true}
	default:
		return proxy.Fault{Cut: true}
	}
}

// TestKillAfterEachWrite kills the only controller around each write of the bind and release protocols, or leaves it
// without an answer.
func TestKillAfterEachWrite(t *testing.T) {
	cases := map[string]struct {
		reason string
		ttl    int64
		points []proxy.Point
		life   func(*life)
	}{
		"Bound": {
			reason: "a claim that is interrupted while it is bound gets exactly one member",
			ttl:    3600,
			points: []proxy.Point{proxy.Intent, proxy.MemberBind, proxy.StatusBound},
			life:   (*life).staysBound,
		},
		"Deleted": {
			reason: "a deleted claim and its member go, whatever was done already",
			ttl:    3600,
			points: []proxy.Point{proxy.MemberDelete, proxy.StatusReleasing, proxy.FinalizerRemove},
			life:   (*life).isDeleted,
		},
		"Expired": {
			reason: "an expired claim and its member go, and the claim is deleted last",
			ttl:    2,
			points: []proxy.Point{proxy.MemberDelete, proxy.StatusReleasing, proxy.ClaimDelete, proxy.FinalizerRemove},
			life:   (*life).expires,
		},
		"Abandoned": {
			reason: "a claim that is deleted while its bind was interrupted fences the member that it intended to take",
			ttl:    3600,
			points: []proxy.Point{proxy.Fence, proxy.FinalizerRemove},
			life:   (*life).isAbandoned,
		},
		"Pool": {
			reason: "a pool that is interrupted while it grows has neither too few members nor too many, nor two with one address",
			ttl:    3600,
			points: []proxy.Point{proxy.MemberCreate, proxy.PoolStatus},
			life:   (*life).growsPool,
		},
	}
	for name, test := range cases {
		for _, point := range test.points {
			for _, m := range []moment{before, after, lost} {
				t.Run(name+"/"+string(m)+" "+string(point), func(t *testing.T) {
					t.Parallel() // mostly waiting
					t.Log(test.reason)
					l := newLife(t, test.ttl)
					l.point, l.moment = point, m
					test.life(l)
					history := judge(t, l.Cluster, l.recorder)
					l.checkMembers(history)
				})
			}
		}
	}
}

// life is one claim's way through one fault.
type life struct {
	*setting
	controller *controller
	claim      *banlieue.VirtualMachineClaim
	point      proxy.Point
	moment     moment
	members    int // how many the claim must have had
}

func newLife(t *testing.T, ttl int64) *life {
	s := newSetting(t, simulation{})
	l := &life{setting: s, controller: newController(t, s.Cluster, "A", false)}
	l.claim = builders.Claim(s.Namespace, "desk", builders.ClaimTTL(ttl))
	return l
}

// strike arms the fault, has something cause the write, waits for the fault, and starts the next process if one is needed.
func (l *life) strike(cause func()) {
	l.t.Helper()
	armed := l.controller.proxy.Arm(l.point, striking(l.controller, l.moment))
	cause()
	await(l.t, "the controller comes to "+string(l.point), armed.Hit())
	await(l.t, "the write is over", armed.Done())
	if l.moment == lost {
		return
	}
	await(l.t, "the controller is killed", l.controller.ended())
	l.controller.start()
}

func (l *life) warmUp() {
	l.pool("pool", 2, 4)
	l.controller.start()
	l.filled()
}

func (l *life) bind() {
	l.warmUp()
	l.create(l.claim)
	l.bound(l.claim.Name)
	l.members = 1
}

func (l *life) staysBound() {
	l.warmUp()
	l.strike(func() { l.create(l.claim) })
	l.bound(l.claim.Name)
	l.members = 1
}

func (l *life) isDeleted() {
	l.bind()
	l.strike(func() { l.delete(l.claim) })
	l.gone(l.claim.Name)
}

func (l *life) expires() {
	l.warmUp()
	l.strike(func() { l.create(l.claim) })
	l.gone(l.claim.Name)
	l.members = 1
}

// isAbandoned is two kills: the first leaves an intent behind.
func (l *life) isAbandoned() {
	l.warmUp()
	dropped := l.controller.proxy.Arm(proxy.MemberBind, striking(l.controller, before))
	l.create(l.claim)
	await(l.t, "the controller is killed before it binds", dropped.Done())
	l.delete(l.claim)
	l.strike(l.controller.start)
	l.gone(l.claim.Name)
}

func (l *life) growsPool() {
	l.controller.start()
	l.strike(func() {
		l.pool("pool", 3, 4, builders.PoolAddresses("10.0.0.1-10.0.0.6"))
	})
	l.filled()
}

func (l *life) checkMembers(history []oracle.Fact) {
	l.t.Helper()
	if had := oracle.Members(history, l.claim.UID); len(had) != l.members {
		l.t.Errorf("the claim has had the members %v, not %d", had, l.members)
	}
}

// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/lictor-dev/lictor/tests/faults/proxy"
)

const (
	// pointPatience is how long chaos waits for a write; a takeover may come first.
	pointPatience = leaseDuration + 3*time.Second
	// longPause is the longest that a controller is paused: long enough for another to take over.
	longPause = 2 * leaseDuration
	// longDelay is the longest that a write is under way.
	longDelay = 2 * leaseDuration
	// longDowntime is the longest that a killed controller stays down.
	longDowntime = 300 * time.Millisecond
)

// chaos does harm to controllers, one fault after the other, by dice.
type chaos struct {
	*setting
	controllers []*controller
	random      *rand.Rand

	pending sync.WaitGroup // writes that are under way and controllers that are paused

	mu     sync.Mutex
	kills  int
	faults map[string]int
}

// point picks the writes that a fault is aimed at.
func (c *chaos) point() proxy.Point {
	points := []proxy.Point{
		proxy.MemberCreate, proxy.PoolStatus, proxy.Intent, proxy.MemberBind, proxy.StatusBound, proxy.ClaimStatus,
		proxy.MemberDelete, proxy.StatusReleasing, proxy.ClaimDelete, proxy.Fence, proxy.FinalizerRemove,
	}
	if len(c.controllers) > 1 {
		points = append(points, proxy.Lease)
	}
	return points[c.random.IntN(len(points))]
}

// rage goes on until so many controllers have been killed.
func (c *chaos) rage(kills int) {
	for c.killed() < kills && !c.t.Failed() {
		c.revive()
		switch dice := c.random.IntN(100); {
		case dice < 25:
			c.killAnywhere()
		case dice < 45:
			c.aim("killed before ", c.point(), c.killsBefore)
		case dice < 65:
			c.aim("killed after ", c.point(), c.killsAfter)
		case dice < 80:
			c.aim("killed, write arrives late: ", c.point(), c.delays)
		case dice < 87:
			c.aim("answer lost: ", c.point(), c.cuts)
		case dice < 94:
			c.aim("paused, write arrives late: ", c.point(), c.pausesAt)
		default:
			c.pauseAnywhere()
		}
	}
	c.pending.Wait()
	c.revive()
}

func (c *chaos) killed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kills
}

func (c *chaos) count(fault string, kills int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kills += kills
	c.faults[fault]++
}

// revive starts every controller that has ended, whether it was killed or has lost its lease.
func (c *chaos) revive() {
	for _, k := range c.controllers {
		select {
		case <-k.ended():
			c.passes(c.upTo(longDowntime))
			k.start()
		default:
		}
	}
}

func (c *chaos) upTo(most time.Duration) time.Duration {
	return time.Duration(c.random.Int64N(int64(most)))
}

// passes lets time go by: the instant of a fault is an input.
func (c *chaos) passes(d time.Duration) { <-time.After(d) }

func (c *chaos) anyController() *controller { return c.controllers[c.random.IntN(len(c.controllers))] }

func (c *chaos) killAnywhere() {
	c.passes(c.upTo(2500 * time.Millisecond))
	c.anyController().kill()
	c.count("killed at any instant", 1)
}

func (c *chaos) pauseAnywhere() {
	k, d := c.anyController(), c.upTo(longPause)
	k.pause()
	c.passes(d)
	k.resume()
	c.count("paused at any instant", 0)
}

// aim arms a fault for the first controller that comes to a point. If none does, one is killed all the same.
func (c *chaos) aim(what string, point proxy.Point, fault func(k *controller, struck func(kills int)) proxy.Fault) {
	hit := make(chan struct{}, len(c.controllers))
	armed := map[*controller]*proxy.Armed{}
	for _, k := range c.controllers {
		armed[k] = k.proxy.Arm(point, fault(k, func(kills int) {
			c.count(what+string(point), kills)
			hit <- struct{}{}
		}))
	}
	struck := true
	select {
	case <-hit:
	case <-time.After(pointPatience):
		struck = false
	}
	for k, a := range armed {
		if !k.proxy.Disarm(a) {
			struck = true
			c.pending.Go(func() { <-a.Done() })
		}
	}
	if !struck {
		c.anyController().kill()
		c.count("killed at any instant", 1)
	}
}

func (c *chaos) killsBefore(k *controller, struck func(int)) proxy.Fault {
	return proxy.Fault{Drop: true, Before: func() {
		k.kill()
		struck(1)
	}}
}

func (c *chaos) killsAfter(k *controller, struck func(int)) proxy.Fault {
	return proxy.Fault{Cut: true, After: func(int) {
		k.kill()
		struck(1)
	}}
}

// delays lets the write arrive when the process is dead and others have gone on.
func (c *chaos) delays(k *controller, struck func(int)) proxy.Fault {
	d := c.upTo(longDelay)
	return proxy.Fault{Cut: true, Before: func() {
		k.kill()
		struck(1)
		c.passes(d)
	}}
}

func (c *chaos) cuts(_ *controller, struck func(int)) proxy.Fault {
	return proxy.Fault{Cut: true, After: func(int) { struck(0) }}
}

// pausesAt lets the write arrive before or after its controller goes on, whichever comes first.
func (c *chaos) pausesAt(k *controller, struck func(int)) proxy.Fault {
	d, pause := c.upTo(longDelay), c.upTo(longPause)
	return proxy.Fault{Before: func() {
		k.pause()
		c.pending.Go(func() {
			c.passes(pause)
			k.resume()
		})
		struck(0)
		c.passes(d)
	}}
}

func (c *chaos) report() {
	for _, fault := range slices.Sorted(maps.Keys(c.faults)) {
		c.t.Logf("%5d  %s", c.faults[fault], fault)
	}
}

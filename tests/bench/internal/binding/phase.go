// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"context"
	"runtime"
	"time"

	"github.com/lictor-dev/lictor/tests/bench/internal/audit"
	"github.com/lictor-dev/lictor/tests/bench/internal/child"
	"github.com/lictor-dev/lictor/tests/bench/internal/load"
	"github.com/lictor-dev/lictor/tests/bench/internal/plane"
	"github.com/lictor-dev/lictor/tests/bench/internal/stats"
)

// settle is how long after its last claim a load is still charged for what it caused, such as a pool's status.
const settle = 1500 * time.Millisecond

// Phase is one load of one round on one contender.
type Phase struct {
	Who    string  `json:"who"`
	Load   string  `json:"load"`
	Round  int     `json:"round"`
	Claims int     `json:"claims"`
	PerSec float64 `json:"claimsPerSecond"`
	// Latency is from before the create until Bound was seen, in milliseconds.
	Latency stats.Latency `json:"latency"`
	// CPU, PlaneCPU and LoadCPU are milliseconds per claim of the contender, of API server and etcd, and of this program.
	CPU      float64 `json:"cpuPerClaim"`
	PlaneCPU float64 `json:"controlPlaneCPUPerClaim"`
	LoadCPU  float64 `json:"loadCPUPerClaim"`
	// RSS and Peak are the contender's, in MiB, after the load.
	RSS  float64 `json:"rss"`
	Peak float64 `json:"peakRSS"`
	// Others is how much of the machine's cores other processes kept busy meanwhile, in percent. Where that is not little,
	// rates and latencies say more about them.
	Others float64 `json:"othersCPU"`
	// Writes are all writes of the contender.
	Writes audit.Counts `json:"writes"`
}

func (s *suite) phase(ctx context.Context, c *contender, loadName string, round int) error {
	mark, err := s.log.Mark()
	if err != nil {
		return err
	}
	before, err := s.usages(c)
	if err != nil {
		return err
	}
	result, err := s.run(ctx, c, loadName, round)
	if err != nil {
		return err
	}
	if err := plane.Pause(ctx, settle); err != nil {
		return err
	}
	after, err := s.usages(c)
	if err != nil {
		return err
	}
	p := Phase{Who: c.name, Load: loadName, Round: round}
	if p.Writes, err = s.log.Writes(mark, c.agent); err != nil {
		return err
	}
	p.fill(result, before, after)
	s.phases = append(s.phases, p)
	return nil
}

func (s *suite) run(ctx context.Context, c *contender, loadName string, round int) (load.Result, error) {
	pool := poolName(loadName, round)
	switch loadName {
	case closedLoop:
		return c.driver.Closed(ctx, pool, s.Closed, s.Clients)
	case burst:
		return c.driver.Burst(ctx, pool, s.Burst)
	default:
		return c.driver.Open(ctx, pool, s.arrivals)
	}
}

// usage is what the processes of a phase have used.
type usage struct {
	contender, plane, own child.Usage
	machine               time.Duration
	at                    time.Time
}

// others is what other processes have used of the machine.
func (u usage) others() time.Duration { return u.machine - u.contender.CPU - u.plane.CPU - u.own.CPU }

func (s *suite) usages(c *contender) (u usage, err error) {
	if u.contender, err = c.process.Usage(); err != nil {
		return u, err
	}
	if u.plane, err = s.plane.Usage(); err != nil {
		return u, err
	}
	if u.own, err = child.Own(); err != nil {
		return u, err
	}
	u.at = time.Now()
	u.machine, err = child.MachineBusy()
	return u, err
}

func (p *Phase) fill(r load.Result, before, after usage) {
	const mib = 1 << 20
	p.Claims = len(r.Latencies)
	n := float64(p.Claims)
	p.PerSec = n / r.Took.Seconds()
	p.Latency = stats.Of(r.Latencies)
	p.CPU = stats.Millis(after.contender.CPU-before.contender.CPU) / n
	p.PlaneCPU = stats.Millis(after.plane.CPU-before.plane.CPU) / n
	p.LoadCPU = stats.Millis(after.own.CPU-before.own.CPU) / n
	cores := after.at.Sub(before.at) * time.Duration(runtime.NumCPU())
	p.Others = percentOfWhole * max(0, float64(after.others()-before.others())/float64(cores)) // ticks are rounded
	p.RSS, p.Peak = float64(after.contender.RSS)/mib, float64(after.contender.Peak)/mib
}

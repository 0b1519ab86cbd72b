// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/lictor-dev/lictor/tests/bench/internal/api"
	"github.com/lictor-dev/lictor/tests/builders"
)

// probeInterval is rare enough to add little to the load, and often enough for a 99th percentile within a minute.
const probeInterval = 200 * time.Millisecond

// Probe measures how long the three writes of a bind take, one after the other, on objects that nobody watches but the
// garbage collector: the API server's own share of the time until a claim is Bound.
type Probe struct {
	Client    *api.Client
	Namespace string
	done      chan error
	latencies []time.Duration
}

// Start begins to probe, on claims for and members of a pool, until the context ends.
func (p *Probe) Start(ctx context.Context, pool string) error {
	members, _, err := p.Client.List(ctx, api.Path(p.Namespace, api.Machines)+"?labelSelector=banlieue.io/pool="+pool)
	if err != nil {
		return err
	}
	p.done = make(chan error, 1)
	go func() { p.done <- p.run(ctx, pool, members) }()
	return nil
}

// Latencies returns what was measured, after the context has ended.
func (p *Probe) Latencies() ([]time.Duration, error) {
	err := <-p.done
	return p.latencies, err
}

func (p *Probe) run(ctx context.Context, pool string, members []api.Object) error {
	tick := time.NewTicker(probeInterval)
	defer tick.Stop()
	for i := range members {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := p.once(ctx, pool, i, members[i].Metadata); err != nil && ctx.Err() == nil {
			return fmt.Errorf("probe: %w", err)
		}
	}
	return nil
}

func (p *Probe) once(ctx context.Context, pool string, i int, member api.Metadata) error {
	body, err := json.Marshal(builders.Claim(p.Namespace, fmt.Sprintf("%s-probe-%05d", pool, i), builders.ClaimPool(pool)))
	if err != nil {
		return err
	}
	claim, err := p.Client.Send(ctx, http.MethodPost, api.Path(p.Namespace, api.Claims), api.JSON, body)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := p.Client.Bind(ctx, p.Namespace, claim, member); err != nil {
		return err
	}
	p.latencies = append(p.latencies, time.Since(start))
	return nil
}

// ProbesDuring is how many members a probe needs.
func ProbesDuring(d time.Duration) int { return int(d/probeInterval) + 1 }

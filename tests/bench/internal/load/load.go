// SPDX-License-Identifier: Apache-2.0

// Package load makes claims, and measures how long they take to become Bound.
package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/lictor-dev/lictor/tests/bench/internal/api"
	"github.com/lictor-dev/lictor/tests/builders"
)

// boundTimeout is when a claim that is not Bound is an error, not a slow one.
const boundTimeout = 2 * time.Minute

// Driver makes claims in one namespace.
type Driver struct {
	Client    *api.Client
	Namespace string
	Watcher   *Watcher
}

// Result is what one load measured.
type Result struct {
	Latencies []time.Duration
	Took      time.Duration
}

// Closed makes n claims for a pool by clients that each wait for a claim to be Bound before they make the next.
func (d *Driver) Closed(ctx context.Context, pool string, n, clients int) (Result, error) {
	return measured(ctx, n, func(ctx context.Context, group *errgroup.Group, latencies []time.Duration) error {
		var next atomic.Int64
		for range clients {
			group.Go(func() error {
				for i := next.Add(1) - 1; int(i) < n; i = next.Add(1) - 1 {
					if err := d.claim(ctx, pool, int(i), latencies); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return nil
	})
}

// Burst makes n claims at once.
func (d *Driver) Burst(ctx context.Context, pool string, n int) (Result, error) {
	return measured(ctx, n, func(ctx context.Context, group *errgroup.Group, latencies []time.Duration) error {
		for i := range n {
			group.Go(func() error { return d.claim(ctx, pool, i, latencies) })
		}
		return nil
	})
}

// Open makes claims at the given instants after its start, however many are not Bound yet.
func (d *Driver) Open(ctx context.Context, pool string, arrivals []time.Duration) (Result, error) {
	return measured(ctx, len(arrivals), func(ctx context.Context, group *errgroup.Group, latencies []time.Duration) error {
		start := time.Now()
		timer := time.NewTimer(0)
		defer timer.Stop()
		<-timer.C
		for i, at := range arrivals {
			timer.Reset(time.Until(start.Add(at)))
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-timer.C:
			}
			group.Go(func() error { return d.claim(ctx, pool, i, latencies) })
		}
		return nil
	})
}

// Poisson draws the arrivals of a Poisson process. The seed is fixed, so that everybody meets the same arrivals.
func Poisson(perSecond float64, during time.Duration) []time.Duration {
	const seed = 45
	random := rand.New(rand.NewPCG(seed, seed))
	var out []time.Duration
	at := time.Duration(0)
	for {
		at += time.Duration(random.ExpFloat64() / perSecond * float64(time.Second))
		if at >= during {
			return out
		}
		out = append(out, at)
	}
}

func measured(ctx context.Context, n int, run func(context.Context, *errgroup.Group, []time.Duration) error) (Result, error) {
	latencies := make([]time.Duration, n)
	group, ctx := errgroup.WithContext(ctx)
	start := time.Now()
	group.Go(func() error { return run(ctx, group, latencies) })
	err := group.Wait()
	return Result{Latencies: latencies, Took: time.Since(start)}, err
}

// claim makes one claim and waits until it is Bound.
func (d *Driver) claim(ctx context.Context, pool string, i int, latencies []time.Duration) error {
	name := fmt.Sprintf("%s-claim-%05d", pool, i)
	body, err := json.Marshal(builders.Claim(d.Namespace, name, builders.ClaimPool(pool)))
	if err != nil {
		return err
	}
	bound := d.Watcher.expect(name)
	start := time.Now()
	if _, err := d.Client.Send(ctx, http.MethodPost, api.Path(d.Namespace, api.Claims), api.JSON, body); err != nil {
		return err
	}
	timeout := time.NewTimer(boundTimeout)
	defer timeout.Stop()
	select {
	case at := <-bound:
		latencies[i] = at.Sub(start)
		return nil
	case <-timeout.C:
		return fmt.Errorf("claim %s is not Bound after %s", name, boundTimeout)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.Watcher.done:
		return fmt.Errorf("watch of claims ended: %w", d.Watcher.err)
	}
}

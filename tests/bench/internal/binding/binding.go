// SPDX-License-Identifier: Apache-2.0

// Package binding measures how claims become Bound: by the controller, and by a bare client that makes the same writes
// and decides nothing, on the same API server in turns.
package binding

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lictor-dev/lictor/tests/bench/internal/api"
	"github.com/lictor-dev/lictor/tests/bench/internal/audit"
	"github.com/lictor-dev/lictor/tests/bench/internal/bare"
	"github.com/lictor-dev/lictor/tests/bench/internal/child"
	"github.com/lictor-dev/lictor/tests/bench/internal/lictor"
	"github.com/lictor-dev/lictor/tests/bench/internal/load"
	"github.com/lictor-dev/lictor/tests/bench/internal/plane"
)

// Options say how much to measure.
type Options struct {
	// Controller is the lictor program, Self this one, which is also the bare client.
	Controller, Self string
	// Rounds of the closed loop and the burst; the open loop runs once.
	Rounds int
	// Closed and Burst are claims per round.
	Closed, Burst int
	// Clients in the closed loop, and workers of the bare client; the controller's are in the bundle, 16.
	Clients, Workers int
	// Rate and Open are arrivals per second of the open loop, and how long it lasts.
	Rate float64
	Open time.Duration
}

// warmUp is how many claims are bound before anything is measured.
const warmUp = 50

// The loads.
const (
	closedLoop = "closed loop"
	openLoop   = "open loop"
	burst      = "burst"
)

// contender binds claims of its own namespace.
type contender struct {
	name      string
	namespace string
	agent     string
	process   *child.Process
	driver    *load.Driver
}

// suite is a run.
type suite struct {
	Options
	plane    *plane.Plane
	log      audit.Log
	client   *api.Client
	arrivals []time.Duration
	phases   []Phase
	probes   map[string][]time.Duration
}

// The contenders.
const (
	controller = "lictor"
	bareClient = "bare"
)

// Run measures.
func Run(ctx context.Context, p *plane.Plane, o Options, progress func(string)) (_ *Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &suite{Options: o, plane: p, log: audit.Log{Path: p.AuditLog()}, arrivals: load.Poisson(o.Rate, o.Open),
		probes: map[string][]time.Duration{}}
	if s.client, err = api.New(p.Config, "lictor-bench-load"); err != nil {
		return nil, err
	}
	progress("binding: making pools and members")
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	contenders, err := s.start(ctx)
	defer func() {
		for _, c := range contenders {
			err = errors.Join(err, c.process.Stop())
		}
	}()
	if err != nil {
		return nil, err
	}
	if err := s.measure(ctx, contenders, progress); err != nil {
		return nil, err
	}
	return s.result(), nil
}

// start starts the contenders, which then wait for claims. Those that were started are returned with an error, too.
func (s *suite) start(ctx context.Context) ([]*contender, error) {
	var out []*contender
	for _, c := range []*contender{
		{name: controller, namespace: namespaceOf(controller), agent: lictor.Agent},
		{name: bareClient, namespace: namespaceOf(bareClient), agent: bare.Agent},
	} {
		watcher, err := load.Watch(ctx, s.client, c.namespace)
		if err != nil {
			return out, err
		}
		c.driver = &load.Driver{Client: s.client, Namespace: c.namespace, Watcher: watcher}
		if c.process, err = s.startProcess(ctx, c); err != nil {
			return out, err
		}
		out = append(out, c)
	}
	return out, s.awaitFullPools(ctx)
}

func (s *suite) startProcess(ctx context.Context, c *contender) (*child.Process, error) {
	if c.name == controller {
		return lictor.Start(ctx, s.plane, s.Controller, c.namespace)
	}
	process, err := child.Start(ctx, s.plane.File("bare.log"), s.Self, "bare", s.plane.Kubeconfig(), c.namespace, fmt.Sprint(s.Workers))
	if err != nil {
		return nil, err
	}
	if _, err := process.Ready(ctx); err != nil {
		return nil, errors.Join(err, process.Stop())
	}
	return process, nil
}

// measure lets the contenders take turns; who is first changes from round to round.
func (s *suite) measure(ctx context.Context, contenders []*contender, progress func(string)) error {
	for _, c := range contenders {
		if _, err := c.driver.Closed(ctx, "warm-up", warmUp, s.Clients); err != nil {
			return fmt.Errorf("%s, warm-up: %w", c.name, err)
		}
	}
	order := []*contender{contenders[0], contenders[1]}
	for round := range s.Rounds {
		for _, l := range []string{closedLoop, burst} {
			for _, c := range order {
				progress(fmt.Sprintf("binding: round %d of %d, %s, %s", round+1, s.Rounds, l, c.name))
				if err := s.phase(ctx, c, l, round); err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, l, err)
				}
			}
		}
		order[0], order[1] = order[1], order[0]
	}
	for _, c := range order {
		progress(fmt.Sprintf("binding: %s at %g claims/s for %s, %s", openLoop, s.Rate, s.Open, c.name))
		if err := s.openWithProbe(ctx, c); err != nil {
			return fmt.Errorf("%s, %s: %w", c.name, openLoop, err)
		}
	}
	return nil
}

func (s *suite) openWithProbe(ctx context.Context, c *contender) error {
	probing, stop := context.WithCancel(ctx)
	defer stop()
	probe := &load.Probe{Client: s.client, Namespace: probeNamespace}
	if err := probe.Start(probing, poolName(openLoop, 0)+"-"+c.name); err != nil {
		return err
	}
	if err := s.phase(ctx, c, openLoop, 0); err != nil {
		return err
	}
	stop()
	var err error
	s.probes[c.name], err = probe.Latencies()
	return err
}

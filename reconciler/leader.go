// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// LeaderConfig says how leadership is held. The durations are those that the API server's own components use.
type LeaderConfig struct {
	// Namespace and Name locate the Lease; Identity is unique to this process.
	Namespace, Name, Identity string
	// LeaseDuration is how long others wait after the last renewal that they saw.
	LeaseDuration time.Duration
	// RenewDeadline is how long this process acts after its own last renewal; it must be shorter. What it sends within
	// that time must be answered, or given up, within the rest of LeaseDuration.
	RenewDeadline time.Duration
	// RetryPeriod is how often renewal is tried.
	RetryPeriod time.Duration
}

// Leader holds leadership through a Lease, or without one if it is disabled.
type Leader struct {
	config  LeaderConfig
	lock    *timedLock
	elector *leaderelection.LeaderElector
	started chan context.Context
}

// timedLock notes when each renewal that succeeded was sent. Others count the lease from when they saw the renewal, which
// is later; the answer's arrival, which the elector goes by, may be later still, by as long as this process was stopped.
type timedLock struct {
	resourcelock.Interface
	renewed atomic.Pointer[time.Time]
}

func (l *timedLock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.timed(func() error { return l.Interface.Create(ctx, r) })
}

func (l *timedLock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.timed(func() error { return l.Interface.Update(ctx, r) })
}

func (l *timedLock) timed(write func() error) error {
	sent := time.Now()
	err := write()
	if err == nil {
		l.renewed.Store(&sent)
	}
	return err
}

// age is how long ago the last renewal was sent, by the clock that goes on while the machine is suspended if that is longer.
func (l *timedLock) age() time.Duration {
	sent := l.renewed.Load()
	if sent == nil {
		return math.MaxInt64
	}
	now := time.Now()
	return max(now.Sub(*sent), now.Round(0).Sub(sent.Round(0)))
}

// NewLeader prepares an election. Nothing happens before Run.
func NewLeader(cfg *rest.Config, config LeaderConfig) (*Leader, error) {
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, config.Namespace, config.Name,
		resourcelock.ResourceLockConfig{Identity: config.Identity}, cfg, config.RenewDeadline)
	if err != nil {
		return nil, fmt.Errorf("leader election: %w", err)
	}
	l := &Leader{config: config, lock: &timedLock{Interface: lock}, started: make(chan context.Context, 1)}
	l.elector, err = leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: l.lock, Name: config.Name, LeaseDuration: config.LeaseDuration, RenewDeadline: config.RenewDeadline,
		RetryPeriod: config.RetryPeriod, ReleaseOnCancel: true, // the host ends the election only after its last worker has stopped
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { l.started <- ctx },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("leader election: %w", err)
	}
	return l, nil
}

// NoElection returns a leader that always leads, for a process that is known to be the only one.
func NoElection() *Leader { return &Leader{started: make(chan context.Context, 1)} }

// Run takes part in the election until the context ends or leadership is lost, which is an error.
func (l *Leader) Run(ctx context.Context) error {
	if l.elector == nil {
		l.started <- ctx
		<-ctx.Done()
		return nil
	}
	l.elector.Run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return errors.New("leadership lost")
}

// Started delivers, once, the context that ends with leadership.
func (l *Leader) Started() <-chan context.Context { return l.started }

// Fence returns an error unless this process is the leader and will be for long enough to send a request. A process that
// was stopped and continued finds out here, before it writes, even if it has not learned yet that another one leads.
func (l *Leader) Fence() error {
	if l.elector == nil {
		return nil
	}
	if !l.elector.IsLeader() {
		return errors.New("another process holds the lease")
	}
	if age := l.lock.age(); age > l.config.RenewDeadline {
		return fmt.Errorf("the lease was renewed %s ago", age.Round(time.Millisecond))
	}
	return nil
}

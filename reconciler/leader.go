// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"errors"
	"fmt"
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
	// RenewDeadline is how long this process acts after its own last renewal; it must be shorter.
	RenewDeadline time.Duration
	// RetryPeriod is how often renewal is tried.
	RetryPeriod time.Duration
}

// Leader holds leadership through a Lease, or without one if it is disabled.
type Leader struct {
	config  LeaderConfig
	elector *leaderelection.LeaderElector
	started chan context.Context
}

// NewLeader prepares an election. Nothing happens before Run.
func NewLeader(cfg *rest.Config, config LeaderConfig) (*Leader, error) {
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, config.Namespace, config.Name,
		resourcelock.ResourceLockConfig{Identity: config.Identity}, cfg, config.RenewDeadline)
	if err != nil {
		return nil, fmt.Errorf("leader election: %w", err)
	}
	l := &Leader{config: config, started: make(chan context.Context, 1)}
	l.elector, err = leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: config.Name, LeaseDuration: config.LeaseDuration, RenewDeadline: config.RenewDeadline,
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
	// Check compares the age of the last renewal with LeaseDuration plus its argument.
	return l.elector.Check(l.config.RenewDeadline - l.config.LeaseDuration)
}

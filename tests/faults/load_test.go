// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
)

const (
	// claimers create claims at the same time.
	claimers = 8
	// desks are the names that claims have: few, so that a name comes back while something may remember it.
	desks = 30
	// hour is a ttl that does not run out within the test.
	hour = 3600
)

// load creates, deletes and abandons claims until it is stopped.
type load struct {
	*setting
	pools []string
	work  sync.WaitGroup
	stop  context.CancelFunc
}

func startLoad(s *setting, seed uint64, pools ...string) *load {
	ctx, cancel := context.WithCancel(s.t.Context())
	l := &load{setting: s, pools: pools, stop: cancel}
	for i := range uint64(claimers) {
		random := rand.New(rand.NewPCG(seed, 100+i))
		l.work.Go(func() {
			for ctx.Err() == nil {
				l.oneClaim(ctx, random)
			}
		})
	}
	s.t.Cleanup(l.end)
	return l
}

// end returns when no claim is created or deleted any more.
func (l *load) end() {
	l.stop()
	l.work.Wait()
}

// oneClaim creates a claim that expires soon, or one that is deleted after a while, whatever has become of it.
func (l *load) oneClaim(ctx context.Context, random *rand.Rand) {
	ttl := int64(hour)
	if random.IntN(2) == 0 {
		ttl = 2 + random.Int64N(4)
	}
	claim := builders.Claim(l.Namespace, fmt.Sprintf("desk-%d", random.IntN(desks)),
		builders.ClaimPool(l.pools[random.IntN(len(l.pools))]), builders.ClaimTTL(ttl))
	lasts := time.Duration(random.Int64N(int64(4 * time.Second)))
	pause := time.Duration(random.Int64N(int64(500 * time.Millisecond)))
	err := l.Client.Create(ctx, claim)
	switch {
	case apierrors.IsAlreadyExists(err): // the name is in use
	case err != nil:
		l.complain(ctx, "create", claim, err)
	case ttl == hour:
		l.waits(ctx, lasts)
		if err := l.Client.Delete(ctx, claim, client.Preconditions{UID: &claim.UID}); err != nil && !apierrors.IsNotFound(err) {
			l.complain(ctx, "delete", claim, err)
		}
	}
	l.waits(ctx, pause)
}

func (l *load) complain(ctx context.Context, verb string, claim *banlieue.VirtualMachineClaim, err error) {
	if ctx.Err() == nil {
		l.t.Errorf("%s %s: %v", verb, claim.Name, err)
	}
}

func (l *load) waits(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// drain deletes every claim and waits until all are gone.
func (s *setting) drain() {
	s.t.Helper()
	if err := s.Client.DeleteAllOf(s.t.Context(), &banlieue.VirtualMachineClaim{}, client.InNamespace(s.Namespace)); err != nil {
		s.t.Fatalf("delete claims: %v", err)
	}
	eventually(s.t, "every claim is gone", func(ctx context.Context) error {
		var left banlieue.VirtualMachineClaimList
		if err := s.Client.List(ctx, &left, client.InNamespace(s.Namespace)); err != nil {
			return err
		}
		if n := len(left.Items); n > 0 {
			return fmt.Errorf("%d are left, such as %s (%s)", n, left.Items[0].Name, left.Items[0].Status.Phase)
		}
		return nil
	})
}

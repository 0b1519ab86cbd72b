// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/bench/internal/fixture"
	"github.com/lictor-dev/lictor/tests/bench/internal/load"
)

const (
	probeNamespace = "bench-probe"
	fullPoll       = 100 * time.Millisecond
	fullTimeout    = time.Minute
)

func namespaceOf(contender string) string { return "bench-" + contender }

// poolName names the pool that one load of one round draws from.
func poolName(loadName string, round int) string {
	return fmt.Sprintf("%s-%d", strings.ReplaceAll(loadName, " ", "-"), round)
}

// prepare makes everything before the controller starts: nobody else fills the pools.
func (s *suite) prepare(ctx context.Context) error {
	m := fixture.Maker{Client: s.plane.Client}
	if err := m.Image(ctx); err != nil {
		return err
	}
	for _, name := range []string{controller, bareClient} {
		if err := s.prepareContender(ctx, m, namespaceOf(name)); err != nil {
			return fmt.Errorf("preparing for %s: %w", name, err)
		}
	}
	if err := s.plane.Namespace(ctx, probeNamespace); err != nil {
		return err
	}
	for _, name := range []string{controller, bareClient} {
		if _, err := m.Pool(ctx, probeNamespace, poolName(openLoop, 0)+"-"+name, load.ProbesDuring(s.Open+settle)); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) prepareContender(ctx context.Context, m fixture.Maker, namespace string) error {
	if err := s.plane.Namespace(ctx, namespace); err != nil {
		return err
	}
	sizes := map[string]int{"warm-up": warmUp, poolName(openLoop, 0): len(s.arrivals)}
	for round := range s.Rounds {
		sizes[poolName(closedLoop, round)] = s.Closed
		sizes[poolName(burst, round)] = s.Burst
	}
	for name, size := range sizes {
		if _, err := m.Pool(ctx, namespace, name, size); err != nil {
			return err
		}
	}
	return nil
}

// awaitFullPools waits until the controller has reported that every pool has all its members.
func (s *suite) awaitFullPools(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, fullPoll, fullTimeout, true, func(ctx context.Context) (bool, error) {
		pools := &banlieue.VirtualMachinePoolList{}
		if err := s.plane.Client.List(ctx, pools, client.InNamespace(namespaceOf(controller))); err != nil {
			return false, err
		}
		for i := range pools.Items {
			if pools.Items[i].Status.Available != pools.Items[i].Spec.WarmReplicas {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the controller to see that its pools are full: %w", err)
	}
	return nil
}

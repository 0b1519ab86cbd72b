// SPDX-License-Identifier: Apache-2.0

// Package memory measures how much of it the controller needs to hold many claims, each with its machine.
package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/bench/internal/child"
	"github.com/lictor-dev/lictor/tests/bench/internal/fixture"
	"github.com/lictor-dev/lictor/tests/bench/internal/lictor"
	"github.com/lictor-dev/lictor/tests/bench/internal/plane"
	"github.com/lictor-dev/lictor/tests/bench/internal/report"
	"github.com/lictor-dev/lictor/tests/builders"
)

const (
	budgetMiB = 300
	namespace = "bench-memory"
	// settle is how long after it is ready the controller has looked at every object.
	settle = 10 * time.Second
)

// Result is what was measured, in MiB.
type Result struct {
	Objects int     `json:"claimsAndMachinesEach"`
	RSS     float64 `json:"rss"`
	Peak    float64 `json:"peakRSS"`
	// Ready is how long the controller took from its start until it was ready, in seconds.
	Ready float64 `json:"readyAfter"`
}

// Run fills a namespace with n Bound claims and their machines, and then starts the controller.
func Run(ctx context.Context, p *plane.Plane, program string, n int) (_ *Result, err error) {
	if err := p.Namespace(ctx, namespace); err != nil {
		return nil, err
	}
	if err := fill(ctx, fixture.Maker{Client: p.Client}, n); err != nil {
		return nil, fmt.Errorf("filling the namespace: %w", err)
	}
	start := time.Now()
	controller, err := lictor.Start(ctx, p, program, namespace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, controller.Stop()) }()
	r := &Result{Objects: n, Ready: time.Since(start).Seconds()}
	if err := plane.Pause(ctx, settle); err != nil {
		return nil, err
	}
	return r, r.read(controller)
}

func (r *Result) read(controller *child.Process) error {
	const mib = 1 << 20
	u, err := controller.Usage()
	if err != nil {
		return err
	}
	r.RSS, r.Peak = float64(u.RSS)/mib, float64(u.Peak)/mib
	return nil
}

// fill makes a pool whose n members are all claimed.
func fill(ctx context.Context, m fixture.Maker, n int) error {
	pool, err := m.Pool(ctx, namespace, "pool", 0)
	if err != nil {
		return err
	}
	return m.Each(ctx, n, func(ctx context.Context, i int) error {
		vm := fixture.Member(pool, i)
		claim := claimOf(i, vm)
		if err := m.WithStatus(ctx, claim, map[string]any{"status": claim.Status}); err != nil {
			return err
		}
		builders.VMLabel(banlieue.LabelClaim, claim.Name)(vm)
		vm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(claim, banlieue.GroupVersion.WithKind("VirtualMachineClaim"))}
		return m.WithStatus(ctx, vm, map[string]any{"status": vm.Status})
	})
}

func claimOf(i int, vm *banlieue.VirtualMachine) *banlieue.VirtualMachineClaim {
	claim := builders.Claim(namespace, fmt.Sprintf("claim-%05d", i))
	claim.Finalizers = []string{banlieue.FinalizerClaim}
	now := metav1.Now()
	expires := metav1.NewTime(now.Add(time.Hour))
	claim.Status = banlieue.VirtualMachineClaimStatus{
		Phase: banlieue.ClaimBound, VirtualMachineRef: &banlieue.LocalObjectReference{Name: vm.Name},
		Addresses: vm.Status.Addresses, BoundAt: &now, ExpiresAt: &expires, ObservedGeneration: 1,
		Conditions: []metav1.Condition{builders.Condition(banlieue.ConditionBound, metav1.ConditionTrue, banlieue.ReasonBound, now.Time)},
	}
	// What policy would write, so that the controller has nothing to write.
	claim.Status.Conditions[0].Message = fmt.Sprintf("VirtualMachine %q is bound until %s.", vm.Name, expires.UTC().Format(time.RFC3339))
	return claim
}

// Budgets compares with what was promised.
func (r *Result) Budgets() []report.Budget {
	return []report.Budget{report.AtMost(fmt.Sprintf("memory for %d claims with their machines", r.Objects), r.RSS, budgetMiB, "MiB")}
}

// Tables are for people.
func (r *Result) Tables() []report.Table {
	return []report.Table{{
		Title:   "Memory of the controller",
		Columns: []string{"claims, and as many machines", "RSS MiB", "peak RSS MiB", "ready after s"},
		Rows:    [][]string{{fmt.Sprint(r.Objects), report.Number(r.RSS), report.Number(r.Peak), report.Number(r.Ready)}},
	}}
}

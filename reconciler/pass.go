// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/rego"
)

// takenAttempts bounds how often one pass decides again because another worker was quicker. Each attempt costs one
// decision and no write; with 16 workers more than a few in a row are unlikely.
const takenAttempts = 16

// pass is one turn of one object, as far as it got.
type pass struct {
	facts    *facts
	decision *rego.Decision
	step     *decisionv1.Step
	kernel   *kernel.Pass
}

// Reconcile is the whole sequence: gather, decide, apply, record.
func (r *runner) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	key := request.NamespacedName
	start := time.Now()
	if r.unseen(ctx, key) {
		r.passOn(key)
		return reconcile.Result{}, nil
	}
	if wait := r.pausedFor(ctx, key); wait > 0 {
		r.passOn(key)
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	p, err := r.turn(ctx, key)
	step, revision := p.label()
	r.host.config.Metrics.reconciled(r.registration.ID(), step, revision, time.Since(start))
	return r.outcome(ctx, key, p, err)
}

// turn gathers, decides and applies, again while nothing was written and a candidate turned out to be taken.
func (r *runner) turn(ctx context.Context, key types.NamespacedName) (p *pass, err error) {
	for range takenAttempts {
		p = &pass{}
		if p.facts, err = r.gather(ctx, key); err != nil || p.facts == nil {
			return p, err
		}
		if p.step, p.decision, err = r.decide(ctx, p.facts); err != nil {
			return p, err
		}
		err = r.apply(ctx, key, p)
		var taken *kernel.Taken
		if !errors.As(err, &taken) || len(p.kernel.Writes) > 0 {
			return p, err
		}
	}
	return p, err
}

// apply performs the effects in order, stopping at the first failure, and remembers what was written.
func (r *runner) apply(ctx context.Context, key types.NamespacedName, p *pass) error {
	p.kernel = &kernel.Pass{Registration: r.registration, Object: p.facts.object, Now: p.facts.now, Assumed: r.assumptions()}
	defer func() { r.expect(key, p.kernel.Writes) }()
	for i := range p.step.Effects {
		e := &p.step.Effects[i]
		err := r.host.config.Kernel.Perform(ctx, p.kernel, e)
		r.host.config.Metrics.effect(string(e.Type), err)
		if err != nil {
			return fmt.Errorf("effect %d (%s): %w", i, e.Type, err)
		}
	}
	return nil
}

// assumptions are the views that this registration's decisions pick from.
func (r *runner) assumptions() []kernel.Assumptions {
	out := make([]kernel.Assumptions, 0, len(r.views))
	for _, name := range slices.Sorted(maps.Keys(r.views)) { // in one order, so that of two claims one gets all
		out = append(out, r.views[name])
	}
	return out
}

// label is the step and the revision that metrics show; both are empty when nothing was decided.
func (p *pass) label() (step, revision string) {
	if p == nil || p.step == nil {
		return "", ""
	}
	return p.step.Step, p.decision.BundleRevision()
}

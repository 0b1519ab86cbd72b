// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/rego"
)

const (
	// troubleRetry is how soon something that only a person or a new bundle can mend is tried again.
	troubleRetry = 10 * time.Second
	// conflictsBeforeTrouble is how many conflicts in a row are normal. The retries take about 10 s in all.
	conflictsBeforeTrouble = 10
)

// outcome is the one place that maps how a pass ended to what happens next.
func (r *runner) outcome(ctx context.Context, key types.NamespacedName, p *pass, err error) (reconcile.Result, error) {
	var lost *kernel.LostLeadership
	var none *rego.NoDecisionError
	var refusal *kernel.Refusal
	var taken *kernel.Taken
	switch {
	case err == nil:
		r.forgetTrouble(ctx, key, p)
		return r.next(key, p), nil
	case errors.As(err, &lost), ctx.Err() != nil:
		return reconcile.Result{}, nil // the next leader starts over
	case errors.As(err, &refusal):
		r.trouble(ctx, p, ReasonKernelRefused, refusal)
		return reconcile.Result{RequeueAfter: troubleRetry}, nil
	case errors.As(err, &none):
		r.trouble(ctx, p, ReasonNoDecision, none)
		return reconcile.Result{RequeueAfter: troubleRetry}, nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), errors.As(err, &taken):
		if r.countTrouble(key) >= conflictsBeforeTrouble {
			r.trouble(ctx, p, ReasonConflictExhausted, err)
		}
		return r.retry(key), nil
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err):
		r.trouble(ctx, p, ReasonEffectRejected, err)
		return reconcile.Result{RequeueAfter: troubleRetry}, nil
	default:
		return reconcile.Result{}, err // transient: logged and retried with growing delay
	}
}

// next is what the decision asked for.
func (r *runner) next(key types.NamespacedName, p *pass) reconcile.Result {
	if p.facts == nil { // the object is gone
		r.stopWaitingForAll(key)
		return reconcile.Result{}
	}
	again := p.step.Requeue
	for source, group := range p.facts.groups {
		if again != nil && again.On == source {
			r.wait(source, group, key)
		} else {
			r.stopWaiting(source, group, key)
		}
	}
	if again == nil || again.At == 0 {
		return reconcile.Result{}
	}
	// A result of 0 means never; an instant that has passed means now.
	return reconcile.Result{RequeueAfter: max(time.Unix(0, again.At).Sub(r.host.config.Now()), time.Nanosecond)}
}

// retry waits longer each time.
func (r *runner) retry(key types.NamespacedName) reconcile.Result {
	r.mu.Lock()
	n := r.troubles[key]
	r.mu.Unlock()
	return reconcile.Result{RequeueAfter: min(firstRetry<<min(n, conflictsBeforeTrouble), lastRetry)}
}

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
	// fenceRetry is how soon a pass that the fence stopped is tried again; a renewal is due every two seconds.
	fenceRetry = time.Second
	// longestWait bounds a timer.
	longestWait = 5 * time.Minute
	// pastRetry is how soon a pass is repeated that changed nothing and asks for an instant in the past.
	pastRetry = time.Second
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
	if err != nil {
		r.passOn(key)
	}
	switch {
	case err == nil:
		r.forgetTrouble(ctx, key, p)
		return r.next(key, p), nil
	case ctx.Err() != nil:
		return reconcile.Result{}, nil // the next leader starts over
	case errors.As(err, &lost):
		return reconcile.Result{RequeueAfter: fenceRetry}, nil // the lease may yet be renewed; if not, the context ends
	case errors.As(err, &refusal):
		return r.trouble(ctx, key, p, ReasonKernelRefused, refusal), nil
	case errors.As(err, &none):
		return r.trouble(ctx, key, p, ReasonNoDecision, none), nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), errors.As(err, &taken):
		if r.countTrouble(key) >= conflictsBeforeTrouble {
			return r.trouble(ctx, key, p, ReasonConflictExhausted, err), nil
		}
		return r.retry(key), nil
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err), apierrors.IsBadRequest(err):
		return r.trouble(ctx, key, p, ReasonEffectRejected, err), nil
	default:
		return reconcile.Result{}, err // transient: logged and retried with growing delay
	}
}

// next is what the decision asked for.
func (r *runner) next(key types.NamespacedName, p *pass) reconcile.Result {
	if p.facts == nil { // the object is gone
		for _, v := range r.views {
			v.Release(key)
		}
		r.rest(key, place{}, 0, false)
		return reconcile.Result{}
	}
	again := p.step.Requeue
	if again != nil && again.On != "" {
		r.rest(key, place{again.On, p.facts.groups[again.On]}, p.facts.entered[again.On], p.took())
	} else {
		r.rest(key, place{}, 0, p.took())
	}
	if again == nil || again.At == 0 {
		return reconcile.Result{}
	}
	return reconcile.Result{RequeueAfter: r.delay(again.At, len(p.kernel.Writes) > 0)}
}

// delay is how long to wait for an instant, in nanoseconds since 1970. Long waits are cut: the queue waits by a clock that
// stands still while the machine is suspended, and keeps what it waits for in memory even when the object is gone.
func (r *runner) delay(at int64, wrote bool) time.Duration {
	wait := time.Unix(0, at).Sub(r.host.config.Now())
	switch {
	case wait > 0:
		return min(wait, longestWait)
	case wrote:
		return time.Nanosecond // now; 0 would mean never
	default:
		return pastRetry // nothing changed, and the same answer would come again at once
	}
}

// retry waits longer each time.
func (r *runner) retry(key types.NamespacedName) reconcile.Result {
	r.mu.Lock()
	n := r.troubles[key]
	r.mu.Unlock()
	return reconcile.Result{RequeueAfter: min(firstRetry<<min(n, conflictsBeforeTrouble), lastRetry)}
}

// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/rego"
)

// Reasons of the condition Decided.
const (
	// ReasonNoDecision: policy has no answer for the object, or one of the wrong type.
	ReasonNoDecision = "NoDecision"
	// ReasonKernelRefused: an effect would break a kernel rule; the message says which.
	ReasonKernelRefused = "KernelRefused"
	// ReasonConflictExhausted: the object or its candidate kept changing under every attempt.
	ReasonConflictExhausted = "ConflictExhausted"
	// ReasonEffectRejected: the API server does not accept an effect.
	ReasonEffectRejected = "EffectRejected"
)

// pause keeps an object whose pass failed from being tried again by every event, its own condition's included.
type pause struct {
	until      time.Time
	generation int64
	revision   *rego.Revision
}

// trouble makes a failed pass visible on the object, with a condition, an Event and a log line, and leaves the object alone
// for a while.
func (r *runner) trouble(ctx context.Context, key types.NamespacedName, p *pass, reason string, cause error) reconcile.Result {
	again := reconcile.Result{RequeueAfter: troubleRetry}
	log := r.host.config.Log.WithValues("registration", r.registration.ID(), "object", key.String(), "reason", reason)
	if p == nil || p.facts == nil {
		log.Error(cause, "Pass failed")
		return again
	}
	object := p.facts.object
	if p.decision != nil {
		log = log.WithValues("decision", p.decision.ID, "revision", p.decision.Revision.ID())
	}
	log.Error(cause, "Pass failed")
	r.host.config.Metrics.trouble(r.registration.ID(), reason)
	k := r.host.config.Kernel
	k.Events.Event(object, "Warning", reason, cause.Error())
	kp := p.kernel
	if kp == nil {
		kp = &kernel.Pass{Registration: r.registration, Object: object, Now: p.facts.now}
	}
	if err := k.ReportCondition(ctx, kp, kernel.ConditionDecided, reason, cause.Error()); err != nil {
		log.Error(err, "Writing the condition")
	}
	r.expect(key, kp.Writes)
	for _, v := range r.views {
		v.Release(key) // while this object is left alone, others may have what it was about to take
	}
	r.mu.Lock()
	r.paused[key] = pause{until: r.host.config.Now().Add(troubleRetry), generation: object.GetGeneration(), revision: r.generation.Active()}
	r.mu.Unlock()
	return again
}

// pausedFor returns how much longer an object is left alone: 0 once its time is over, or when the object's spec or the
// policy has changed.
func (r *runner) pausedFor(ctx context.Context, key types.NamespacedName) time.Duration {
	r.mu.Lock()
	at, ok := r.paused[key]
	r.mu.Unlock()
	if !ok {
		return 0
	}
	object := unstructuredOf(r.registration.For.GVK())
	left := at.until.Sub(r.host.config.Now())
	if left > 0 && at.revision == r.generation.Active() && r.host.config.Cache.Get(ctx, key, object) == nil && object.GetGeneration() == at.generation {
		return left
	}
	r.mu.Lock()
	delete(r.paused, key)
	r.mu.Unlock()
	return 0
}

// countTrouble counts a failure of an object and returns how many came in a row before it.
func (r *runner) countTrouble(key types.NamespacedName) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.troubles[key]++
	return r.troubles[key] - 1
}

// forgetTrouble ends the count, and takes the condition off an object whose pass succeeded.
func (r *runner) forgetTrouble(ctx context.Context, key types.NamespacedName, p *pass) {
	r.mu.Lock()
	delete(r.troubles, key)
	r.mu.Unlock()
	if p.kernel == nil {
		return
	}
	if err := r.host.config.Kernel.ClearCondition(ctx, p.kernel, kernel.ConditionDecided); err != nil {
		r.host.config.Log.Error(err, "Clearing the condition", "object", key.String())
		return
	}
	r.expect(key, p.kernel.Writes)
}

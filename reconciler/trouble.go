// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lictor-dev/lictor/reconciler/kernel"
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

// trouble makes a failed pass visible on the object: a condition, an Event and a log line.
func (r *runner) trouble(ctx context.Context, p *pass, reason string, cause error) {
	if p == nil || p.facts == nil {
		r.host.config.Log.Error(cause, "Pass failed", "registration", r.registration.ID(), "reason", reason)
		return
	}
	object := p.facts.object
	log := r.host.config.Log.WithValues("registration", r.registration.ID(), "object", keyOf(object).String(), "reason", reason)
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
	r.expect(keyOf(object), kp.Writes)
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

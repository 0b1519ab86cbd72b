// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// ConditionDecided on an object is False while its decision is missing or cannot be carried out. It is absent otherwise.
// It is written by ReportCondition and ClearCondition; a policy's complete status leaves it as it is.
const ConditionDecided = "Decided"

// maxConditionMessage is the API's bound on a condition's message.
const maxConditionMessage = 32768

// ReportCondition sets one condition to False and leaves the rest of the status alone. It writes nothing when nothing
// changes, or when the registration does not write status.
func (k *Kernel) ReportCondition(ctx context.Context, p *Pass, conditionType, reason, message string) error {
	status := statusOf(p.Object)
	conditions := withoutCondition(status, conditionType)
	status["conditions"] = append(conditions, map[string]any{
		"type": conditionType, "status": "False", "reason": reason, "message": strings.ToValidUTF8(message[:min(len(message), maxConditionMessage)], ""),
	})
	return k.reportStatus(ctx, p, status)
}

// ClearCondition removes one condition.
func (k *Kernel) ClearCondition(ctx context.Context, p *Pass, conditionType string) error {
	status := statusOf(p.Object)
	before := len(conditionsOf(status))
	conditions := withoutCondition(status, conditionType)
	if len(conditions) == before {
		return nil
	}
	status["conditions"] = conditions
	return k.reportStatus(ctx, p, status)
}

func (k *Kernel) reportStatus(ctx context.Context, p *Pass, status map[string]any) error {
	if p.allowed(decisionv1.EffectStatus, p.kind()) != nil {
		return nil
	}
	return k.writeStatus(ctx, p, &decisionv1.Effect{Type: decisionv1.EffectStatus}, status)
}

func statusOf(object *unstructured.Unstructured) map[string]any {
	status, _ := object.Object["status"].(map[string]any)
	if status == nil {
		return map[string]any{}
	}
	return runtime.DeepCopyJSON(status)
}

// keepCondition copies a condition that only present has into desired.
func keepCondition(desired, present map[string]any, conditionType string) {
	for _, c := range conditionsOf(desired) {
		if c["type"] == conditionType {
			return
		}
	}
	for _, c := range conditionsOf(present) {
		if c["type"] == conditionType {
			list, _ := desired["conditions"].([]any)
			desired["conditions"] = append(list, c)
		}
	}
}

func withoutCondition(status map[string]any, conditionType string) []any {
	out := []any{}
	for _, c := range conditionsOf(status) {
		if c["type"] != conditionType {
			out = append(out, c)
		}
	}
	return out
}

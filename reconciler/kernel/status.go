// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// status brings the object's status to what policy answered. Nothing is sent when nothing changes.
func (k *Kernel) status(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	if err := p.allowed(e.Type, p.kind()); err != nil {
		return err
	}
	desired := runtime.DeepCopyJSON(e.Status)
	keepCondition(desired, statusOf(p.Object), ConditionDecided)
	return k.writeStatus(ctx, p, e, desired)
}

func (k *Kernel) writeStatus(ctx context.Context, p *Pass, e *decisionv1.Effect, desired map[string]any) error {
	current := statusOf(p.Object)
	keepTransitionTimes(desired, current, p.Now)
	if p.isClaim() {
		if err := p.mayChangeClaimStatus(e, current, desired); err != nil {
			return err
		}
	}
	if equality.Semantic.DeepEqual(current, desired) {
		return nil
	}
	diff, err := mergeDiff(current, desired)
	if err != nil {
		return err
	}
	if string(diff) == "{}" { // they differ in how numbers are written, and in nothing else
		return nil
	}
	out, err := k.patchKnown(ctx, p.Object, map[string]any{
		"metadata": map[string]any{"uid": string(p.Object.GetUID()), "resourceVersion": p.Object.GetResourceVersion()},
		"status":   diff,
	}, "status")
	if err != nil {
		return err
	}
	return p.advanceTo(out, desired)
}

func mergeDiff(current, desired map[string]any) (json.RawMessage, error) {
	before, err := json.Marshal(current)
	if err != nil {
		return nil, fmt.Errorf("encoding status: %w", err)
	}
	after, err := json.Marshal(withoutNulls(desired))
	if err != nil {
		return nil, fmt.Errorf("encoding status: %w", err)
	}
	diff, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		return nil, fmt.Errorf("comparing status: %w", err)
	}
	return diff, nil
}

// withoutNulls drops null fields: the API server does not keep them, so that they would differ for ever.
func withoutNulls(m map[string]any) map[string]any {
	for k, v := range m {
		switch v := v.(type) {
		case nil:
			delete(m, k)
		case map[string]any:
			withoutNulls(v)
		}
	}
	return m
}

// keepTransitionTimes fills lastTransitionTime: that of the present condition while its status stays, now when it flips.
// A time that churns would make every pass a write, and ages that are measured from it never grow.
func keepTransitionTimes(desired, current map[string]any, now time.Time) {
	present := map[string]map[string]any{}
	for _, c := range conditionsOf(current) {
		if t, ok := c["type"].(string); ok {
			present[t] = c
		}
	}
	for _, c := range conditionsOf(desired) {
		t, _ := c["type"].(string)
		if old := present[t]; old != nil && old["status"] == c["status"] && old["lastTransitionTime"] != nil {
			c["lastTransitionTime"] = old["lastTransitionTime"]
			continue
		}
		c["lastTransitionTime"] = now.UTC().Format(time.RFC3339)
	}
}

func conditionsOf(status map[string]any) []map[string]any {
	list, _ := status["conditions"].([]any)
	out := make([]map[string]any, 0, len(list))
	for _, x := range list {
		if c, ok := x.(map[string]any); ok {
			out = append(out, c)
		}
	}
	return out
}

// mayChangeClaimStatus enforces rules 2 and 9: which member a claim holds, since when and until when is written once.
func (p *Pass) mayChangeClaimStatus(e *decisionv1.Effect, current, desired map[string]any) error {
	had, _, _ := unstructured.NestedString(current, "virtualMachineRef", "name")
	has, _, _ := unstructured.NestedString(desired, "virtualMachineRef", "name")
	switch {
	case had != "" && has != had:
		return refuse(RuleOneMemberPerClaim, string(e.Type), "virtualMachineRef is written once: it is %s", had)
	case had == "" && has != "" && has != p.bound:
		return refuse(RuleOneMemberPerClaim, string(e.Type), "virtualMachineRef names %s, which this pass has not bound", has)
	}
	for _, field := range []string{"boundAt", "expiresAt"} {
		if old, ok := current[field]; ok && desired[field] != old {
			return refuse(RuleDeadline, string(e.Type), "%s is written once: it is %v", field, old)
		}
	}
	if _, ok := current["expiresAt"]; ok || has == "" && desired["expiresAt"] == nil {
		return nil
	}
	return p.checkDeadline(e, desired)
}

// checkDeadline enforces rule 9 for the first write of a deadline.
func (p *Pass) checkDeadline(e *decisionv1.Effect, desired map[string]any) error {
	bound, err := timeIn(desired, "boundAt")
	if err != nil {
		return refuse(RuleDeadline, string(e.Type), "%v", err)
	}
	expires, err := timeIn(desired, "expiresAt")
	if err != nil {
		return refuse(RuleDeadline, string(e.Type), "%v", err)
	}
	ttl, _, _ := unstructured.NestedInt64(p.Object.Object, "spec", "ttlSeconds")
	if bound.After(p.Now) {
		return refuse(RuleDeadline, string(e.Type), "boundAt %s lies in the future", bound)
	}
	if latest := addSeconds(bound, ttl); expires.After(latest) {
		return refuse(RuleDeadline, string(e.Type), "expiresAt %s is later than boundAt + ttlSeconds, %s", expires, latest)
	}
	return nil
}

func timeIn(status map[string]any, field string) (time.Time, error) {
	text, _ := status[field].(string)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("a claim that holds a member needs %s: %w", field, err)
	}
	return t, nil
}

// addSeconds saturates instead of wrapping, for claims written before ttlSeconds had an upper bound.
func addSeconds(t time.Time, seconds int64) time.Time {
	if seconds > math.MaxInt64/int64(time.Second) {
		return t.Add(math.MaxInt64)
	}
	return t.Add(time.Duration(seconds) * time.Second)
}

func (k *Kernel) event(p *Pass, e *decisionv1.Effect) error {
	if err := p.allowed(e.Type, p.kind()); err != nil {
		return err
	}
	k.Events.Event(p.Object, e.EventType, e.Reason, e.Message)
	return nil
}

// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"testing"

	"github.com/stretchr/testify/require"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/rego"
)

func TestDecodeStep(t *testing.T) {
	v, err := rego.NewValue(map[string]any{
		"step": "Try", "requeue": map[string]any{"at": int64(7), "on": "members"},
		"effects": []any{
			map[string]any{"type": "bind", "member": map[string]any{"name": "m", "uid": "u", "resourceVersion": "1"}, "annotations": map[string]any{"a": "b"}},
			map[string]any{"type": "delete", "reason": "R", "target": map[string]any{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "resourceVersion": "2"}},
			map[string]any{"type": "create", "object": map[string]any{"kind": "K"}},
			map[string]any{"type": "patch", "target": map[string]any{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}, "patch": map[string]any{"a": nil}},
			map[string]any{"type": "status", "status": map[string]any{"n": int64(1)}},
			map[string]any{"type": "event", "eventType": "Normal", "reason": "R", "message": "m"},
			map[string]any{"type": "finalizer.add", "finalizer": "a/b"},
		},
	})
	require.NoError(t, err)
	got, err := decodeStep(v)
	require.NoError(t, err)
	target := decisionv1.Target{APIVersion: "v1", Kind: "K", Name: "n", UID: "u"}
	versioned := target
	versioned.ResourceVersion = "2"
	require.Equal(t, &decisionv1.Step{
		Step: "Try", Requeue: &decisionv1.Requeue{At: 7, On: "members"},
		Effects: []decisionv1.Effect{
			{Type: "bind", Member: &decisionv1.Member{Name: "m", UID: "u", ResourceVersion: "1"}, Annotations: map[string]string{"a": "b"}},
			{Type: "delete", Reason: "R", Target: &versioned},
			{Type: "create", Object: map[string]any{"kind": "K"}},
			{Type: "patch", Target: &target, Patch: map[string]any{"a": nil}},
			{Type: "status", Status: map[string]any{"n": int64(1)}},
			{Type: "event", EventType: "Normal", Reason: "R", Message: "m"},
			{Type: "finalizer.add", Finalizer: "a/b"},
		},
	}, got)
}

func TestDecodeStepRefuses(t *testing.T) {
	with := func(key string, value any) map[string]any {
		m := map[string]any{"step": "Try", "effects": []any{}}
		m[key] = value
		return m
	}
	effect := func(key string, value any) map[string]any {
		return with("effects", []any{map[string]any{"type": "status", "status": map[string]any{}, key: value}})
	}
	cases := map[string]struct {
		reason  string
		answer  any
		message string
	}{
		"not an object":        {"an answer has fields", []any{}, "not an object"},
		"no effects":           {"forgotten is not none", map[string]any{"step": "Try"}, "no effects"},
		"effects not a list":   {"they have an order", with("effects", map[string]any{}), "effects: {} is not an array"},
		"unknown field":        {"it would mean nothing", with("requeu", 1), "requeu: there is no such field"},
		"unknown effect field": {"it would mean nothing", effect("statuss", 1), "effects[0].statuss: there is no such field"},
		"mistyped":             {"a number is no text", effect("reason", 1), "effects[0].reason: 1 is not a string"},
		"status a text":        {"a status has fields", effect("status", "x"), "effects[0].status: string is not an object"},
		"target field":         {"it would mean nothing", effect("target", map[string]any{"uuid": "x"}), "effects[0].target.uuid: there is no such field"},
		"at a fraction":        {"instants are whole nanoseconds", with("requeue", map[string]any{"at": 1.5}), "requeue.at: 1.5 is not a whole number"},
		"requeue field":        {"it would mean nothing", with("requeue", map[string]any{"after": 1}), "requeue.after: there is no such field"},
		"incomplete effect":    {"it cannot be performed", with("effects", []any{map[string]any{"type": "bind"}}), "bind needs member"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			v, err := rego.NewValue(c.answer)
			require.NoError(t, err)
			_, err = decodeStep(v)
			require.ErrorContains(t, err, c.message, c.reason)
		})
	}
}

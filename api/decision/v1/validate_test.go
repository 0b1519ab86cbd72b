// SPDX-License-Identifier: Apache-2.0

package v1_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

func TestValidate(t *testing.T) {
	target := &decisionv1.Target{APIVersion: "v1", Kind: "ConfigMap", Name: "a", UID: "u"}
	member := &decisionv1.Member{Name: "a", UID: "u", ResourceVersion: "1"}
	cases := map[string]struct {
		reason  string
		step    decisionv1.Step
		message string
	}{
		"no name":         {"metrics show the step", decisionv1.Step{}, "step must name"},
		"an object name":  {"metrics must not hold names of objects", decisionv1.Step{Step: "claim-1"}, "step must name"},
		"too long":        {"nor texts", decisionv1.Step{Step: strings.Repeat("A", 65)}, "step must name"},
		"nothing to do":   {"an empty list is an answer", decisionv1.Step{Step: "Wait"}, ""},
		"unknown effect":  {"the vocabulary is closed", one(decisionv1.Effect{Type: "exec"}), "unknown effect type"},
		"bind":            {"it is complete", one(decisionv1.Effect{Type: "bind", Member: member}), ""},
		"bind nobody":     {"whom?", one(decisionv1.Effect{Type: "bind"}), "member.name"},
		"bind any state":  {"the precondition is needed", one(decisionv1.Effect{Type: "bind", Member: &decisionv1.Member{Name: "a", UID: "u"}}), "resourceVersion"},
		"finalizer":       {"it is complete", one(decisionv1.Effect{Type: "finalizer.add", Finalizer: "a/b"}), ""},
		"no finalizer":    {"which?", one(decisionv1.Effect{Type: "finalizer.remove"}), "needs finalizer"},
		"create":          {"it is complete", one(decisionv1.Effect{Type: "create", Object: map[string]any{}}), ""},
		"create nothing":  {"what?", one(decisionv1.Effect{Type: "create"}), "needs object"},
		"apply nothing":   {"what?", one(decisionv1.Effect{Type: "apply"}), "needs object"},
		"patch":           {"it is complete", one(decisionv1.Effect{Type: "patch", Target: target, Patch: map[string]any{}}), ""},
		"patch nothing":   {"with what?", one(decisionv1.Effect{Type: "patch", Target: target}), "and patch"},
		"delete":          {"it is complete", one(decisionv1.Effect{Type: "delete", Target: target}), ""},
		"delete a name":   {"a namesake must not be deleted", one(decisionv1.Effect{Type: "delete", Target: &decisionv1.Target{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}}), "uid"},
		"status":          {"it is complete", one(decisionv1.Effect{Type: "status", Status: map[string]any{}}), ""},
		"no status":       {"which?", one(decisionv1.Effect{Type: "status"}), "needs status"},
		"event":           {"it is complete", one(decisionv1.Effect{Type: "event", EventType: "Normal", Reason: "R", Message: "m"}), ""},
		"event of a kind": {"Kubernetes knows two", one(decisionv1.Effect{Type: "event", EventType: "Error", Reason: "R", Message: "m"}), "eventType"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.step.Validate()
			if c.message == "" {
				require.NoError(t, err, c.reason)
				return
			}
			require.ErrorContains(t, err, c.message, c.reason)
		})
	}
}

func one(e decisionv1.Effect) decisionv1.Step {
	return decisionv1.Step{Step: "Try", Effects: []decisionv1.Effect{e}}
}

// TestEveryTypeIsKnown keeps the list and the validation together.
func TestEveryTypeIsKnown(t *testing.T) {
	for _, et := range decisionv1.EffectTypes() {
		err := (&decisionv1.Effect{Type: et}).Validate()
		require.Error(t, err)
		require.NotContains(t, err.Error(), "unknown")
	}
}

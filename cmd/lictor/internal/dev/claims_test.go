// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

func TestDescribeClaim(t *testing.T) {
	deadline := metav1.NewTime(time.Date(2026, 1, 5, 12, 30, 5, 0, time.Local))
	condition := func(kind, reason, message string) []metav1.Condition {
		return []metav1.Condition{{Type: kind, Status: metav1.ConditionFalse, Reason: reason, Message: message}}
	}
	cases := map[string]struct {
		reason string
		status v1alpha1.VirtualMachineClaimStatus
		want   string
	}{
		"new": {"nobody has looked at it yet", v1alpha1.VirtualMachineClaimStatus{}, "created"},
		"bound": {"to what, and until when", v1alpha1.VirtualMachineClaimStatus{Phase: v1alpha1.ClaimBound, ExpiresAt: &deadline,
			VirtualMachineRef: &v1alpha1.LocalObjectReference{Name: "demo-x"}}, "Bound      demo-x  until 12:30:05"},
		"pending": {"why not", v1alpha1.VirtualMachineClaimStatus{Phase: v1alpha1.ClaimPending,
			Conditions: condition("Bound", "PoolNotFound", "long")}, "Pending    PoolNotFound"},
		"stuck": {"policy has no answer: its author must see that", v1alpha1.VirtualMachineClaimStatus{Phase: v1alpha1.ClaimPending,
			Conditions: condition("Decided", "NoDecision", "undefined")}, "Pending    STUCK: NoDecision: undefined"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, describe(&v1alpha1.VirtualMachineClaim{Status: c.status})); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

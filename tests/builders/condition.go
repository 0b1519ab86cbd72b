// SPDX-License-Identifier: Apache-2.0

package builders

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Condition is a condition that went to its status at the given time. The message repeats the reason.
func Condition(conditionType string, status metav1.ConditionStatus, reason string, since time.Time) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: reason,
		LastTransitionTime: metav1.NewTime(since),
	}
}

// putCondition replaces the condition of the same type, or appends.
func putCondition(conditions []metav1.Condition, condition metav1.Condition) []metav1.Condition {
	for i := range conditions {
		if conditions[i].Type == condition.Type {
			conditions[i] = condition
			return conditions
		}
	}
	return append(conditions, condition)
}

// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

func kind(name string) schema.GroupVersionKind { return v1alpha1.GroupVersion.WithKind(name) }

func requireCondition(t *testing.T, all []metav1.Condition, name string, status metav1.ConditionStatus, reason string) {
	t.Helper()
	c := meta.FindStatusCondition(all, name)
	require.NotNil(t, c, "condition %s among %v", name, all)
	require.Equal(t, string(status)+"/"+reason, string(c.Status)+"/"+c.Reason, c.Message)
}

func contains(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// unlessEqual says how two values differ.
func unlessEqual(want, got any) error {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return fmt.Errorf("want %v, got %v", want, got)
}

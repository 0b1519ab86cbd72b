// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// breach is a value that a limit of the schema refuses.
type breach struct {
	value any
	want  string
}

// breaches are the values just outside each limit of a schema; like is a valid value.
func breaches(schema *apiextensionsv1.JSONSchemaProps, like any) []breach {
	var all []breach
	if schema.Minimum != nil {
		all = append(all, breach{int64(math.Ceil(*schema.Minimum)) - 1, "should be greater than or equal to"})
	}
	if schema.Maximum != nil {
		all = append(all, breach{int64(*schema.Maximum) + 1, "should be less than or equal to"})
	}
	if schema.MinLength != nil && *schema.MinLength > 0 {
		all = append(all, breach{"", "should be at least"})
	}
	if schema.MaxLength != nil {
		all = append(all, breach{strings.Repeat("x", int(*schema.MaxLength)+1), "Too long"})
	}
	if schema.MinItems != nil && *schema.MinItems > 0 {
		all = append(all, breach{[]any{}, "should have at least"})
	}
	if list, ok := like.([]any); ok && schema.MaxItems != nil && len(list) > 0 {
		all = append(all, breach{slices.Repeat(list[:1], int(*schema.MaxItems)+1), "must have at most"})
	}
	if len(schema.Enum) > 0 {
		all = append(all, breach{"no-such-value", "Unsupported value"})
	}
	return all
}

// checkLimits breaks every limit on every field of a spec, one at a time, in an object that is valid otherwise.
func (j *judge) checkLimits(t *testing.T, kind string, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	spec := schemaOf(crd).Properties["spec"]
	walk(&spec, "spec", func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		if len(breaches(schema, []any{nil})) == 0 {
			return
		}
		object, like := j.reaching(kind, path)
		if object == nil {
			t.Errorf("no case has a good value for %s at %q, which has a limit", kind, path)
			return
		}
		for _, b := range breaches(schema, like) {
			content, ok := replaced(object.Object, path, b.value).(map[string]any)
			if !ok {
				t.Fatalf("%s at %q: not below the root", kind, path)
			}
			err := j.client.Create(t.Context(), &unstructured.Unstructured{Object: content}, client.DryRunAll)
			if !slices.ContainsFunc(causes(err), func(cause metav1.StatusCause) bool {
				return normalPath(cause.Field) == path && strings.Contains(cause.Message, b.want)
			}) {
				t.Errorf("%s at %q: want refused with %q, got %v", kind, path, b.want, err)
			}
		}
	})
}

// reaching is an accepted object with a value at the path, and the value; nil if there is none.
func (j *judge) reaching(kind, path string) (*unstructured.Unstructured, any) {
	for _, object := range j.good {
		if object.GetKind() != kind {
			continue
		}
		if values := at(object.Object, path); len(values) > 0 {
			return object, values[0]
		}
	}
	return nil, nil
}

// replaced is a copy of a value with another one in every place that the path leads to.
func replaced(value any, path string, with any) any {
	if path == "" {
		return with
	}
	step, rest := next(path)
	switch value := value.(type) {
	case map[string]any:
		changed := maps.Clone(value)
		for key, member := range value {
			if step == "[]" || step == key {
				changed[key] = replaced(member, rest, with)
			}
		}
		return changed
	case []any:
		changed := slices.Clone(value)
		for i := range value {
			changed[i] = replaced(value[i], rest, with)
		}
		return changed
	}
	return value
}

// causes are the single findings of a refusal.
func causes(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}

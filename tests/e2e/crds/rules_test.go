// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

// ruleCase is one object that the API server must accept or refuse.
type ruleCase struct {
	// reason says why the answer must be what it is.
	reason string
	// object is valid by itself.
	object client.Object
	// patch is a JSON merge patch, written as YAML, on the object before it is created.
	patch string
	// update is a patch on the created object; when it is set, it is the update that is judged.
	update string
	// want is a part of the refusal; empty means accepted.
	want string
}

// rule is one CEL rule at one place of one kind.
type rule struct{ kind, path, message string }

// TestRules judges every case. Then it holds that there was a good and a bad value for every CEL rule of every CRD,
// and breaks every other limit.
func TestRules(t *testing.T) {
	c := testcluster.New(t)
	cases := joined(
		claimCases(c.Namespace), poolCases(c.Namespace), machineCases(c.Namespace), classCases(), imageCases(),
		providerCases(c.Namespace), providerClassCases(), infrastructureCases(c.Namespace),
	)
	judged := judge{client: client.WithFieldValidation(c.Client, metav1.FieldValidationStrict)}
	ran := 0
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ran++
			judged.run(t, tc)
		})
	}
	if ran < len(cases) {
		t.Skip("only some cases were selected")
	}
	for kind, crd := range installed(t, c.Client) {
		judged.checkRules(t, kind, crd)
		judged.checkLimits(t, kind, crd)
	}
}

// judge remembers what the API server accepted and which rules it refused by.
type judge struct {
	client client.Client
	good   []*unstructured.Unstructured
	// bad holds the refusals; their messages end in the rule's.
	bad []rule
}

func (j *judge) run(t *testing.T, tc ruleCase) {
	t.Helper()
	object := patched(t, tc.object, tc.patch)
	var err error
	if tc.update == "" {
		err = j.client.Create(t.Context(), object, client.DryRunAll)
	} else {
		if err := j.client.Create(t.Context(), object); err != nil {
			t.Fatalf("create before update: %v", err)
		}
		object = patched(t, object, tc.update)
		err = j.client.Update(t.Context(), object, client.DryRunAll)
	}
	switch {
	case tc.want == "" && err != nil:
		t.Errorf("%s: want accepted, got %v", tc.reason, err)
	case tc.want == "":
		j.good = append(j.good, object)
	case err == nil:
		t.Errorf("%s: want refused with %q, got accepted", tc.reason, tc.want)
	case !strings.Contains(err.Error(), tc.want):
		t.Errorf("%s: want refused with %q, got %v", tc.reason, tc.want, err)
	default:
		j.refused(object.GetKind(), err)
	}
}

// refused notes the rules named by a refusal.
func (j *judge) refused(kind string, err error) {
	for _, cause := range causes(err) {
		j.bad = append(j.bad, rule{kind, normalPath(cause.Field), cause.Message})
	}
}

// checkRules holds that every CEL rule was broken and kept by some case.
func (j *judge) checkRules(t *testing.T, kind string, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	walk(schemaOf(crd), "", func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		for _, validation := range schema.XValidations {
			r := rule{kind, path, validation.Message}
			if !j.broken(r) {
				t.Errorf("no case breaks the rule of %s at %q: %s", kind, path, validation.Rule)
			}
			if !j.kept(r) {
				t.Errorf("no case keeps the rule of %s at %q: %s", kind, path, validation.Rule)
			}
		}
	})
}

func (j *judge) broken(r rule) bool {
	return slices.ContainsFunc(j.bad, func(refusal rule) bool {
		return refusal.kind == r.kind && refusal.path == r.path && strings.HasSuffix(refusal.message, r.message)
	})
}

func (j *judge) kept(r rule) bool {
	object, _ := j.reaching(r.kind, r.path)
	return object != nil
}

// patched is a copy of an object with a merge patch applied.
func patched(t *testing.T, object client.Object, patch string) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatalf("convert %T: %v", object, err)
	}
	if patch != "" {
		var changes map[string]any
		if err := yaml.Unmarshal([]byte(patch), &changes); err != nil {
			t.Fatalf("patch %q: %v", patch, err)
		}
		merge(content, changes)
	}
	return &unstructured.Unstructured{Object: content}
}

// merge follows RFC 7386, except that a null stays, so that cases can send one.
func merge(into, changes map[string]any) {
	for key, change := range changes {
		below, isObject := change.(map[string]any)
		existing, hasObject := into[key].(map[string]any)
		if isObject && hasObject {
			merge(existing, below)
			continue
		}
		into[key] = change
	}
}

// named puts a prefix before the names of cases, to tell the same cases at different places apart.
func named(prefix string, cases map[string]ruleCase) map[string]ruleCase {
	renamed := map[string]ruleCase{}
	for name, tc := range cases {
		renamed[prefix+"/"+name] = tc
	}
	return renamed
}

// joined puts tables together.
func joined(tables ...map[string]ruleCase) map[string]ruleCase {
	all := map[string]ruleCase{}
	for _, table := range tables {
		for name, tc := range table {
			if _, taken := all[name]; taken {
				panic(fmt.Sprintf("two cases are called %q", name))
			}
			all[name] = tc
		}
	}
	return all
}

// SPDX-License-Identifier: Apache-2.0

// Command schemagen writes the JSON Schemas of every decision's input and output into bundles/schemas, from the
// repository's root. Policy is
// type-checked against them, so they must be generated from the types and not written by hand.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/invopop/jsonschema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

func main() {
	if err := run(filepath.Join("bundles", "schemas")); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

// schemas maps files to the types that they describe.
func schemas() map[string]any {
	return map[string]any{
		"claims/step/input.json":        decisionv1.ClaimStepInput{},
		"claims/rank/input.json":        decisionv1.MemberRankInput{},
		"claims/held/input.json":        decisionv1.MemberRankInput{},
		"pools/plan/input.json":         decisionv1.PoolPlanInput{},
		"pools/rank/input.json":         decisionv1.MemberRankInput{},
		decisionv1.SchemaStep + ".json": decisionv1.Step{},
		decisionv1.SchemaRank + ".json": decisionv1.Rank{},
	}
}

func run(folder string) error {
	reflector := &jsonschema.Reflector{DoNotReference: true, Anonymous: true, Mapper: kubernetesTypes}
	for file, of := range schemas() {
		schema, err := document(reflector.Reflect(of))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		path := filepath.Join(folder, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, schema, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// document renders a schema the way OPA's type checker reads it: to the checker, "an object or null" written as a choice
// is anything at all, and a misspelt field below it goes through.
func document(s *jsonschema.Schema) ([]byte, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(nullable(tree), "", "  ")
	return append(out, '\n'), err
}

// nullable turns {"oneOf": [X, {"type": "null"}]} into X with the types of X and null.
func nullable(node any) any {
	switch node := node.(type) {
	case map[string]any:
		if choice, ok := node["oneOf"].([]any); ok {
			return orNull(choice)
		}
		for k, v := range node {
			node[k] = nullable(v)
		}
	case []any:
		for i := range node {
			node[i] = nullable(node[i])
		}
	}
	return node
}

func orNull(choice []any) any {
	if len(choice) != 2 || !reflect.DeepEqual(choice[1], map[string]any{"type": "null"}) {
		panic("a type offers a choice other than null, which OPA's type checker cannot follow")
	}
	schema := nullable(choice[0]).(map[string]any)
	schema["type"] = []any{schema["type"], "null"}
	return schema
}

// kubernetesTypes describes the types whose JSON form reflection cannot see.
func kubernetesTypes(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case reflect.TypeFor[metav1.ObjectMeta]():
		return objectMeta()
	default:
		return nil
	}
}

// objectMeta lists the metadata that policy may read; managed fields never reach it.
func objectMeta() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	texts := &jsonschema.Schema{Type: "object", AdditionalProperties: text}
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, name := range []string{"name", "generateName", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"} {
		s.Properties.Set(name, text)
	}
	s.Properties.Set("generation", &jsonschema.Schema{Type: "integer"})
	s.Properties.Set("deletionGracePeriodSeconds", &jsonschema.Schema{Type: "integer"})
	s.Properties.Set("labels", texts)
	s.Properties.Set("annotations", texts)
	s.Properties.Set("finalizers", &jsonschema.Schema{Type: "array", Items: text})
	s.Properties.Set("ownerReferences", &jsonschema.Schema{Type: "array", Items: ownerReference()})
	return s
}

func ownerReference() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
		s.Properties.Set(name, &jsonschema.Schema{Type: "string"})
	}
	for _, name := range []string{"controller", "blockOwnerDeletion"} {
		s.Properties.Set(name, &jsonschema.Schema{Type: "boolean"})
	}
	return s
}

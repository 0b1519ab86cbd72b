// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"regexp"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// walk visits a schema and everything below it. Paths look like "spec.addressing.pool[]"; the root's is empty, and
// metadata is left out because the API server describes it itself.
func walk(schema *apiextensionsv1.JSONSchemaProps, path string, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	visit(path, schema)
	for name := range schema.Properties {
		if path == "" && name == "metadata" {
			continue
		}
		property := schema.Properties[name]
		walk(&property, strings.TrimPrefix(path+"."+name, "."), visit)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		walk(schema.Items.Schema, path+"[]", visit)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		walk(schema.AdditionalProperties.Schema, path+"[]", visit)
	}
}

// at lists the values that a path leads to.
func at(value any, path string) []any {
	if path == "" {
		return []any{value}
	}
	step, rest := next(path)
	var found []any
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if step == "[]" || step == key {
				found = append(found, at(member, rest)...)
			}
		}
	case []any:
		for _, element := range value {
			if step == "[]" {
				found = append(found, at(element, rest)...)
			}
		}
	}
	return found
}

// next takes the first step off a path: a member's name, or "[]" for all elements.
func next(path string) (step, rest string) {
	path = strings.TrimPrefix(path, ".")
	if rest, ok := strings.CutPrefix(path, "[]"); ok {
		return "[]", rest
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], path[end:]
}

// normalPath turns the path in a refusal into one as walk makes them.
func normalPath(field string) string {
	if field == "<nil>" {
		return ""
	}
	return regexp.MustCompile(`\[[^\]]*\]`).ReplaceAllString(field, "[]")
}

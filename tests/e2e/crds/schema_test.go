// SPDX-License-Identifier: Apache-2.0

package crds

import (
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

// reaches says whether a value has something at the path.
func reaches(value any, path string) bool {
	if path == "" {
		return true
	}
	path = strings.TrimPrefix(path, ".")
	if rest, ok := strings.CutPrefix(path, "[]"); ok {
		for _, element := range elements(value) {
			if reaches(element, rest) {
				return true
			}
		}
		return false
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	member, ok := object[path[:end]]
	return ok && reaches(member, path[end:])
}

func elements(value any) []any {
	switch value := value.(type) {
	case []any:
		return value
	case map[string]any:
		var all []any
		for _, element := range value {
			all = append(all, element)
		}
		return all
	}
	return nil
}

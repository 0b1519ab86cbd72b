// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

// FuzzReadVectors feeds contract vectors of any shape: each is read with its decision, or the set is refused.
func FuzzReadVectors(f *testing.F) {
	for _, seed := range []string{
		`{"v": {"decision": "lictor.demo.step", "input": {"a": 1}, "want": null}}`, `{"v": {}}`, `{"v": null}`, `{"": {"decision": ""}}`,
		`[]`, `null`, `{"v": {"decision": 1}}`, `{"v": [{"decision": "x"}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var plain any
		if json.Unmarshal([]byte(text), &plain) != nil {
			return
		}
		all, err := NewValue(plain)
		if err != nil {
			return
		}
		vectors, err := readVectors(all)
		if err != nil {
			return
		}
		named := plain.(map[string]any)
		if len(vectors) != len(named) {
			t.Fatalf("%d vectors of %d", len(vectors), len(named))
		}
		for _, v := range vectors {
			fields := named[v.name].(map[string]any)
			_, has := fields["input"]
			if v.decision != fields["decision"] || v.input.IsZero() == has {
				t.Fatalf("vector %q was read as %+v", v.name, v)
			}
		}
	})
}

// FuzzFormat feeds formats to sprintf's bound, which reads them on its own: whatever it lets through, fmt prints within it.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{"%d", "%1000d", "%1001d", "%.999999f", "%*d", "%[1]*d", "%[2]1000000d", "%-+# 0999999d", "%1[1]000d", "%%%9999", "%.1000.99999x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, format string) {
		if checkFormat([]*ast.Term{ast.StringTerm(format)}) != nil {
			return
		}
		printed := len(fmt.Sprintf(format, 7, 1.5e300, "text", "1e9999"))
		if most := 200 + (strings.Count(format, "%")+1)*4*maxWidth + 10*len(format); printed > most {
			t.Fatalf("%d bytes, more than %d", printed, most)
		}
	})
}

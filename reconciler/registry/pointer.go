// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Pointer is a JSON pointer (RFC 6901) into an object, such as /metadata/labels/banlieue.io~1pool.
type Pointer struct {
	text string
	keys []string
}

// ParsePointer parses a JSON pointer. Array indexes are not supported: registrations point at named fields.
func ParsePointer(text string) (Pointer, error) {
	if !strings.HasPrefix(text, "/") {
		return Pointer{}, fmt.Errorf("JSON pointer %q must start with /", text)
	}
	p := Pointer{text: text}
	for _, part := range strings.Split(text[1:], "/") {
		p.keys = append(p.keys, strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"))
	}
	return p, nil
}

// UnmarshalJSON parses the pointer's text.
func (p *Pointer) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	parsed, err := ParsePointer(text)
	*p = parsed
	return err
}

// IsZero tells whether no pointer was given.
func (p Pointer) IsZero() bool { return p.text == "" }

// String returns the pointer's text.
func (p Pointer) String() string { return p.text }

// Lookup returns what the pointer leads to in an object.
func (p Pointer) Lookup(object map[string]any) (any, bool) {
	var node any = object
	for _, k := range p.keys {
		m, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		if node, ok = m[k]; !ok {
			return nil, false
		}
	}
	return node, true
}

// Text returns the string that the pointer leads to, empty when there is none.
func (p Pointer) Text(object map[string]any) string {
	v, _ := p.Lookup(object)
	s, _ := v.(string)
	return s
}

// Project returns a new object that holds only what the pointers lead to, at the same places. Values are shared.
func Project(object map[string]any, pointers []Pointer) map[string]any {
	out := map[string]any{}
	for _, p := range pointers {
		if v, ok := p.Lookup(object); ok {
			insert(out, p.keys, v)
		}
	}
	return out
}

func insert(into map[string]any, keys []string, v any) {
	for _, k := range keys[:len(keys)-1] {
		next, ok := into[k].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[k] = next
		}
		into = next
	}
	into[keys[len(keys)-1]] = v
}

// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Value is an immutable policy value: an input, a part of one, or an answer. The zero Value is "no value".
type Value struct{ v ast.Value }

// NewValue converts JSON-like Go data (maps with string keys, slices, strings, numbers, booleans, nil, Values) once.
// Use it for what many decisions read.
func NewValue(x any) (Value, error) {
	v, err := ast.InterfaceToValue(unwrap(x))
	if err != nil {
		return Value{}, fmt.Errorf("converting %T to a policy value: %w", x, err)
	}
	return Value{v}, nil
}

// Lazy wraps JSON-like Go data without converting it: only what policy touches is converted. The map must not change
// afterwards, and a lazy Value is for one decision at a time; an evaluation may still read it after its timeout. Nested
// Values are used as they are.
func Lazy(m map[string]any) Value {
	for k, x := range m {
		m[k] = unwrap(x)
	}
	return Value{ast.LazyObject(m)}
}

func unwrap(x any) any {
	switch x := x.(type) {
	case Value:
		return x.v
	case map[string]Value:
		tuples := make([][2]*ast.Term, 0, len(x))
		for k, v := range x {
			tuples = append(tuples, [2]*ast.Term{ast.InternedTerm(k), ast.NewTerm(v.v)})
		}
		return ast.NewObject(tuples...)
	case []Value:
		terms := make([]*ast.Term, len(x))
		for i, v := range x {
			terms[i] = ast.NewTerm(v.v)
		}
		return ast.NewArray(terms...)
	default:
		return x
	}
}

// IsZero tells whether there is no value at all (null is a value).
func (v Value) IsZero() bool { return v.v == nil }

// Compare orders values as Rego does: null < booleans < numbers < strings < arrays < objects < sets.
func (v Value) Compare(other Value) int { return v.v.Compare(other.v) }

// String renders the value as Rego text.
func (v Value) String() string {
	if v.v == nil {
		return "undefined"
	}
	return v.v.String()
}

// Get returns the value under a key of an object.
func (v Value) Get(key string) (Value, bool) {
	obj, ok := v.v.(ast.Object)
	if !ok {
		return Value{}, false
	}
	t := obj.Get(ast.InternedTerm(key))
	if t == nil {
		return Value{}, false
	}
	return Value{t.Value}, true
}

// Fields calls f with every field of an object, in the order of keys, until f fails. A value that is not an object, or an
// object with a key that is not a string, is an error.
func (v Value) Fields(f func(key string, v Value) error) error {
	obj, ok := v.v.(ast.Object)
	if !ok {
		return fmt.Errorf("%s is not an object", v)
	}
	return obj.Iter(func(k, t *ast.Term) error {
		key, ok := k.Value.(ast.String)
		if !ok {
			return fmt.Errorf("object key %v is not a string", k)
		}
		return f(string(key), Value{t.Value})
	})
}

// Items calls f with every item of an array, in order, until f fails. A value that is not an array is an error.
func (v Value) Items(f func(i int, v Value) error) error {
	array, ok := v.v.(*ast.Array)
	if !ok {
		return fmt.Errorf("%s is not an array", v)
	}
	for i := range array.Len() {
		if err := f(i, Value{array.Elem(i).Value}); err != nil {
			return err
		}
	}
	return nil
}

// Text returns a string's text.
func (v Value) Text() (string, error) {
	s, ok := v.v.(ast.String)
	if !ok {
		return "", fmt.Errorf("%s is not a string", v)
	}
	return string(s), nil
}

// Int64 returns a whole number of 64 bits.
func (v Value) Int64() (int64, error) {
	if n, ok := v.v.(ast.Number); ok {
		if i, ok := n.Int64(); ok {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s is not a whole number of 64 bits", v)
}

// Go converts the value to plain Go data: maps with string keys, slices, strings, bool, nil, int64, and float64 for
// numbers that are not 64-bit integers. These are the types that unstructured Kubernetes objects hold.
// Sets become slices in order. An object with a key that is not a string is an error.
func (v Value) Go() (any, error) { return toGo(v.v) }

func toGo(v ast.Value) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, fmt.Errorf("no value")
	case ast.Null:
		return nil, nil
	case ast.Boolean:
		return bool(v), nil
	case ast.String:
		return string(v), nil
	case ast.Number:
		return numberToGo(v)
	case *ast.Array:
		return sliceToGo(v.Len(), v.Foreach)
	case ast.Set:
		return sliceToGo(v.Len(), v.Foreach)
	case ast.Object:
		return objectToGo(v)
	default:
		return nil, fmt.Errorf("%T is not data", v)
	}
}

func numberToGo(n ast.Number) (any, error) {
	if i, ok := n.Int64(); ok {
		return i, nil
	}
	if f, ok := n.Float64(); ok {
		return f, nil
	}
	return nil, fmt.Errorf("number %s is out of range", n)
}

func sliceToGo(n int, each func(func(*ast.Term))) (any, error) {
	out := make([]any, 0, n)
	var failed error
	each(func(t *ast.Term) {
		x, err := toGo(t.Value)
		if err != nil {
			failed = err
		}
		out = append(out, x)
	})
	return out, failed
}

func objectToGo(obj ast.Object) (any, error) {
	out := make(map[string]any, obj.Len())
	err := obj.Iter(func(k, t *ast.Term) error {
		key, ok := k.Value.(ast.String)
		if !ok {
			return fmt.Errorf("object key %v is not a string", k)
		}
		x, err := toGo(t.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		out[string(key)] = x
		return nil
	})
	return out, err
}

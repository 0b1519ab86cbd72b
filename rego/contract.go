// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Entrypoint is a rule that somebody asks, and the shape that its answers must have.
type Entrypoint struct {
	// Path is the rule's path without "data.", such as lictor.claims.step.
	Path string
	// Output is the schema of the answer: the name of a file in the schemas, without .json, such as step.
	Output string
}

// contract validates answers against the output schemas.
type contract struct{ outputs map[string]*jsonschema.Schema }

func newContract(schemas fs.FS) (*contract, error) {
	files, err := fs.Glob(schemas, "*.json")
	if err != nil {
		return nil, err
	}
	c := &contract{outputs: map[string]*jsonschema.Schema{}}
	for _, f := range files {
		content, err := fs.ReadFile(schemas, f)
		if err != nil {
			return nil, fmt.Errorf("output schema: %w", err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("output schema %s: %w", f, err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(f, doc); err != nil {
			return nil, fmt.Errorf("output schema %s: %w", f, err)
		}
		if c.outputs[strings.TrimSuffix(f, ".json")], err = compiler.Compile(f); err != nil {
			return nil, fmt.Errorf("output schema %s: %w", f, err)
		}
	}
	return c, nil
}

// validate checks an answer against an output schema.
func (c *contract) validate(output string, answer Value) error {
	schema, ok := c.outputs[output]
	if !ok {
		return fmt.Errorf("there is no output schema %q", output)
	}
	plain, err := answer.Go()
	if err != nil {
		return err
	}
	return schema.Validate(plain)
}

// vector is one input on which an entrypoint must answer.
type vector struct {
	name     string
	decision string
	input    Value
	want     Value
}

// prove evaluates every contract vector and checks that each entrypoint has at least one.
func (c *contract) prove(ctx context.Context, g *guard, r *Revision, entrypoints []Entrypoint) error {
	vectors, err := r.vectors(ctx, g)
	if err != nil {
		return err
	}
	for _, e := range entrypoints {
		if len(vectors[e.Path]) == 0 {
			return &ContractError{Entrypoint: e.Path, Problem: "no contract vector asks for it; add one to contract.rego"}
		}
		for _, v := range vectors[e.Path] {
			if err := c.proveVector(ctx, g, r, e, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *contract) proveVector(ctx context.Context, g *guard, r *Revision, e Entrypoint, v vector) error {
	answer, err := g.evaluate(ctx, r, r.queries[e.Path], v.input)
	if err != nil {
		return &ContractError{Entrypoint: e.Path, Vector: v.name, Problem: err.Error()}
	}
	if err := c.validate(e.Output, answer); err != nil {
		return &ContractError{Entrypoint: e.Path, Vector: v.name, Problem: fmt.Sprintf("the answer has the wrong shape: %v", err)}
	}
	if !v.want.IsZero() && v.want.Compare(answer) != 0 {
		return &ContractError{Entrypoint: e.Path, Vector: v.name, Problem: fmt.Sprintf("want %s, got %s", v.want, answer)}
	}
	return nil
}

// vectors evaluates data.lictor.<bundle>.contract.vectors of every bundle that has some, by entrypoint.
func (r *Revision) vectors(ctx context.Context, g *guard) (map[string][]vector, error) {
	out := map[string][]vector{}
	for name := range r.bundles {
		q, err := r.prepare("lictor." + name + ".contract.vectors")
		if err != nil {
			continue // a library: nobody asks it anything
		}
		all, err := g.evaluate(ctx, r, q, Value{})
		if err != nil {
			return nil, fmt.Errorf("contract vectors of bundle %s: %w", name, err)
		}
		if err := collectVectors(out, all); err != nil {
			return nil, fmt.Errorf("contract vectors of bundle %s: %w", name, err)
		}
	}
	return out, nil
}

func collectVectors(into map[string][]vector, all Value) error {
	plain, err := all.Go()
	if err != nil {
		return err
	}
	byName, ok := plain.(map[string]any)
	if !ok {
		return fmt.Errorf("vectors must be an object from name to vector, not %T", plain)
	}
	names := make([]string, 0, len(byName))
	for n := range byName {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		v, _ := all.Get(n)
		decision, ok := v.Get("decision")
		if !ok {
			return fmt.Errorf("vector %q names no decision", n)
		}
		path := strings.Trim(decision.String(), `"`)
		input, _ := v.Get("input")
		want, _ := v.Get("want")
		into[path] = append(into[path], vector{name: n, decision: path, input: input, want: want})
	}
	return nil
}

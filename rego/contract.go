// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
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

// prove evaluates every contract vector and checks that each entrypoint has at least one. A vector of a rule that nobody
// asks must be answered too; only its shape is nobody's business.
func (c *contract) prove(ctx context.Context, g *guard, r *Revision, entrypoints []Entrypoint) error {
	vectors, err := r.vectors(ctx, g)
	if err != nil {
		return err
	}
	outputs := map[string][]string{}
	for _, e := range entrypoints {
		outputs[e.Path] = append(outputs[e.Path], e.Output)
	}
	for _, path := range slices.Sorted(maps.Keys(outputs)) {
		if !slices.ContainsFunc(vectors, func(v vector) bool { return v.decision == path }) {
			return &ContractError{Entrypoint: path, Problem: "no contract vector asks for it; add one to contract.rego"}
		}
	}
	for _, v := range vectors {
		if err := c.proveVector(ctx, g, r, v, outputs[v.decision]); err != nil {
			return err
		}
	}
	return nil
}

func (c *contract) proveVector(ctx context.Context, g *guard, r *Revision, v vector, outputs []string) error {
	q, asked := r.queries[v.decision]
	if !asked {
		var err error
		if q, err = r.prepare(v.decision); err != nil {
			return &ContractError{Entrypoint: v.decision, Vector: v.name, Problem: err.Error()}
		}
	}
	answer, err := g.evaluate(ctx, r, q, v.input)
	if err != nil {
		return &ContractError{Entrypoint: v.decision, Vector: v.name, Problem: err.Error()}
	}
	for _, output := range outputs {
		if err := c.validate(output, answer); err != nil {
			return &ContractError{Entrypoint: v.decision, Vector: v.name, Problem: fmt.Sprintf("the answer has the wrong shape: %v", err)}
		}
	}
	if !v.want.IsZero() && v.want.Compare(answer) != 0 {
		return &ContractError{Entrypoint: v.decision, Vector: v.name, Problem: fmt.Sprintf("want %s, got %s", v.want, answer)}
	}
	return nil
}

// vectors evaluates data.lictor.<bundle>.contract.vectors of every bundle that has some, in the order of names.
func (r *Revision) vectors(ctx context.Context, g *guard) ([]vector, error) {
	var out []vector
	for _, name := range slices.Sorted(maps.Keys(r.bundles)) {
		q, err := r.prepare("lictor." + name + ".contract.vectors")
		if errors.As(err, new(*EntrypointError)) {
			continue // a library: nobody asks it anything
		}
		if err != nil {
			return nil, fmt.Errorf("contract vectors of bundle %s: %w", name, err)
		}
		all, err := g.evaluate(ctx, r, q, Value{})
		if err != nil {
			return nil, fmt.Errorf("contract vectors of bundle %s: %w", name, err)
		}
		vectors, err := readVectors(all)
		if err != nil {
			return nil, fmt.Errorf("contract vectors of bundle %s: %w", name, err)
		}
		out = append(out, vectors...)
	}
	return out, nil
}

func readVectors(all Value) ([]vector, error) {
	plain, err := all.Go()
	if err != nil {
		return nil, err
	}
	byName, ok := plain.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("vectors must be an object from name to vector, not %T", plain)
	}
	var out []vector
	for _, n := range slices.Sorted(maps.Keys(byName)) {
		fields, _ := byName[n].(map[string]any)
		decision, ok := fields["decision"].(string)
		if !ok {
			return nil, fmt.Errorf("vector %q names no decision", n)
		}
		v, _ := all.Get(n)
		input, _ := v.Get("input")
		want, _ := v.Get("want")
		out = append(out, vector{name: n, decision: decision, input: input, want: want})
	}
	return out, nil
}

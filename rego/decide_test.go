// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/stretchr/testify/require"
)

// TestNoDecision proves that whatever is not one defined answer is a NoDecisionError with its cause.
func TestNoDecision(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		cause  Cause
	}{
		"undefined":  {"no rule speaks of this input", `step := {"step": "x"} if input.object.name == "you"`, CauseUndefined},
		"null input": {"missing data is not an answer", `step := {"step": input.object.name}`, CauseUndefined},
		"conflict":   {"two answers are none", "step := {\"step\": \"a\"}\n\nstep := {\"step\": \"b\"} if not input.object.name", CauseError},
		"timeout": {"the caller waits no longer than it said",
			"step := {\"step\": \"x\"} if input.object.name\n\nstep := {\"step\": \"y\"} if {\n\tnot input.object.name\n\tcount([1 | some x in numbers.range(1, 100000); some y in numbers.range(1, 100000); x == -y]) == 1\n}", CauseTimeout},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			e := demoEngine(t, func(config *Config) { config.Timeout = 200 * time.Millisecond })
			bundle := step(c.body).with(files{"contract.rego": `package lictor.demo.contract

vectors := {"you": {"decision": "lictor.demo.step", "input": {"object": {"name": "you"}}}}
`})
			require.NoError(t, e.Activate(t.Context(), []*Bundle{bundle.load(t)}))
			start := time.Now()
			_, err := e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{}))
			var none *NoDecisionError
			require.ErrorAs(t, err, &none, c.reason)
			require.Equal(t, c.cause, none.Cause, "%v", err)
			require.Less(t, time.Since(start), 10*time.Second, "evaluation is really interrupted")
		})
	}
}

// TestPanickingBuiltin proves that a builtin that panics costs one decision and not the process.
func TestPanickingBuiltin(t *testing.T) {
	builtin := &ast.Builtin{Name: "lictor.test.panic", Decl: types.NewFunction(types.Args(types.A), types.A)}
	ast.RegisterBuiltin(builtin)
	topdown.RegisterBuiltinFunc(builtin.Name, func(_ topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		if operands[0].Value.Compare(ast.String("you")) == 0 {
			return iter(operands[0])
		}
		panic("boom")
	})
	e := demoEngine(t, nil)
	require.NoError(t, e.Activate(t.Context(), []*Bundle{step(`step := {"step": "Greet", "text": sprintf("hello %s", [lictor.test.panic(input.object.name)])}`).load(t)}))
	_, err := e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "me"}}))
	var none *NoDecisionError
	require.ErrorAs(t, err, &none)
	require.Equal(t, CausePanic, none.Cause)
	require.ErrorContains(t, err, "boom")
	_, err = e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "you"}}))
	require.NoError(t, err, "the engine goes on")
}

func TestCanceledCaller(t *testing.T) {
	e := demoEngine(t, nil)
	require.NoError(t, e.Activate(t.Context(), []*Bundle{greeting().load(t)}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Decide(ctx, "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "me"}}))
	var none *NoDecisionError
	require.ErrorAs(t, err, &none, "an answer that nobody waits for any more is none")
	require.Equal(t, CauseCanceled, none.Cause)
	_, defined, err := e.AskIn(ctx, e.Active(), "lictor.demo.step", Lazy(map[string]any{}))
	require.ErrorAs(t, err, &none, "nor is an open question's")
	require.False(t, defined)
	require.Eventually(t, func() bool { return e.guard.abandoned.Load() == 0 }, 5*time.Second, time.Millisecond)
}

// TestDecisionStaysInItsRevision swaps revisions under load: every answer must be that of the revision it names.
func TestDecisionStaysInItsRevision(t *testing.T) {
	e := demoEngine(t, nil)
	revisions := map[string]string{}
	var bundles []*Bundle
	for i := range 2 {
		word := fmt.Sprintf("word%d", i)
		b := greeting().with(files{
			"data.yaml":     "lictor: {demo: {greeting: " + word + "}}",
			"contract.rego": "package lictor.demo.contract\n\nvectors := {\"v\": {\"decision\": \"lictor.demo.step\", \"input\": {\"object\": {\"name\": \"you\"}}}}\n",
		}).load(t)
		revisions["demo@"+b.Revision()] = word + " you"
		bundles = append(bundles, b)
	}
	require.NoError(t, e.Activate(t.Context(), bundles[:1]))
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				d, err := e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "you"}}))
				if err != nil {
					t.Errorf("a decision failed during a swap: %v", err)
					return
				}
				text, _ := d.Result.Get("text")
				if got, want := text.String(), `"`+revisions[d.Revision.ID()]+`"`; got != want {
					t.Errorf("revision %s answered %s, want %s", d.Revision.ID(), got, want)
					return
				}
			}
		})
	}
	for i := range 50 {
		require.NoError(t, e.Activate(t.Context(), bundles[i%2:i%2+1]))
	}
	close(stop)
	workers.Wait()
}

func TestAskLeavesUndefinedOpen(t *testing.T) {
	e := demoEngine(t, nil)
	require.NoError(t, e.Activate(t.Context(), []*Bundle{greeting().load(t)}))
	_, defined, err := e.AskIn(t.Context(), e.Active(), "lictor.demo.step", Lazy(map[string]any{}))
	require.NoError(t, err)
	require.False(t, defined)
	_, defined, err = e.AskIn(t.Context(), e.Active(), "lictor.demo.none", Lazy(map[string]any{}))
	require.Error(t, err, "a question that nobody answers is a failure, not an open answer")
	require.False(t, defined)
}

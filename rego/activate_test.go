// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestActivateDecides(t *testing.T) {
	e := demoEngine(t, nil)
	require.Error(t, e.Ready(), "an empty engine is never ready")
	require.NoError(t, e.Activate(t.Context(), []*Bundle{greeting().load(t)}))
	require.NoError(t, e.Ready())

	input, err := NewValue(map[string]any{"object": map[string]any{"name": "Ada"}})
	require.NoError(t, err)
	d, err := e.Decide(t.Context(), "lictor.demo.step", input)
	require.NoError(t, err)
	got, err := d.Result.Go()
	require.NoError(t, err)
	require.Equal(t, map[string]any{"step": "Greet", "text": "hello Ada"}, got)
	require.NotEmpty(t, d.ID)
	require.Equal(t, e.Active(), d.Revision)
	require.Contains(t, d.EngineVersion, "opa/")
	require.Equal(t, e.Status().Active, d.Revision.Bundles())
}

// also is the contract of the greeting with one more vector.
func also(decision, more string) string {
	return strings.TrimSuffix(greeting()["contract.rego"], "}\n") + fmt.Sprintf(", \"also\": {\"decision\": %q%s}}\n", decision, more)
}

// TestActivateRefuses proves that a set which fails any check changes nothing and says why.
func TestActivateRefuses(t *testing.T) {
	cases := map[string]struct {
		reason  string
		bundle  files
		also    []files
		message string
		as      any
	}{
		"type error against the schema": {
			reason:  "a misspelt input field would make the rule vanish",
			bundle:  greeting().with(files{"step.rego": "# METADATA\n# schemas:\n#   - input: schema.demo.step.input\npackage lictor.demo\n\nstep := {\"step\": input.object.nmae}\n"}),
			message: "nmae",
		},
		"clock": {
			reason: "a decision that reads a clock cannot be replayed", bundle: step(`step := {"step": "x", "now": time.now_ns()}`), message: "time.now_ns",
		},
		"network": {
			reason: "a decision that reads the network cannot be replayed", bundle: step(`step := {"step": http.send({"url": "http://x"}).body}`), message: "http.send",
		},
		"strict": {
			reason: "an unused variable is a mistake", bundle: step("step := {\"step\": \"x\"} if {\n\tunused := 1\n}"), message: "unused",
		},
		"dropped entrypoint": {
			reason: "nobody would answer", bundle: step(`other := 1`), message: "lictor.demo.step", as: new(*EntrypointError),
		},
		"no vector": {
			reason: "an entrypoint that was never tried may be undefined", bundle: greeting().with(files{"contract.rego": ""}),
			message: "no contract vector", as: new(*ContractError),
		},
		"undefined on a vector": {
			reason: "the contract says that it answers", bundle: step("step := {\"step\": \"x\"} if input.object.name == \"me\""),
			message: "Undefined", as: new(*ContractError),
		},
		"wrong shape": {
			reason: "callers read a step", bundle: step(`step := {"stepp": "x"}`), message: "step", as: new(*ContractError),
		},
		"another answer than wanted": {
			reason: "the bundle's author wrote down what it must be", bundle: step(`step := {"step": "Leave"}`), message: "want", as: new(*ContractError),
		},
		"vector of a misspelt decision": {
			reason: "it proves nothing", bundle: greeting().with(files{"contract.rego": also("lictor.demo.stepp", "")}),
			message: `vector "also": entrypoint data.lictor.demo.stepp`, as: new(*ContractError),
		},
		"vector of no decision": {
			reason: "it proves nothing", bundle: greeting().with(files{"contract.rego": "package lictor.demo.contract\n\nvectors := {\"also\": {\"decision\": [\"lictor.demo.step\"]}}\n"}),
			message: `vector "also" names no decision`,
		},
		"undefined on a vector that nobody asks": {
			reason: "the contract says that it answers", bundle: greeting().with(files{"contract.rego": also("lictor.demo.more", ""), "more.rego": "package lictor.demo\n\nmore := 1 if input.object\n"}),
			message: "Undefined", as: new(*ContractError),
		},
		"another answer than wanted that nobody asks": {
			reason: "the bundle's author wrote down what it must be", bundle: greeting().with(files{"contract.rego": also("lictor.demo.more", `, "want": 2`), "more.rego": "package lictor.demo\n\nmore := 1\n"}),
			message: "want 2, got 1", as: new(*ContractError),
		},
		"infinite comprehension": {
			reason:  "a bundle that loops must not hang the process",
			bundle:  step("step := {\"step\": sprintf(\"%d\", [count([1 | some x in numbers.range(1, 100000); some y in numbers.range(1, 100000); x == -y])])}"),
			message: "Timeout", as: new(*ContractError),
		},
		"overlapping roots": {
			reason: "two owners of one rule", bundle: greeting(),
			also:    []files{{".manifest": `{"roots": ["lictor"]}`, "x.rego": "package lictor.x\n\ny := 1\n"}},
			message: "overlap", as: new(*RootConflictError),
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			e := demoEngine(t, nil)
			require.NoError(t, e.Activate(t.Context(), []*Bundle{greeting().load(t)}))
			before := e.Active()
			set := []*Bundle{c.bundle.load(t)}
			for _, more := range c.also {
				fsys := fstest.MapFS{}
				for p, content := range more {
					fsys["other/"+p] = &fstest.MapFile{Data: []byte(content)}
				}
				b, err := LoadFS("other", fsys, "other")
				require.NoError(t, err)
				set = append(set, b)
			}
			err := e.Activate(t.Context(), set)
			require.ErrorContains(t, err, c.message, c.reason)
			if c.as != nil {
				require.ErrorAs(t, err, c.as, c.reason)
			}
			require.Same(t, before, e.Active(), "the revision before keeps deciding")
			require.Equal(t, err.Error(), e.Status().LastError)
			require.NoError(t, e.Ready())
		})
	}
}

func TestActivateAcceptsVectorsThatNobodyAsks(t *testing.T) {
	e := demoEngine(t, nil)
	bundle := greeting().with(files{"contract.rego": also("lictor.demo.more", `, "want": 1`), "more.rego": "package lictor.demo\n\nmore := 1\n"})
	require.NoError(t, e.Activate(t.Context(), []*Bundle{bundle.load(t)}))
}

func TestActivateNeedsEveryRequiredBundle(t *testing.T) {
	e := demoEngine(t, nil)
	err := e.Activate(t.Context(), nil)
	require.ErrorAs(t, err, new(*MissingBundleError))
	require.Error(t, e.Ready())
	_, err = e.Decide(t.Context(), "lictor.demo.step", Value{})
	var none *NoDecisionError
	require.ErrorAs(t, err, &none)
	require.Equal(t, CauseNotActive, none.Cause)
}

func TestLoadRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		bundle files
	}{
		"syntax error":   {"it is not Rego", step("step := {")},
		"no manifest":    {"without roots a bundle owns everything", greeting().with(files{".manifest": ""})},
		"root of all":    {"it could stand beside no other bundle", greeting().with(files{".manifest": `{"roots": [""]}`})},
		"outside root":   {"it would change another bundle's rules", greeting().with(files{"x.rego": "package lictor.other\n\nx := 1\n"})},
		"data elsewhere": {"it would change another bundle's data", greeting().with(files{"data.yaml": "other: 1"})},
		"bad data":       {"it is not YAML", greeting().with(files{"data.yaml": "a: [b"})},
		"nothing":        {"an empty folder is a mistake", files{".manifest": `{"roots": ["lictor/demo"]}`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := LoadFS("demo", c.bundle.fs(), "demo")
			require.ErrorContains(t, err, "demo", c.reason)
		})
	}
}

func TestRevisionNamesContent(t *testing.T) {
	a, b := greeting().load(t), greeting().with(files{"data.yaml": "lictor: {demo: {greeting: hallo}}"}).load(t)
	require.Regexp(t, `^1\.0\.0\+[0-9a-f]{12}$`, a.Revision())
	require.NotEqual(t, a.Revision(), b.Revision(), "an edit shows even if the manifest's revision stays")
	for reason, manifest := range map[string]string{
		"roots":        `{"revision": "1.0.0", "roots": ["lictor/demo", "lictor/more"], "rego_version": 1}`,
		"Rego version": `{"revision": "1.0.0", "roots": ["lictor/demo"]}`,
		"metadata":     `{"revision": "1.0.0", "roots": ["lictor/demo"], "rego_version": 1, "metadata": {"a": 1}}`,
	} {
		require.NotEqual(t, a.Revision(), greeting().with(files{".manifest": manifest}).load(t).Revision(), "an edit of the manifest's %s shows", reason)
	}
	require.Equal(t, a.Revision(), greeting().load(t).Revision(), "the same content is the same revision")
}

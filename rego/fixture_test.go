// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// files is a bundle as a test writes it: path to content.
type files map[string]string

// greeting is a small sound bundle: the decision lictor.demo.step answers with who it greets.
func greeting() files {
	return files{
		".manifest": `{"revision": "1.0.0", "roots": ["lictor/demo"], "rego_version": 1}`,
		"data.yaml": "lictor: {demo: {greeting: hello}}",
		"step.rego": `# METADATA
# schemas:
#   - input: schema.demo.step.input
package lictor.demo

step := {"step": "Greet", "text": sprintf("%s %s", [data.lictor.demo.greeting, input.object.name])}
`,
		"contract.rego": `package lictor.demo.contract

vectors := {"greets": {
	"decision": "lictor.demo.step",
	"input": {"object": {"name": "you"}},
	"want": {"step": "Greet", "text": "hello you"},
}}
`,
		"step_test.rego": `package lictor.demo.step_test

test_never_loaded if { this is not rego }
`,
	}
}

// with returns the files with some replaced; an empty content removes a file.
func (f files) with(more files) files {
	out := files{}
	for _, m := range []files{f, more} {
		for p, content := range m {
			if content == "" {
				delete(out, p)
				continue
			}
			out[p] = content
		}
	}
	return out
}

func (f files) fs() fstest.MapFS {
	fsys := fstest.MapFS{}
	for p, content := range f {
		fsys["demo/"+p] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

func (f files) load(t testing.TB) *Bundle {
	t.Helper()
	b, err := LoadFS("demo", f.fs(), "demo")
	require.NoError(t, err)
	return b
}

func demoSchemas() fstest.MapFS {
	input := `{"type": "object", "additionalProperties": false, "properties": {"object": {
		"type": "object", "additionalProperties": false, "properties": {"name": {"type": "string"}}}}}`
	output := `{"type": "object", "required": ["step"], "properties": {"step": {"type": "string"}}}`
	return fstest.MapFS{"demo/step/input.json": {Data: []byte(input)}, "step.json": {Data: []byte(output)}}
}

func demoEngine(t testing.TB, change func(*Config)) *Engine {
	t.Helper()
	metrics, err := NewMetrics(prometheus.NewRegistry())
	require.NoError(t, err)
	config := Config{
		Schemas: demoSchemas(), Metrics: metrics, Log: logr.Discard(), Timeout: 500 * time.Millisecond,
		Required: map[string][]Entrypoint{"demo": {{Path: "lictor.demo.step", Output: "step"}}},
	}
	if change != nil {
		change(&config)
	}
	e, err := NewEngine(config)
	require.NoError(t, err)
	return e
}

// step returns a bundle whose step has this body.
func step(body string) files {
	return greeting().with(files{"step.rego": fmt.Sprintf("package lictor.demo\n\n%s\n", body)})
}

// series reads a metric: its label values, in the order of label names, to its value.
func series(t *testing.T, c prometheus.Collector) map[string]float64 {
	t.Helper()
	reg := prometheus.NewRegistry()
	require.NoError(t, reg.Register(c))
	families, err := reg.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			out[strings.Join(labels, " ")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return out
}

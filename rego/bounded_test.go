// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBoundedBuiltins proves that a call whose cost its operands do not bound ends the evaluation, at once and with the
// reason, and that what is below the bounds is answered as by OPA.
func TestBoundedBuiltins(t *testing.T) {
	cases := map[string]struct{ call, want, message string }{
		"shift by an address":        {call: `bits.lsh(1, 128)`, want: "340282366920938463463374607431768211456"},
		"shift by nothing":           {call: `bits.lsh(7, 0)`, want: "7"},
		"shift":                      {call: `bits.lsh(1, 30000000) % 7`, message: "at most 1024 bits"},
		"shift, printed":             {call: `sprintf("%d", [bits.lsh(1, 20000000)])`, message: "at most 1024 bits"},
		"shift by a huge number":     {call: `bits.lsh(1, 1e30)`, message: "at most 1024 bits"},
		"shift in a comprehension":   {call: `[x | some n in [1, 2000]; x := bits.lsh(1, n)]`, message: "at most 1024 bits"},
		"range":                      {call: `count(numbers.range(1, 262144))`, want: "262144"},
		"range, downwards":           {call: `numbers.range(2, -1)`, want: "[2, 1, 0, -1]"},
		"long range":                 {call: `count(numbers.range(0, 262144))`, message: "at most 262144 numbers"},
		"huge range":                 {call: `count(numbers.range(1, 1e300))`, message: "at most 262144 numbers"},
		"range of everything":        {call: `count(numbers.range(-9223372036854775808, 9223372036854775807))`, message: "at most 262144 numbers"},
		"range with steps":           {call: `numbers.range_step(0, 1000000000, 500000000)`, want: "[0, 500000000, 1000000000]"},
		"long range with steps":      {call: `count(numbers.range_step(0, 1000000000, 2))`, message: "at most 262144 numbers"},
		"format":                     {call: `sprintf("%5.1f|%-4s|%04d|%[1]v|100%%", [1.25, "a", 7])`, want: `"  1.2|a   |0007|1.25|100%"`},
		"format, wide":               {call: `count(sprintf("%1000d", [1]))`, want: "1000"},
		"format, too wide":           {call: `count(sprintf("%1001d", [1]))`, message: "at most 1000"},
		"format, too precise":        {call: `count(sprintf("%.1000000f", [1.5]))`, message: "at most 1000"},
		"format, width as argument":  {call: `count(sprintf("%*d", [1000000, 1]))`, message: "argument (*)"},
		"format, repeats":            {call: `count(sprintf("` + strings.Repeat("%[1]s", 65) + `", ["a"]))`, message: "at most 64"},
		"format, ends in the middle": {call: `sprintf("%10", [])`, want: `"%!(NOVERB)"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			e := demoEngine(t, func(c *Config) { c.Timeout = 10 * time.Second })
			bundle := step(`step := {"step": "x", "value": ` + c.call + "} if input.object.name == \"me\"\n\nstep := {\"step\": \"y\"} if input.object.name != \"me\"").
				with(files{"contract.rego": `package lictor.demo.contract

vectors := {"you": {"decision": "lictor.demo.step", "input": {"object": {"name": "you"}}}}
`})
			require.NoError(t, e.Activate(t.Context(), []*Bundle{bundle.load(t)}))
			d, err := e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "me"}}))
			if c.message == "" {
				require.NoError(t, err)
				value, _ := d.Result.Get("value")
				require.Equal(t, c.want, value.String())
				return
			}
			var none *NoDecisionError
			require.ErrorAs(t, err, &none)
			require.Equal(t, CauseError, none.Cause, "%v", err)
			require.ErrorContains(t, err, c.message)
			require.ErrorContains(t, err, "step.rego:3", "it says where")
		})
	}
}

func TestBoundedBuiltinsCannotBeReplaced(t *testing.T) {
	for _, with := range []string{"bits.rsh as bits.lsh", "bits.lsh as bits.rsh", "sprintf as \"x\""} {
		e := demoEngine(t, nil)
		err := e.Activate(t.Context(), []*Bundle{step("step := {\"step\": \"Greet\"} if {\n\tinput.object with " + with + "\n}").load(t)})
		require.ErrorContains(t, err, "bounded builtin", with)
	}
}

// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
	"github.com/lictor-dev/lictor/tests/process"
)

// promptly is how soon an edit must be in force.
func promptly() time.Duration {
	if process.RaceDetector() {
		return 5 * time.Second // compiling policy takes several times as long
	}
	return time.Second
}

func TestEditedPickOrderIsInForceWithinASecond(t *testing.T) {
	claims := shipped(t, "claims")
	w := fixture.New(t, claims.dir)
	w.StartController(claims.dir)
	oldest, newest := threeAges(w)

	w.Apply(w.NewClaim("by-the-shipped-order", "pool"))
	require.Equal(t, oldest, w.UntilBound("by-the-shipped-order").Status.VirtualMachineRef.Name)
	before := w.Controller.Bundles()

	claims.replace("rank.rego", "[_ready_since, input.object.metadata.name]", "[-_ready_since, input.object.metadata.name]")
	w.Within(promptly(), "the edit is in force", func() error {
		if now := w.Controller.Bundles(); now.Active["claims"] == before.Active["claims"] {
			return fmt.Errorf("the bundles are %v, with %q", now.Active, now.LastError)
		}
		return nil
	})
	w.Create(w.NewClaim("by-the-edited-order", "pool"))
	require.Equal(t, newest, w.UntilBound("by-the-edited-order").Status.VirtualMachineRef.Name)

	now := w.Controller.Bundles().Active["claims"]
	require.Equal(t, 1.0, w.Controller.Metric(activeSeries(now)))
	require.NotContains(t, w.Controller.Metrics(), activeSeries(before.Active["claims"]))
	require.Positive(t, w.Controller.Metric(`lictor_decisions_total{entrypoint="lictor.claims.step",revision="`+now+`"}`))
	require.True(t, strings.Contains(w.Controller.Log(), "claims@"+now), "the log names the revision")
	require.Equal(t, before.Active["pools"], w.Controller.Bundles().Active["pools"])
}

func activeSeries(revision string) string {
	return `lictor_bundle_active{bundle="claims",revision="` + revision + `"}`
}

// threeAges makes a pool of three members that got ready at different times, and returns the first and the last.
func threeAges(w *fixture.World) (oldest, newest string) {
	w.T.Helper()
	w.Apply(w.NewPool("pool", builders.PoolSize(3, 3), builders.PoolSurge(3)))
	w.Until("there are three members", func() error {
		if n := len(w.Members("pool")); n != 3 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
	members := w.Members("pool")
	for i := range members {
		w.SetReady(&members[i], metav1.ConditionTrue, time.Now().Add(-time.Duration(i+1)*time.Minute))
	}
	w.UntilWarm("pool")
	return members[2].Name, members[0].Name
}

func TestRefusedEditsChangeNothingAndSaySo(t *testing.T) {
	claims, extra := shipped(t, "claims"), extraBundle(t)
	w := fixture.New(t, claims.dir, extra.dir)
	w.StartController(claims.dir, extra.dir)
	w.StartMachines()
	w.WarmPool("pool", builders.PoolSize(2, 40))
	active := w.Controller.Bundles().Active

	n := 0
	for name, tc := range refusedEdits() {
		t.Run(name, func(t *testing.T) {
			n++
			refusals := w.Controller.Metric(refusedSeries)
			tc.edit(claims, extra)
			w.Within(promptly()+tc.longer, "the refusal shows", func() error {
				if got := w.Controller.Bundles().LastError; !strings.Contains(got, tc.want) {
					return fmt.Errorf("want %q in %q", tc.want, got)
				}
				return nil
			})
			require.Equal(t, active, w.Controller.Bundles().Active)
			require.Greater(t, w.Controller.Metric(refusedSeries), refusals)
			require.Contains(t, lastLine(w.Controller.Log(), "Bundles not activated"), quoted(tc.want))
			require.NoError(t, w.Controller.Ready())
			bindOne(w, fmt.Sprintf("meanwhile-%d", n))

			claims.restore()
			extra.write(".manifest", extraManifest)
			extra.write("extra.rego", extraPolicy)
			w.Within(promptly(), "the repair shows", func() error {
				if now := w.Controller.Bundles(); now.LastError != "" || !now.LastErrorAt.IsZero() {
					return fmt.Errorf("it still says %q", now.LastError)
				}
				return nil
			})
			require.Equal(t, active, w.Controller.Bundles().Active)
		})
	}
}

const refusedSeries = `lictor_bundle_activations_total{result="refused"}`

// bindOne shows that decisions are made: a claim is bound.
func bindOne(w *fixture.World, name string) *v1alpha1.VirtualMachineClaim {
	w.T.Helper()
	w.Create(w.NewClaim(name, "pool"))
	w.UntilClaim(name, v1alpha1.ConditionBound, metav1.ConditionTrue, v1alpha1.ReasonBound)
	return w.Claim(name)
}

func lastLine(log, part string) (last string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, part) {
			last = line
		}
	}
	return last
}

// quoted is how a text looks within a line of JSON.
func quoted(s string) string { return strings.ReplaceAll(s, `"`, `\"`) }

func unlessContains(text, part string) error {
	if strings.Contains(text, part) {
		return nil
	}
	return fmt.Errorf("want %q in %q", part, text)
}

func unlessEqual(want, got any) error {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	return fmt.Errorf("want %v, got %v", want, got)
}

// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

// odd marks members that a broken policy has no place for.
func odd(p *v1alpha1.VirtualMachinePool) {
	p.Spec.Template.Labels = map[string]string{"example.com/odd": "yes"}
}

func TestBrokenRankStopsTheClaimsOfItsPoolOnly(t *testing.T) {
	claims := shipped(t, "claims")
	claims.replace("rank.rego", "_freshness := \"fresh\" if {\n\tobject.get(input.scope,",
		"_freshness := \"nowhere\" if {\n\tinput.object.metadata.labels[\"example.com/odd\"]\n} else := \"fresh\" if {\n\tobject.get(input.scope,")
	w := fixture.New(t, claims.dir)
	w.StartController(claims.dir)
	w.StartMachines()
	w.WarmPool("pool", builders.PoolSize(1, 9))
	w.WarmPool("odd", builders.PoolSize(1, 9), odd)

	w.Apply(w.NewClaim("unlucky", "odd"))
	got := w.UntilClaim("unlucky", "Decided", metav1.ConditionFalse, noDecision)
	require.Contains(t, got.Message, `bucket "nowhere" is not declared`)
	require.Contains(t, w.UntilEvent("unlucky", noDecision).Note, "data.lictor.claims.rank")
	bindOne(w, "lucky")

	claims.restore()
	w.UntilBound("unlucky")
	w.Until("the condition Decided is gone", func() error {
		if c := w.Claim("unlucky").Status.Conditions; len(c) != 1 {
			return fmt.Errorf("it has the conditions %v", c)
		}
		return nil
	})
}

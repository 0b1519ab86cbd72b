// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/bundles"
	"github.com/lictor-dev/lictor/reconciler/view"
	"github.com/lictor-dev/lictor/rego"
	"github.com/lictor-dev/lictor/tests/builders"
)

// heldObjects answers reads from memory, so that the benchmark measures gathering and deciding and nothing else.
type heldObjects struct {
	cache.Cache
	objects map[string]map[string]any
}

func (h *heldObjects) put(t testing.TB, object client.Object) *unstructured.Unstructured {
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	require.NoError(t, err)
	u := &unstructured.Unstructured{Object: raw}
	h.objects[u.GetKind()+"/"+u.GetName()] = raw
	return u
}

func (h *heldObjects) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	u := into.(*unstructured.Unstructured)
	raw, ok := h.objects[u.GetKind()+"/"+key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: u.GetKind()}, key.Name)
	}
	u.Object = raw
	return nil
}

// BenchmarkClaimStep measures one claim decision with candidates: gather from cache and view, evaluate, read the answer
// with its effects and messages.
func BenchmarkClaimStep(b *testing.B) {
	for _, members := range []int{100, 10000} {
		for _, step := range []string{"Bind", "Hold"} {
			b.Run(fmt.Sprintf("step=%s/members=%d", step, members), func(b *testing.B) {
				r, key := claimBench(b, members, step == "Hold")
				b.ReportAllocs()
				for b.Loop() {
					f, err := r.gather(b.Context(), key)
					require.NoError(b, err)
					got, _, err := r.decide(b.Context(), f)
					require.NoError(b, err)
					if got.Step != step {
						b.Fatalf("want %s, got %+v", step, got)
					}
				}
			})
		}
	}
}

// BenchmarkRank measures what one change of a member costs the claims' view.
func BenchmarkRank(b *testing.B) {
	r, _ := claimBench(b, 10000, false)
	index := r.views["members"]
	member := &unstructured.Unstructured{Object: r.host.config.Cache.(*heldObjects).objects["VirtualMachine/member-7"]}
	b.ReportAllocs()
	for b.Loop() {
		index.Update(b.Context(), member)
	}
}

func claimBench(b *testing.B, size int, bound bool) (*runner, types.NamespacedName) {
	objects := &heldObjects{objects: map[string]map[string]any{}}
	h := &Host{config: Config{Engine: activeEngine(b), Cache: objects, Now: time.Now, Log: logr.Discard()}}
	pool := builders.Pool("default", "pool")
	pool.UID, pool.ResourceVersion = "pool-uid", "1"
	pool.Status.ImageRevision = "gen-1"
	objects.put(b, pool)
	reg, err := load(h.config.Engine.Active())
	require.NoError(b, err)
	members, held := view.New(reg.View("claims.members"), h.config.Engine, h.readScope), view.New(reg.View("claims.held"), h.config.Engine, h.readScope)
	since := time.Now().Add(-time.Hour)
	for i := range size {
		vm := builders.VM("default", fmt.Sprintf("member-%d", i), builders.VMMemberOf(pool, "gen-1"),
			builders.VMGuestReady(since.Add(time.Duration(i)*time.Second)), builders.VMAddress("10.0.0.4"))
		vm.UID, vm.ResourceVersion = types.UID(fmt.Sprintf("uid-%d", i)), "1"
		members.Update(b.Context(), objects.put(b, vm))
	}
	claim := builders.Claim("default", "claim", builders.ClaimPool("pool"))
	claim.UID, claim.ResourceVersion, claim.Generation = "claim-uid", "1", 1
	u := objects.put(b, claim)
	if bound {
		bindForBench(objects, u)
	}
	g := &generation{Engine: h.config.Engine}
	g.revision.Store(h.config.Engine.Active())
	r := &runner{host: h, generation: g, registration: reg.Reconcilers[0], related: map[string]relatedSource{},
		views: map[string]*view.Index{"members": members, "held": held}}
	require.Equal(b, "claims.claims", r.registration.ID())
	for name, s := range r.registration.Gather {
		if s.Get != nil {
			r.related[name] = relatedSource{Source: s, namespaced: true}
		}
	}
	return r, keyOf(u)
}

func bindForBench(held *heldObjects, claim *unstructured.Unstructured) {
	claim.Object["status"] = map[string]any{
		"phase": "Bound", "virtualMachineRef": map[string]any{"name": "member-3"},
		"boundAt": "2026-01-01T00:00:00Z", "expiresAt": "2099-01-01T00:00:00Z",
	}
	member := &unstructured.Unstructured{Object: held.objects["VirtualMachine/member-3"]}
	_ = unstructured.SetNestedSlice(member.Object, []any{map[string]any{
		"apiVersion": "banlieue.io/v1alpha1", "kind": "VirtualMachineClaim", "name": "claim", "uid": "claim-uid",
	}}, "metadata", "ownerReferences")
}

func activeEngine(t testing.TB) *rego.Engine {
	schemas, err := bundles.Schemas()
	require.NoError(t, err)
	metrics, err := rego.NewMetrics(prometheus.NewRegistry())
	require.NoError(t, err)
	e, err := rego.NewEngine(rego.Config{Schemas: schemas, Metrics: metrics, Log: logr.Discard(), Check: func(r *rego.Revision) ([]rego.Entrypoint, error) {
		reg, err := load(r)
		if err != nil {
			return nil, err
		}
		return entrypoints(reg), nil
	}})
	require.NoError(t, err)
	source := rego.Source{Shipped: bundles.FS(), Names: bundles.Names()}
	loaded, err := source.Load()
	require.NoError(t, err)
	require.NoError(t, e.Activate(t.Context(), loaded))
	return e
}

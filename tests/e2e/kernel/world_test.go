// SPDX-License-Identifier: Apache-2.0

// Package kernel_test holds the kernel's rules against a real API server: effects of every kind, sound and hostile, on
// present and on stale facts, in any order, between the acts of people. No bundle is involved, since to the kernel a
// bundle is nothing but the effects that it answers.
package kernel_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

// The kinds of the world.
const (
	claimKind  = "VirtualMachineClaim"
	poolKind   = "VirtualMachinePool"
	vmKind     = "VirtualMachine"
	secretKind = "Secret"
)

// world is a namespace with two pools, members, a stranger's machine and claims, and a kernel over it.
type world struct {
	*testcluster.Cluster
	kernel *kernel.Kernel
	cache  *snapshot
	now    time.Time
	events []string
}

// snapshot is a cache that is as old as the test wants.
type snapshot struct {
	client.Reader
	objects map[string]*unstructured.Unstructured
}

func (s *snapshot) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	u := into.(*unstructured.Unstructured)
	held, ok := s.objects[u.GetKind()+"/"+key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: u.GetKind()}, key.Name)
	}
	u.Object = held.Object
	return nil
}

// Event implements kernel.Recorder.
func (w *world) Event(_ *unstructured.Unstructured, _, reason, _ string) {
	w.events = append(w.events, reason)
}

const (
	members = 4
	claims  = 3
)

func newWorld(t testing.TB) *world {
	w := &world{Cluster: testcluster.New(t), cache: &snapshot{objects: map[string]*unstructured.Unstructured{}}, now: time.Now()}
	w.kernel = &kernel.Kernel{Client: w.Client, Cache: w.cache, Fence: func() error { return nil }, Events: w}
	pools := []*banlieue.VirtualMachinePool{builders.Pool(w.Namespace, "pool"), builders.Pool(w.Namespace, "other")}
	for _, p := range pools {
		w.create(t, p)
	}
	for i := range members {
		vm := builders.VM(w.Namespace, fmt.Sprintf("vm-%d", i), builders.VMMemberOf(pools[i%2], "gen-1"))
		vm.TypeMeta = metav1.TypeMeta{APIVersion: banlieue.GroupVersion.String(), Kind: vmKind}
		vm.Finalizers = []string{banlieue.FinalizerVirtualMachine} // deletion shows before it ends
		w.create(t, vm)
	}
	w.create(t, builders.VM(w.Namespace, "stranger"))
	for i := range claims {
		w.create(t, builders.Claim(w.Namespace, fmt.Sprintf("claim-%d", i), builders.ClaimPool("pool"), builders.ClaimTTL(60)))
	}
	w.create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "secret"}})
	w.refresh(t)
	return w
}

func (w *world) create(t testing.TB, object client.Object) {
	require.NoError(t, w.Client.Create(t.Context(), object))
}

// live reads every object of a kind from the API server.
func (w *world) live(t testing.TB, kind string) []unstructured.Unstructured {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(banlieue.GroupVersion.WithKind(kind + "List"))
	require.NoError(t, w.Client.List(t.Context(), list, client.InNamespace(w.Namespace)))
	return list.Items
}

// refresh brings the cache up to date.
func (w *world) refresh(t testing.TB) {
	w.cache.objects = map[string]*unstructured.Unstructured{}
	for _, kind := range []string{claimKind, poolKind, vmKind} {
		items := w.live(t, kind)
		for i := range items {
			w.cache.objects[kind+"/"+items[i].GetName()] = &items[i]
		}
	}
}

// cached returns an object as the cache has it, nil if it has none.
func (w *world) cached(kind, name string) *unstructured.Unstructured {
	return w.cache.objects[kind+"/"+name]
}

// pass is a turn of an object, on the cache's facts, whose registration allows everything that may be registered.
func (w *world) pass(kind, name string) *kernel.Pass {
	object := w.cached(kind, name)
	if object == nil {
		return nil
	}
	r := &registry.Reconciler{Bundle: "hostile", Name: "everything",
		For: registry.Kind{APIVersion: banlieue.GroupVersion.String(), Kind: kind}}
	for _, effect := range decisionv1.EffectTypes() {
		for _, on := range []string{claimKind, poolKind, vmKind} {
			for _, f := range finalizers() {
				r.Effects = append(r.Effects, registry.Permission{Type: effect, APIVersion: banlieue.GroupVersion.String(), Kind: on, Finalizer: f})
			}
			r.Effects = append(r.Effects, registry.Permission{Type: effect, APIVersion: banlieue.GroupVersion.String(), Kind: on})
		}
		r.Effects = append(r.Effects, registry.Permission{Type: effect, APIVersion: "v1", Kind: secretKind},
			registry.Permission{Type: effect, APIVersion: "v1", Kind: "ConfigMap"})
	}
	return &kernel.Pass{Registration: r, Object: object.DeepCopy(), Now: w.now}
}

// finalizers are those that the registration lists.
func finalizers() []string {
	return []string{banlieue.FinalizerClaim, banlieue.FinalizerVirtualMachine, "example.com/other"}
}

// perform runs effects in order until one fails, as a pass does.
func (w *world) perform(t testing.TB, p *kernel.Pass, effects ...decisionv1.Effect) error {
	for i := range effects {
		if err := w.kernel.Perform(t.Context(), p, &effects[i]); err != nil {
			return err
		}
	}
	return nil
}

// bindEffects are what a sound bundle answers to bind a member.
func (w *world) bindEffects(member *unstructured.Unstructured) []decisionv1.Effect {
	return []decisionv1.Effect{
		{Type: decisionv1.EffectBind, Member: &decisionv1.Member{Name: member.GetName(), UID: string(member.GetUID()), ResourceVersion: member.GetResourceVersion()}},
		{Type: decisionv1.EffectStatus, Status: map[string]any{
			"phase": "Bound", "virtualMachineRef": map[string]any{"name": member.GetName()},
			"boundAt": stamp(w.now), "expiresAt": stamp(w.now.Add(time.Minute)),
		}},
	}
}

func (w *world) mustBind(t testing.TB, claim, member string) {
	p := w.pass(claimKind, claim)
	require.NoError(t, w.perform(t, p, w.bindEffects(w.cached(vmKind, member))...))
	w.refresh(t)
}

func stamp(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }

func target(o *unstructured.Unstructured) *decisionv1.Target {
	return &decisionv1.Target{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Name: o.GetName(), UID: string(o.GetUID())}
}

// claimUIDs are the UIDs of the claims that own an object.
func claimUIDs(o *unstructured.Unstructured) []types.UID {
	var out []types.UID
	for _, ref := range o.GetOwnerReferences() {
		if ref.Kind == claimKind {
			out = append(out, ref.UID)
		}
	}
	return out
}

// SPDX-License-Identifier: Apache-2.0

// Package reconciler is the one generic reconciler. Bundles register what it reconciles; it gathers what they name, asks
// their decision, and has the kernel perform the effects.
//
// What callers may rely on: nothing is written by a process that does not lead, has no active bundles, or whose cache is
// older than its leadership; a pass over an object sees everything that the pass before it wrote; a pass whose decision
// changes nothing writes nothing.
package reconciler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

// Config is what a Host needs. All fields but Namespace are required.
type Config struct {
	// Engine decides.
	Engine *rego.Engine
	// Cache reads unstructured objects without copying them.
	Cache cache.Cache
	// Client reads and writes the API server directly.
	Client client.Client
	// Namespace is the only one that Cache reads; empty means all.
	Namespace string
	// Kernel performs effects.
	Kernel *kernel.Kernel
	// Leader says when to act.
	Leader *Leader
	// Metrics counts.
	Metrics *Metrics
	// Now is the clock that decisions see.
	Now func() time.Time
	// Log receives what nobody else is told.
	Log logr.Logger
}

// Host runs the active bundles' registrations.
type Host struct {
	config   Config
	replaced chan *generation
	current  atomic.Pointer[generation] // nil until its caches are read
}

// NewHost returns a host that starts with Start.
func NewHost(config Config) *Host {
	h := &Host{config: config, replaced: make(chan *generation)}
	config.Metrics.sizes = func() map[string]map[string]int {
		if g := h.current.Load(); g != nil {
			return g.sizes()
		}
		return nil
	}
	return h
}

// CheckBundles returns the engine's check before an activation: the registrations must be sound, and the kinds that they
// name must be installed. The check answers what the registrations ask.
func CheckBundles(mapper meta.RESTMapper) rego.Check {
	return func(candidate *rego.Revision) ([]rego.Entrypoint, error) {
		reg, err := load(candidate)
		if err != nil {
			return nil, err
		}
		for _, k := range reg.Kinds() {
			if _, err := mapper.RESTMapping(k.GVK().GroupKind(), k.GVK().Version); err != nil {
				return nil, fmt.Errorf("a registration names %s %s, which the API server does not serve; install its CRD first: %w",
					k.APIVersion, k.Kind, err)
			}
		}
		if err := checkScopes(mapper, reg); err != nil {
			return nil, err
		}
		return entrypoints(reg), nil
	}
}

// checkScopes refuses what could never match: a name that a cluster-scoped object gives leads to no namespace.
func checkScopes(mapper meta.RESTMapper, reg *registry.Registry) error {
	for _, r := range reg.Reconcilers {
		for i, w := range r.Watch {
			if !w.Key.IsZero() && isNamespaced(mapper, r.For) && !isNamespaced(mapper, w.Of) {
				return fmt.Errorf("registration %s, watch[%d]: %s has no namespace, so that key leads nowhere; use match", r.ID(), i, w.Of.Kind)
			}
		}
	}
	for _, v := range reg.Views {
		if v.Scope != nil && isNamespaced(mapper, v.Of) && !isNamespaced(mapper, v.Scope.Get) {
			return fmt.Errorf("view %s: its scope %s must be namespaced like what it ranks", v.ID(), v.Scope.Get.Kind)
		}
	}
	return nil
}

func isNamespaced(mapper meta.RESTMapper, k registry.Kind) bool {
	mapping, err := mapper.RESTMapping(k.GVK().GroupKind(), k.GVK().Version)
	return err == nil && mapping.Scope.Name() == meta.RESTScopeNameNamespace
}

// entrypoints are the rules that registrations ask.
func entrypoints(reg *registry.Registry) []rego.Entrypoint {
	var out []rego.Entrypoint
	for _, v := range reg.Views {
		out = append(out, rego.Entrypoint{Path: v.Classify, Output: decisionv1.SchemaRank})
	}
	for _, r := range reg.Reconcilers {
		out = append(out, rego.Entrypoint{Path: r.Decision, Output: decisionv1.SchemaStep})
	}
	return out
}

func load(r *rego.Revision) (*registry.Registry, error) {
	return registry.Load(slices.Collect(maps.Keys(r.Bundles())), r.Data)
}

// Start runs until the context ends, which is no error, or leadership is lost, which is.
func (h *Host) Start(ctx context.Context) error {
	if !h.config.Cache.WaitForCacheSync(ctx) {
		return ctx.Err()
	}
	g, err := h.first(ctx)
	if err != nil {
		return err
	}
	// The lease is given up only after the last worker has stopped.
	electing, resign := context.WithCancel(context.WithoutCancel(ctx))
	defer resign()
	election := make(chan error, 1)
	go func() {
		defer close(election)
		election <- h.config.Leader.Run(electing)
	}()
	s := &state{host: h, generation: g}
	err = s.loop(ctx, election)
	err = errors.Join(err, s.running.stop(), s.generation.close())
	resign()
	h.config.Metrics.leading.Set(0)
	return errors.Join(err, <-election) // until the lease is given up, so that a standby need not wait for it to run out
}

// first builds the generation of the active revision, and gets ready for the revisions that follow.
func (h *Host) first(ctx context.Context) (*generation, error) {
	for {
		active := h.config.Engine.Active()
		if active == nil {
			return nil, errors.New("no bundles are active")
		}
		reg, err := load(active)
		if err != nil {
			return nil, err
		}
		g, err := h.newGeneration(ctx, active, reg)
		if err != nil {
			return nil, err
		}
		h.current.Store(g)
		h.config.Engine.SetPrepare(func(_ context.Context, candidate *rego.Revision) (func(), error) {
			return h.prepare(ctx, candidate)
		})
		if h.config.Engine.Active() == active {
			return g, nil
		}
		if err := g.close(); err != nil { // another revision came between
			return nil, err
		}
	}
}

// prepare gets ready for a candidate before it takes over: the same generation if it registers the same, or a new one that
// has read everything that it needs. One that cannot be built refuses the candidate.
func (h *Host) prepare(ctx context.Context, candidate *rego.Revision) (func(), error) {
	reg, err := load(candidate)
	if err != nil {
		return nil, err
	}
	next := h.current.Load()
	same := reflect.DeepEqual(reg, next.registry)
	if !same {
		if next, err = h.newGeneration(ctx, candidate, reg); err != nil {
			h.forgetKinds(ctx, reg)
			return nil, fmt.Errorf("its registrations cannot be put in force: %w", err)
		}
	}
	return func() {
		if same {
			next.revision.Store(candidate)
		}
		h.current.Store(next)
		h.config.Metrics.retire(candidate.Retired())
		select {
		case h.replaced <- next:
		case <-ctx.Done():
		}
	}, nil
}

// forgetKinds ends the watches that only a refused set of registrations needed.
func (h *Host) forgetKinds(ctx context.Context, refused *registry.Registry) {
	kept := h.current.Load().registry.Kinds()
	for _, k := range refused.Kinds() {
		if slices.Contains(kept, k) {
			continue
		}
		if err := h.config.Cache.RemoveInformer(ctx, unstructuredOf(k.GVK())); err != nil {
			h.config.Log.Error(err, "Ending a watch", "kind", k.Kind)
		}
	}
}

// state is what the host's loop changes.
type state struct {
	host       *Host
	generation *generation
	leading    context.Context // nil until this process leads
	running    *run            // nil until this process leads
}

// loop waits for leadership, and for bundles that change what they register.
func (s *state) loop(ctx context.Context, election <-chan error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-election:
			return err
		case <-s.running.ended():
			if s.running.err != nil {
				return s.running.err
			}
			return <-election // the workers end by themselves when leadership does
		case s.leading = <-s.host.config.Leader.Started():
			s.host.config.Log.Info("Leading")
			s.run(ctx)
		case next := <-s.host.replaced:
			if err := s.replace(ctx, next); err != nil {
				return err
			}
		}
	}
}

// run starts the generation's workers once its caches are as new as this process's leadership.
func (s *state) run(ctx context.Context) {
	until, cancel := context.WithCancel(s.leading)
	defer context.AfterFunc(ctx, cancel)()
	s.host.catchUp(until, s.generation) //nolint:contextcheck // it ends with leadership or with this process
	if until.Err() == nil {
		s.host.config.Metrics.leading.Set(1)
		s.running = start(s.leading, s.generation) //nolint:contextcheck // workers end with leadership, not with this call
	}
}

// replace puts a generation in force, or looks at every object again under the same one's new policy.
func (s *state) replace(ctx context.Context, next *generation) error {
	if next == s.generation {
		return next.enqueueAll(ctx)
	}
	s.host.config.Log.Info("Registrations changed, starting over with the new ones")
	previous, wasRunning := s.generation, s.running
	s.generation, s.running = next, nil
	if err := errors.Join(wasRunning.stop(), previous.close()); err != nil {
		return err
	}
	if s.leading != nil {
		s.run(ctx)
	}
	return nil
}

// Ready returns nil when bundles are active and every cache that they need has been read.
func (h *Host) Ready() error {
	if err := h.config.Engine.Ready(); err != nil {
		return err
	}
	if h.current.Load() == nil {
		return errors.New("caches are not synced yet")
	}
	return nil
}

// readScope reads a view's scope object from the cache.
func (h *Host) readScope(ctx context.Context, kind registry.Kind, name types.NamespacedName) (*unstructured.Unstructured, error) {
	object := unstructuredOf(kind.GVK())
	err := h.config.Cache.Get(ctx, name, object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}

func (h *Host) listCached(ctx context.Context, kind registry.Kind, namespace string) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	gvk := kind.GVK()
	gvk.Kind += "List"
	list.SetGroupVersionKind(gvk)
	if err := h.config.Cache.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing %s: %w", kind.Kind, err)
	}
	return list.Items, nil
}

func unstructuredOf(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	return object
}

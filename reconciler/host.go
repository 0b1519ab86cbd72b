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
	config Config
	reload chan struct{}
	synced atomic.Pointer[generation]
}

// NewHost returns a host that starts with Start.
func NewHost(config Config) *Host {
	h := &Host{config: config, reload: make(chan struct{}, 1)}
	config.Metrics.sizes = func() map[string]map[string]int {
		if g := h.synced.Load(); g != nil {
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
		return entrypoints(reg), nil
	}
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
	h.config.Engine.SetPrepare(func(context.Context, *rego.Revision) (func(), error) {
		return func() {
			select {
			case h.reload <- struct{}{}:
			default: // a reload is due already
			}
		}, nil
	})
	if !h.config.Cache.WaitForCacheSync(ctx) {
		return ctx.Err()
	}
	g, err := h.build(ctx)
	if err != nil {
		return err
	}
	// The lease is given up only after the last worker has stopped.
	electing, resign := context.WithCancel(context.WithoutCancel(ctx))
	defer resign()
	election, resigned := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(resigned)
		election <- h.config.Leader.Run(electing)
	}()
	s := &state{host: h, generation: g}
	err = s.loop(ctx, election)
	err = errors.Join(err, s.running.stop(), s.generation.close())
	h.config.Metrics.leading.Set(0)
	resign()
	<-resigned // or the process would end before it has given up the lease
	return err
}

// state is what the host's loop changes.
type state struct {
	host       *Host
	generation *generation
	leading    context.Context // nil until this process leads
	running    *run            // nil until this process leads
}

// loop waits for leadership, and rebuilds when bundles change what they register.
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
		case leading := <-s.host.config.Leader.Started():
			if err := s.lead(ctx, leading); err != nil {
				return err
			}
		case <-s.host.reload:
			if err := s.replace(ctx); err != nil {
				return err
			}
		}
	}
}

func (s *state) lead(ctx, leading context.Context) error {
	h := s.host
	until, cancel := context.WithCancel(leading)
	defer context.AfterFunc(ctx, cancel)()
	if err := h.catchUp(until, s.generation); err != nil {
		return err
	}
	h.config.Metrics.leading.Set(1)
	h.config.Log.Info("Leading")
	s.leading, s.running = leading, start(leading, s.generation)
	return nil
}

// replace brings the active bundles' registrations into force: the same generation with every object looked at again,
// or a new one. One that cannot be built changes nothing.
func (s *state) replace(ctx context.Context) error {
	h := s.host
	reg, err := load(h.config.Engine.Active())
	if err != nil {
		return err // cannot happen: CheckBundles accepted them
	}
	if reflect.DeepEqual(reg, s.generation.registry) {
		return s.generation.enqueueAll(ctx)
	}
	next, err := h.newGeneration(ctx, reg)
	if err != nil {
		h.config.Engine.Refuse(fmt.Errorf("the new policy decides, but its registrations are not in force: %w", err))
		return nil
	}
	h.config.Log.Info("Registrations changed, starting over with the new ones")
	previous, wasRunning := s.generation, s.running
	s.generation, s.running = next, nil
	h.synced.Store(next)
	if err := errors.Join(wasRunning.stop(), previous.close()); err != nil {
		return err
	}
	if s.leading != nil {
		s.running = start(s.leading, next) //nolint:contextcheck // workers end with leadership, not with this call
	}
	return nil
}

func (h *Host) build(ctx context.Context) (*generation, error) {
	active := h.config.Engine.Active()
	if active == nil {
		return nil, errors.New("no bundles are active")
	}
	reg, err := load(active)
	if err != nil {
		return nil, err
	}
	g, err := h.newGeneration(ctx, reg)
	if err != nil {
		return nil, err
	}
	h.synced.Store(g)
	return g, nil
}

// Ready returns nil when bundles are active and every cache that they need has been read.
func (h *Host) Ready() error {
	if err := h.config.Engine.Ready(); err != nil {
		return err
	}
	if h.synced.Load() == nil {
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

// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/reconciler/view"
	"github.com/lictor-dev/lictor/rego"
)

// syncTimeout bounds how long reading every object of a kind may take. 10,000 objects take under 2 s.
const syncTimeout = time.Minute

// generation is everything that one set of registrations needs: streams, views and runners. A bundle that changes its
// registrations gets a new one; a bundle that changes only policy keeps it. Its views and runners ask the generation's own
// revision, so that no policy ever decides on what was gathered for another.
type generation struct {
	*rego.Engine
	revision atomic.Pointer[rego.Revision]
	registry *registry.Registry
	views    map[string]*view.Index
	streams  map[schema.GroupVersionKind]*stream
	runners  []*runner
	handlers []handler
	stop     context.CancelFunc
}

// handler is one event handler in a shared informer.
type handler struct {
	informer     cache.Informer
	registration toolscache.ResourceEventHandlerRegistration
}

// newGeneration builds views, streams and runners, and waits until they have seen every existing object.
func (h *Host) newGeneration(parent context.Context, revision *rego.Revision, reg *registry.Registry) (*generation, error) {
	ctx, stop := context.WithCancel(parent)
	g := &generation{Engine: h.config.Engine, registry: reg, views: map[string]*view.Index{}, streams: map[schema.GroupVersionKind]*stream{}, stop: stop}
	g.revision.Store(revision)
	for _, k := range reg.Kinds() {
		g.streams[k.GVK()] = &stream{gvk: k.GVK(), ctx: ctx, seen: map[types.NamespacedName]sighting{}}
	}
	for _, v := range reg.Views {
		index := view.New(v, g, h.readScope)
		g.views[v.ID()] = index
		s := g.streams[v.Of.GVK()]
		s.views = append(s.views, index)
		if v.Scope != nil {
			scope := g.streams[v.Scope.Get.GVK()]
			scope.scopes = append(scope.scopes, index)
		}
	}
	for _, rec := range reg.Reconcilers {
		r, err := h.newRunner(g, rec)
		if err != nil {
			return nil, errors.Join(err, g.close())
		}
		g.runners = append(g.runners, r)
	}
	if err := g.subscribe(ctx, h.config.Cache); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (h *Host) newRunner(g *generation, rec *registry.Reconciler) (*runner, error) {
	r := &runner{
		host: h, generation: g, registration: rec, related: map[string]relatedSource{}, views: map[string]*view.Index{},
		expected: map[types.NamespacedName]expectation{}, troubles: map[types.NamespacedName]int{},
		paused: map[types.NamespacedName]pause{},
	}
	for name, s := range rec.Gather {
		if s.Get == nil {
			index := g.views[rec.Bundle+"."+s.View]
			index.OnEnter(func(group view.Group) { r.wakeFirst(place{name, group}) })
			r.views[name] = index
			continue
		}
		mapping, err := h.config.Client.RESTMapper().RESTMapping(s.Get.GVK().GroupKind(), s.Get.GVK().Version)
		if err != nil {
			return nil, fmt.Errorf("registration %s, gather.%s: %w", rec.ID(), name, err)
		}
		r.related[name] = relatedSource{Source: s, namespaced: mapping.Scope.Name() == meta.RESTScopeNameNamespace}
	}
	own := g.streams[rec.For.GVK()]
	own.triggers = append(own.triggers, trigger{runner: r})
	for i := range rec.Watch {
		w := &rec.Watch[i]
		s := g.streams[w.Of.GVK()]
		s.triggers = append(s.triggers, trigger{runner: r, watch: w})
	}
	return r, nil
}

// subscribe attaches the streams to informers; each informer replays what exists. Streams that scopes and gathered
// objects come from are attached before those that views rank, so that most objects are ranked once.
func (g *generation) subscribe(ctx context.Context, informers cache.Informers) error {
	for gvk := range g.streams { // all of them first: what one stream sees may concern objects of another kind
		if _, err := informers.GetInformer(ctx, unstructuredOf(gvk), cache.BlockUntilSynced(false)); err != nil {
			return fmt.Errorf("watching %s: %w", gvk.Kind, err)
		}
	}
	ranked := func(s *stream) bool { return len(s.views) > 0 }
	for _, last := range []bool{false, true} {
		for _, s := range g.streams {
			if ranked(s) != last {
				continue
			}
			if err := g.attach(ctx, informers, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *generation) attach(ctx context.Context, informers cache.Informers, s *stream) error {
	object := unstructuredOf(s.gvk)
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	informer, err := informers.GetInformer(ctx, object, cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watching %s: %w", s.gvk.Kind, err)
	}
	registration, err := informer.AddEventHandler(s)
	if err != nil {
		return fmt.Errorf("watching %s: %w", s.gvk.Kind, err)
	}
	g.handlers = append(g.handlers, handler{informer, registration})
	if !toolscache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
		return fmt.Errorf("reading every %s: %w; may this process list and watch it?", s.gvk.Kind, context.Cause(ctx))
	}
	return nil
}

// run runs every registration's workers until the context ends and all of them have stopped.
func (g *generation) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range g.runners {
		group.Go(func() error { return r.start(ctx) })
	}
	return group.Wait()
}

// enqueueAll triggers a pass of every object of every registration.
func (g *generation) enqueueAll(ctx context.Context) error {
	for _, r := range g.runners {
		if err := r.enqueueAll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close detaches the streams. Runners must have stopped.
func (g *generation) close() error {
	g.stop()
	var failed error
	for _, h := range g.handlers {
		failed = errors.Join(failed, h.informer.RemoveEventHandler(h.registration))
	}
	return failed
}

// Active is the revision that this generation's views rank in and its runners decide in. It shadows the engine's, which may
// be ahead until the next generation is in force.
func (g *generation) Active() *rego.Revision { return g.revision.Load() }

// sizes counts the views' buckets.
func (g *generation) sizes() map[string]map[string]int {
	out := map[string]map[string]int{}
	for id, v := range g.views {
		out[id] = v.Sizes()
	}
	return out
}

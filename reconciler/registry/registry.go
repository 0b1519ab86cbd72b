// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// Defaults and bounds of a registration.
const (
	defaultWorkers = 4
	maxWorkers     = 64
	defaultHeads   = 1
	// maxHeads keeps the cost of a decision independent of a group's size.
	maxHeads = 1000
)

// Registry is every registration of a set of bundles, in the order of bundle and name.
type Registry struct {
	Reconcilers []*Reconciler
	Views       []*View
}

// Data reads a part of a bundle set's data; rego.Revision.Data is one.
type Data func(keys ...string) (any, bool)

// Load reads and checks the registrations under data.lictor.<bundle> of each bundle.
func Load(bundles []string, data Data) (*Registry, error) {
	r := &Registry{}
	for _, b := range slices.Sorted(slices.Values(bundles)) {
		if err := r.loadBundle(b, data); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Registry) loadBundle(bundle string, data Data) error {
	views, err := decode[View](data, bundle, "views")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(views)) {
		v := views[name]
		v.Bundle, v.Name = bundle, name
		if err := v.check(); err != nil {
			return fmt.Errorf("bundle %s, view %s: %w", bundle, name, err)
		}
		r.Views = append(r.Views, v)
	}
	reconcilers, err := decode[Reconciler](data, bundle, "reconcilers")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(reconcilers)) {
		rec := reconcilers[name]
		rec.Bundle, rec.Name = bundle, name
		rec.setDefaults()
		if err := rec.check(views); err != nil {
			return fmt.Errorf("bundle %s, reconciler %s: %w", bundle, name, err)
		}
		r.Reconcilers = append(r.Reconcilers, rec)
	}
	return nil
}

// View returns the view with an ID, nil if there is none.
func (r *Registry) View(id string) *View {
	for _, v := range r.Views {
		if v.ID() == id {
			return v
		}
	}
	return nil
}

// Kinds returns every kind that the registrations read, once each.
func (r *Registry) Kinds() []Kind {
	seen := map[Kind]bool{}
	var kinds []Kind
	add := func(k Kind) {
		if !seen[k] {
			seen[k] = true
			kinds = append(kinds, k)
		}
	}
	for _, v := range r.Views {
		add(v.Of)
		if v.Scope != nil {
			add(v.Scope.Get)
		}
	}
	for _, rec := range r.Reconcilers {
		add(rec.For)
		for _, name := range slices.Sorted(maps.Keys(rec.Gather)) {
			if s := rec.Gather[name]; s.Get != nil && !s.Live {
				add(*s.Get)
			}
		}
		for _, w := range rec.Watch {
			add(w.Of)
		}
		for _, p := range rec.Effects {
			if p.Type == decisionv1.EffectPatch || p.Type == decisionv1.EffectDelete { // the kernel looks at what it patches
				add(Kind{APIVersion: p.APIVersion, Kind: p.Kind})
			}
		}
	}
	return kinds
}

// decode reads a map of registrations strictly: an unknown field is an error, since it would silently mean nothing.
func decode[T any](data Data, bundle, section string) (map[string]*T, error) {
	raw, ok := data("lictor", bundle, section)
	if !ok {
		return nil, nil
	}
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("bundle %s, %s: %w", bundle, section, err)
	}
	out := map[string]*T{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("bundle %s, %s: %w", bundle, section, err)
	}
	for name, t := range out {
		if t == nil {
			return nil, fmt.Errorf("bundle %s, %s: %s is null", bundle, section, name)
		}
	}
	return out, nil
}

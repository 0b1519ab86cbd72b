// SPDX-License-Identifier: Apache-2.0

// Package registry reads what bundles register: which kinds are reconciled, what is gathered for a decision, and which
// effects a decision may have. Registrations are data; their meaning is documented in docs/writing-policy.md.
package registry

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// Kind names a Kubernetes kind in one version.
type Kind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// GVK returns the kind's group, version and kind.
func (k Kind) GVK() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(k.APIVersion, k.Kind)
}

// Reconciler is one registration: a kind, what its decision sees, and what its decision may do.
type Reconciler struct {
	// Bundle and Name say where the registration comes from.
	Bundle string `json:"-"`
	Name   string `json:"-"`
	// For is the reconciled kind.
	For Kind `json:"for"`
	// Decision is the entrypoint, such as lictor.claims.step.
	Decision string `json:"decision"`
	// Debounce delays the pass that an object's own update triggers, so that one pass serves many changes.
	Debounce Duration `json:"debounce,omitzero"`
	// Workers is how many objects are reconciled at the same time.
	Workers int `json:"workers,omitempty"`
	// Gather maps names in the input to what is read.
	Gather map[string]Source `json:"gather,omitempty"`
	// Watch lists what else triggers a pass.
	Watch []Watch `json:"watch,omitempty"`
	// Effects lists what the decision may do, at most.
	Effects []Permission `json:"effects,omitempty"`
}

// ID names the registration across bundles.
func (r *Reconciler) ID() string { return r.Bundle + "." + r.Name }

// Source is one thing to read: an object (Get) or a group of a view (View).
type Source struct {
	// Get reads an object of this kind, in the reconciled object's namespace if the kind is namespaced.
	Get *Kind `json:"get,omitempty"`
	// Name holds the paths to the object's name; the first that leads to a non-empty string counts.
	Name []Pointer `json:"name,omitempty"`
	// Live reads from the API server instead of the cache.
	Live bool `json:"live,omitempty"`
	// View names a view of the same bundle.
	View string `json:"view,omitempty"`
	// Group is the path to the group's name.
	Group Pointer `json:"group,omitzero"`
	// Heads is how many items of each bucket the decision sees.
	Heads int `json:"heads,omitempty"`
	// Holds adds the union of what the group's items hold.
	Holds bool `json:"holds,omitempty"`
}

// Watch maps a change of another object to the objects to reconcile. Exactly one of Key and Match is given.
type Watch struct {
	// Of is the watched kind.
	Of Kind `json:"of"`
	// Key leads, in the changed object, to the name of the object to reconcile (same namespace).
	Key Pointer `json:"key,omitzero"`
	// Match leads, in the objects to reconcile, to the name of the changed object.
	Match Pointer `json:"match,omitzero"`
	// Debounce delays the pass, so that one pass serves many changes.
	Debounce Duration `json:"debounce,omitzero"`
}

// Permission allows one type of effect on one kind.
type Permission struct {
	Type decisionv1.EffectType `json:"type"`
	// APIVersion and Kind are those of the object written; by default the reconciled kind's API version.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	// Finalizer is the one that finalizer.add and finalizer.remove may touch.
	Finalizer string `json:"finalizer,omitempty"`
}

// View is an index that a policy function keeps in order.
type View struct {
	Bundle string `json:"-"`
	Name   string `json:"-"`
	// Of is the indexed kind.
	Of Kind `json:"of"`
	// Group leads to the name of an object's group; objects without one are left out.
	Group Pointer `json:"group"`
	// Scope is an object that the classification also depends on.
	Scope *Scope `json:"scope,omitempty"`
	// Classify is the policy function's entrypoint.
	Classify string `json:"classify"`
	// Buckets are the names that the policy function may answer.
	Buckets []string `json:"buckets"`
	// Fields are the parts of an item that decisions see.
	Fields []Pointer `json:"fields"`
}

// ID names the view across bundles.
func (v *View) ID() string { return v.Bundle + "." + v.Name }

// Scope is the object that a view's groups are named after, in the group's namespace.
type Scope struct {
	Get Kind `json:"get"`
	// Fields are the parts that the classification depends on; the group is classified again when they change.
	Fields []Pointer `json:"fields"`
}

// Duration is a time span written like 200ms.
type Duration struct{ time.Duration }

// UnmarshalText parses a Go duration.
func (d *Duration) UnmarshalText(b []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(b))
	return err
}

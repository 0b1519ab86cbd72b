// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// forbiddenGroups are API groups that no effect may write to, whatever a bundle registers: who may do what, and what the
// API server admits, is not for a bundle to change (kernel rule 7).
func forbiddenGroups() []string {
	return []string{"rbac.authorization.k8s.io", "admissionregistration.k8s.io", "certificates.k8s.io", "apiregistration.k8s.io",
		"authentication.k8s.io", "authorization.k8s.io", "apiextensions.k8s.io", "apps", "batch"}
}

// forbiddenCoreKinds are kinds of the core group that no effect may write, and Secret is one that no source may read.
// A pod can mount any Secret of its namespace and act as any of its service accounts.
func forbiddenCoreKinds() []string {
	return []string{"Secret", "ServiceAccount", "Namespace", "Node", "Pod", "PodTemplate", "ReplicationController"}
}

// MayWrite tells whether effects may write a kind at all (kernel rule 7).
func MayWrite(k Kind) error {
	gvk := k.GVK()
	if slices.Contains(forbiddenGroups(), gvk.Group) || gvk.Group == "" && slices.Contains(forbiddenCoreKinds(), gvk.Kind) {
		return fmt.Errorf("no bundle may write %s (kernel rule 7)", gvk.GroupKind())
	}
	return nil
}

// MayRead tells whether a kind may enter a decision's input (kernel rule 7).
func MayRead(k Kind) error {
	if k.GVK().GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
		return errors.New("no bundle may read Secrets (kernel rule 7)")
	}
	return nil
}

func (k Kind) check(what string) error {
	if k.APIVersion == "" || k.Kind == "" {
		return fmt.Errorf("%s: apiVersion and kind are both needed", what)
	}
	if _, err := schema.ParseGroupVersion(k.APIVersion); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return MayRead(k)
}

func (v *View) check() error {
	if err := v.Of.check("of"); err != nil {
		return err
	}
	if v.Scope != nil {
		if err := v.Scope.Get.check("scope.get"); err != nil {
			return err
		}
	}
	switch {
	case v.Group.IsZero():
		return errors.New("group is needed: a JSON pointer to the name of an object's group")
	case v.Classify == "":
		return errors.New("classify is needed: the entrypoint that ranks an object")
	case len(v.Buckets) == 0:
		return errors.New("buckets is needed: the names that classify may answer")
	case slices.Contains(v.Buckets, "holds"):
		return errors.New("a bucket cannot be named holds: decisions find what the group holds there")
	case len(v.Fields) == 0:
		return errors.New("fields is needed: JSON pointers to what decisions see of an item")
	}
	return nil
}

func (r *Reconciler) setDefaults() {
	if r.Workers == 0 {
		r.Workers = defaultWorkers
	}
	for name, s := range r.Gather {
		if s.View != "" && s.Heads == 0 {
			s.Heads = defaultHeads
			r.Gather[name] = s
		}
	}
	for i := range r.Effects {
		p := &r.Effects[i]
		if p.Kind == "" {
			p.Kind = r.For.Kind
		}
		if p.APIVersion == "" {
			p.APIVersion = r.For.APIVersion
		}
	}
}

func (r *Reconciler) check(views map[string]*View) error {
	if err := r.For.check("for"); err != nil {
		return err
	}
	if r.Decision == "" {
		return errors.New("decision is needed: the entrypoint to ask")
	}
	if r.Workers < 1 || r.Workers > maxWorkers {
		return fmt.Errorf("workers must be 1 to %d", maxWorkers)
	}
	for name, s := range r.Gather {
		if err := s.check(views); err != nil {
			return fmt.Errorf("gather.%s: %w", name, err)
		}
	}
	for i, w := range r.Watch {
		if err := w.check(); err != nil {
			return fmt.Errorf("watch[%d]: %w", i, err)
		}
	}
	for i, p := range r.Effects {
		if err := p.check(); err != nil {
			return fmt.Errorf("effects[%d]: %w", i, err)
		}
	}
	return nil
}

func (s *Source) check(views map[string]*View) error {
	switch {
	case s.Get != nil && s.View != "", s.Get == nil && s.View == "":
		return errors.New("exactly one of get and view is needed")
	case s.Get != nil && len(s.Name) == 0:
		return errors.New("name is needed: JSON pointers to the name of the object to get")
	case s.Get != nil:
		return s.Get.check("get")
	case views[s.View] == nil:
		return fmt.Errorf("view %q is not registered by this bundle", s.View)
	case s.Group.IsZero():
		return errors.New("group is needed: a JSON pointer to the name of the group")
	case s.Heads < 1 || s.Heads > maxHeads:
		return fmt.Errorf("heads must be 1 to %d", maxHeads)
	}
	return nil
}

func (w *Watch) check() error {
	if w.Key.IsZero() == w.Match.IsZero() {
		return errors.New("exactly one of key and match is needed")
	}
	return w.Of.check("of")
}

func (p *Permission) check() error {
	if !slices.Contains(decisionv1.EffectTypes(), p.Type) {
		return fmt.Errorf("unknown effect type %q; the types are %v", p.Type, decisionv1.EffectTypes())
	}
	ofFinalizer := p.Type == decisionv1.EffectFinalizerAdd || p.Type == decisionv1.EffectFinalizerRemove
	if ofFinalizer != (p.Finalizer != "") {
		return fmt.Errorf("%s: finalizer is needed for finalizer effects, and for no others", p.Type)
	}
	return MayWrite(Kind{APIVersion: p.APIVersion, Kind: p.Kind})
}

// Allows tells whether the registration lists an effect on a kind, and for finalizer effects on a finalizer.
func (r *Reconciler) Allows(t decisionv1.EffectType, k Kind, finalizer string) bool {
	return slices.ContainsFunc(r.Effects, func(p Permission) bool {
		return p.Type == t && p.APIVersion == k.APIVersion && p.Kind == k.Kind && p.Finalizer == finalizer
	})
}

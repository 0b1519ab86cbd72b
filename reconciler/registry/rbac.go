// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"cmp"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// Names in the rendered manifests.
const (
	rbacName      = "lictor-controller"
	rbacNamespace = "lictor-system"
)

// RBAC renders the least that a controller needs for these registrations: to read what they gather and watch, to write
// what their effects may write, to record Events, and to hold its lease.
func RBAC(r *Registry) []any {
	labels := map[string]string{"app.kubernetes.io/name": "lictor", "app.kubernetes.io/component": "controller"}
	cluster := metav1.ObjectMeta{Name: rbacName, Labels: labels}
	namespaced := metav1.ObjectMeta{Name: rbacName, Namespace: rbacNamespace, Labels: labels}
	subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: rbacName, Namespace: rbacNamespace}}
	typeMeta := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
	}
	return []any{
		&rbacv1.ClusterRole{TypeMeta: typeMeta("ClusterRole"), ObjectMeta: cluster, Rules: clusterRules(r)},
		&rbacv1.ClusterRoleBinding{TypeMeta: typeMeta("ClusterRoleBinding"), ObjectMeta: cluster, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: rbacName}},
		&rbacv1.Role{TypeMeta: typeMeta("Role"), ObjectMeta: namespaced, Rules: leaseRules()},
		&rbacv1.RoleBinding{TypeMeta: typeMeta("RoleBinding"), ObjectMeta: namespaced, Subjects: subjects,
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: rbacName}},
	}
}

// leaseRules allow one lease by name; create cannot be limited by name.
func leaseRules() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
		{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{rbacName}, Verbs: []string{"get", "update"}},
	}
}

// resource is a group and a resource, with its subresource.
type resource struct{ group, name string }

func clusterRules(r *Registry) []rbacv1.PolicyRule {
	verbs := map[resource]map[string]bool{}
	allow := func(k Kind, subresource string, more ...string) {
		at := resourceOf(k, subresource)
		if verbs[at] == nil {
			verbs[at] = map[string]bool{}
		}
		for _, v := range more {
			verbs[at][v] = true
		}
	}
	for _, k := range r.Kinds() {
		allow(k, "", "get", "list", "watch")
	}
	for _, rec := range r.Reconcilers {
		for _, s := range rec.Gather {
			if s.Get != nil && s.Live {
				allow(*s.Get, "", "get")
			}
		}
		for _, p := range rec.Effects {
			allowEffect(rec, p, allow)
		}
	}
	rules := []rbacv1.PolicyRule{{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}}}
	for _, at := range slices.SortedFunc(maps.Keys(verbs), func(a, b resource) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.name, b.name))
	}) {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{at.group}, Resources: []string{at.name},
			Verbs: slices.Sorted(maps.Keys(verbs[at]))})
	}
	return rules
}

func allowEffect(rec *Reconciler, p Permission, allow func(Kind, string, ...string)) {
	on := Kind{APIVersion: p.APIVersion, Kind: p.Kind}
	switch p.Type {
	case decisionv1.EffectBind:
		allow(rec.For, "", "patch") // the finalizer and the intent
		allow(on, "", "patch")
		allow(rec.For, "finalizers", "update") // blockOwnerDeletion
	case decisionv1.EffectFinalizerAdd, decisionv1.EffectFinalizerRemove, decisionv1.EffectPatch:
		allow(on, "", "patch")
	case decisionv1.EffectCreate:
		allow(on, "", "create")
		allow(rec.For, "finalizers", "update")
	case decisionv1.EffectApply:
		allow(on, "", "create", "get", "patch")
		allow(rec.For, "finalizers", "update")
	case decisionv1.EffectDelete:
		allow(on, "", "delete")
	case decisionv1.EffectStatus:
		allow(on, "status", "patch")
	case decisionv1.EffectEvent: // allowed for all
	}
}

func resourceOf(k Kind, subresource string) resource {
	plural, _ := meta.UnsafeGuessKindToResource(k.GVK())
	at := resource{group: plural.Group, name: plural.Resource}
	if subresource != "" {
		at.name += "/" + subresource
	}
	return at
}

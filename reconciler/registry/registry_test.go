// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/registry"
)

// data reads registrations of the bundle demo from YAML.
func data(t *testing.T, text string) registry.Data {
	t.Helper()
	var demo map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &demo))
	return func(keys ...string) (any, bool) {
		require.Equal(t, []string{"lictor", "demo"}, keys[:2])
		v, ok := demo[keys[2]]
		return v, ok
	}
}

const sound = `
views:
  members:
    of: {apiVersion: v1, kind: ConfigMap}
    group: /metadata/labels/example.com~1pool
    scope: {get: {apiVersion: v1, kind: Service}, fields: [/spec/type]}
    classify: lictor.demo.rank
    buckets: [good]
    fields: [/metadata/name]
reconcilers:
  things:
    for: {apiVersion: example.com/v1, kind: Thing}
    decision: lictor.demo.step
    gather:
      other: {get: {apiVersion: v1, kind: ConfigMap}, name: [/spec/other]}
      now: {get: {apiVersion: v1, kind: Pod}, name: [/spec/pod], live: true}
      members: {view: members, group: /spec/pool}
    watch:
      - {of: {apiVersion: v1, kind: ConfigMap}, key: /metadata/labels/thing, debounce: 200ms}
    effects:
      - {type: status}
      - {type: create, apiVersion: v1, kind: ConfigMap}
`

func TestLoad(t *testing.T) {
	r, err := registry.Load([]string{"demo"}, data(t, sound))
	require.NoError(t, err)
	require.Len(t, r.Reconcilers, 1)
	rec := r.Reconcilers[0]
	require.Equal(t, "demo.things", rec.ID())
	require.Equal(t, 4, rec.Workers, "the default")
	require.Equal(t, 1, rec.Gather["members"].Heads, "the default")
	require.Equal(t, "200ms", rec.Watch[0].Debounce.String())
	require.True(t, rec.Allows(decisionv1.EffectStatus, rec.For, ""), "an effect without a kind is on the object itself")
	require.True(t, rec.Allows(decisionv1.EffectCreate, registry.Kind{APIVersion: "v1", Kind: "ConfigMap"}, ""))
	require.False(t, rec.Allows(decisionv1.EffectDelete, registry.Kind{APIVersion: "v1", Kind: "ConfigMap"}, ""))
	require.NotNil(t, r.View("demo.members"))
	require.Nil(t, r.View("demo.none"))
	require.Equal(t, []registry.Kind{{APIVersion: "v1", Kind: "ConfigMap"}, {APIVersion: "v1", Kind: "Service"}, {APIVersion: "example.com/v1", Kind: "Thing"}},
		r.Kinds(), "what is read live needs no cache")
}

func TestLoadRefuses(t *testing.T) {
	reconciler := func(more string) string {
		return "reconcilers:\n  things:\n    for: {apiVersion: example.com/v1, kind: Thing}\n    decision: lictor.demo.step\n" + more
	}
	cases := map[string]struct{ reason, text, message string }{
		"unknown field":     {"it would mean nothing", reconciler("    gatherr: {}\n"), "gatherr"},
		"null":              {"it says nothing", "reconcilers: {things: null}", "null"},
		"no kind":           {"nothing to reconcile", "reconcilers: {things: {decision: d}}", "apiVersion and kind"},
		"no decision":       {"nobody to ask", "reconcilers: {things: {for: {apiVersion: v1, kind: Thing}}}", "decision"},
		"too many workers":  {"a typo must not start a million", reconciler("    workers: 1000000\n"), "1 to 64"},
		"pointer":           {"it is no JSON pointer", reconciler("    gather: {a: {get: {apiVersion: v1, kind: Pod}, name: [spec.name]}}\n"), "must start with /"},
		"get and view":      {"which of them?", reconciler("    gather: {a: {get: {apiVersion: v1, kind: Pod}, name: [/a], view: v}}\n"), "exactly one"},
		"get without name":  {"which object?", reconciler("    gather: {a: {get: {apiVersion: v1, kind: Pod}}}\n"), "name is needed"},
		"unknown view":      {"nothing to read", reconciler("    gather: {a: {view: v, group: /a}}\n"), "not registered"},
		"a Secret":          {"Secrets never enter a decision", reconciler("    gather: {a: {get: {apiVersion: v1, kind: Secret}, name: [/a]}}\n"), "Secrets"},
		"a watched Secret":  {"nor a cache", reconciler("    watch: [{of: {apiVersion: v1, kind: Secret}, key: /a}]\n"), "Secrets"},
		"key and match":     {"which of them?", reconciler("    watch: [{of: {apiVersion: v1, kind: Pod}, key: /a, match: /b}]\n"), "exactly one"},
		"unknown effect":    {"the vocabulary is closed", reconciler("    effects: [{type: exec}]\n"), "unknown effect"},
		"RBAC":              {"who may do what is not for a bundle", reconciler("    effects: [{type: create, apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}]\n"), "kernel rule 7"},
		"webhooks":          {"nor what the API server admits", reconciler("    effects: [{type: delete, apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration}]\n"), "kernel rule 7"},
		"writes a Secret":   {"nor credentials", reconciler("    effects: [{type: patch, apiVersion: v1, kind: Secret}]\n"), "kernel rule 7"},
		"any finalizer":     {"others' finalizers are theirs", reconciler("    effects: [{type: finalizer.remove}]\n"), "finalizer is needed"},
		"writes a Pod":      {"it could mount Secrets", reconciler("    effects: [{type: create, apiVersion: v1, kind: Pod}]\n"), "kernel rule 7"},
		"bad debounce":      {"it is no duration", reconciler("    watch: [{of: {apiVersion: v1, kind: Pod}, key: /a, debounce: soon}]\n"), "soon"},
		"view without rank": {"nobody to ask", "views: {v: {of: {apiVersion: v1, kind: Pod}, group: /a, buckets: [b], fields: [/a]}}", "classify"},
		"bucket holds":      {"decisions find something else there", "views: {v: {of: {apiVersion: v1, kind: Pod}, group: /a, classify: c, buckets: [holds], fields: [/a]}}", "holds"},
		"not a map":         {"registrations have names", "reconcilers: [1]", "reconcilers"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := registry.Load([]string{"demo"}, data(t, c.text))
			require.ErrorContains(t, err, c.message, c.reason)
			require.ErrorContains(t, err, "bundle demo")
		})
	}
}

func TestPointer(t *testing.T) {
	object := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a/b": "c", "~": "tilde"}}, "n": int64(1)}
	for text, want := range map[string]string{
		"/metadata/labels/a~1b": "c", "/metadata/labels/~0": "tilde", "/metadata/labels/none": "", "/n": "", "/n/deeper": "",
	} {
		p, err := registry.ParsePointer(text)
		require.NoError(t, err)
		require.Equal(t, want, p.Text(object), text)
	}
	a, err := registry.ParsePointer("/metadata/labels/a~1b")
	require.NoError(t, err)
	none, err := registry.ParsePointer("/none/at/all")
	require.NoError(t, err)
	require.Equal(t, map[string]any{"metadata": map[string]any{"labels": map[string]any{"a/b": "c"}}},
		registry.Project(object, []registry.Pointer{a, none}))
}

// TestRBAC pins the whole rendered RBAC of a registration: it must not grow by accident.
func TestRBAC(t *testing.T) {
	r, err := registry.Load([]string{"demo"}, data(t, sound))
	require.NoError(t, err)
	text, err := yaml.Marshal(registry.RBAC(r)[0])
	require.NoError(t, err)
	require.YAMLEq(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: lictor-controller
  labels: {app.kubernetes.io/component: controller, app.kubernetes.io/name: lictor}
rules:
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
- {apiGroups: [""], resources: [configmaps], verbs: [create, get, list, watch]}
- {apiGroups: [""], resources: [pods], verbs: [get]}
- {apiGroups: [""], resources: [services], verbs: [get, list, watch]}
- {apiGroups: [example.com], resources: [things], verbs: [get, list, watch]}
- {apiGroups: [example.com], resources: [things/finalizers], verbs: [update]}
- {apiGroups: [example.com], resources: [things/status], verbs: [patch]}
`, string(text))
}

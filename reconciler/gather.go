// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/reconciler/view"
	"github.com/lictor-dev/lictor/rego"
)

// facts is everything that one decision is made from.
type facts struct {
	object *unstructured.Unstructured
	now    time.Time
	// revision is the one that views ranked in and that decides.
	revision *rego.Revision
	groups   map[string]view.Group // gathered view to the group that was read
	entered  map[string]uint64     // gathered view to what had become available when it was read
	input    rego.Value
}

// relatedSource is a get source with what is known of its kind.
type relatedSource struct {
	registry.Source
	namespaced bool
}

// gather reads what the registration asks for. A nil result means that the object is gone; with an error, the facts are
// incomplete but say which object it is.
func (r *runner) gather(ctx context.Context, key types.NamespacedName) (*facts, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(r.registration.For.GVK())
	err := r.host.config.Cache.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", r.registration.For.Kind, key, err)
	}
	f := &facts{object: object, now: r.host.config.Now(), revision: r.generation.Active(), groups: map[string]view.Group{},
		entered: map[string]uint64{}}
	related, views := map[string]any{}, map[string]any{}
	for name, s := range r.related {
		if related[name], err = r.gatherRelated(ctx, object, s); err != nil {
			return f, fmt.Errorf("gathering %s: %w", name, err)
		}
	}
	for name, index := range r.views {
		s := r.registration.Gather[name]
		f.groups[name] = view.Group{Namespace: key.Namespace, Name: s.Group.Text(object.Object)}
		snapshot, err := index.Read(ctx, f.groups[name], s.Heads, s.Holds, key)
		if err != nil {
			return f, fmt.Errorf("gathering %s: %w", name, err)
		}
		if snapshot.Revision != f.revision {
			return r.gather(ctx, key) // another revision took over meanwhile: gather for that one
		}
		views[name], f.entered[name] = snapshot.Value, snapshot.Entered
	}
	f.input = rego.Lazy(map[string]any{
		"now": f.now.UnixNano(), "object": object.Object, "related": related, "views": rego.Lazy(views),
	})
	return f, nil
}

// gatherRelated reads one object; nil when nothing names it or it does not exist.
func (r *runner) gatherRelated(ctx context.Context, object *unstructured.Unstructured, s relatedSource) (any, error) {
	key := client.ObjectKey{}
	for _, p := range s.Name {
		if key.Name = p.Text(object.Object); key.Name != "" {
			break
		}
	}
	if key.Name == "" {
		return nil, nil
	}
	if s.namespaced {
		key.Namespace = object.GetNamespace()
	}
	var reader client.Reader = r.host.config.Cache
	if s.Live {
		reader = r.host.config.Client
	}
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(s.Get.GVK())
	err := reader.Get(ctx, key, found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found.Object, nil
}

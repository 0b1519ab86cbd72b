// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/registry"
)

// FieldOwner is the field manager of every write (reference: one manager per writer).
const FieldOwner = client.FieldOwner("lictor.dev/controller")

// Recorder writes Kubernetes Events.
type Recorder interface {
	Event(object *unstructured.Unstructured, eventType, reason, message string)
}

// Assumptions hides members that a claim is about to take from the decisions of others; view.Index is one.
type Assumptions interface {
	Assume(uid types.UID, by types.NamespacedName) bool
	Written(uid types.UID, by types.NamespacedName, resourceVersion string)
	Release(by types.NamespacedName)
}

// Kernel holds what effects need. All fields are required.
type Kernel struct {
	// Client writes, and reads live.
	Client client.Client
	// Cache reads what informers have seen. Its objects are shared and must not be changed.
	Cache client.Reader
	// Fence returns an error when this process is not, or soon will not be, the leader.
	Fence func() error
	// Events records Events.
	Events Recorder
}

// Write is one write that happened. The next pass waits until the cache has seen it.
type Write struct {
	Kind            schema.GroupVersionKind
	Name            types.NamespacedName
	UID             types.UID
	ResourceVersion string
	Deleted         bool
	Created         bool
}

// Pass is one turn of one object: its state, advanced by every write, and the record of the writes.
type Pass struct {
	// Registration says which effects are allowed.
	Registration *registry.Reconciler
	// Object is the reconciled object as it was gathered.
	Object *unstructured.Unstructured
	// Now is the instant of the decision.
	Now time.Time
	// Assumed is where members are hidden while they are taken.
	Assumed []Assumptions
	// Writes are the writes so far.
	Writes []Write

	bound string // the member that this pass bound
}

func (p *Pass) key() types.NamespacedName {
	return types.NamespacedName{Namespace: p.Object.GetNamespace(), Name: p.Object.GetName()}
}

func (p *Pass) kind() registry.Kind { return p.Registration.For }

func (p *Pass) isClaim() bool { return isClaim(p.kind().GVK()) }

// Perform carries out one effect. A nil error means that it is done or was already so.
func (k *Kernel) Perform(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	switch e.Type {
	case decisionv1.EffectFinalizerAdd:
		return k.addFinalizer(ctx, p, e)
	case decisionv1.EffectFinalizerRemove:
		return k.removeFinalizer(ctx, p, e)
	case decisionv1.EffectBind:
		return k.bind(ctx, p, e)
	case decisionv1.EffectCreate:
		return k.create(ctx, p, e)
	case decisionv1.EffectPatch:
		return k.patchTarget(ctx, p, e)
	case decisionv1.EffectApply:
		return k.apply(ctx, p, e)
	case decisionv1.EffectDelete:
		return k.delete(ctx, p, e)
	case decisionv1.EffectStatus:
		return k.status(ctx, p, e)
	case decisionv1.EffectEvent:
		return k.event(p, e)
	default:
		return refuse(RuleRegistered, string(e.Type), "there is no such effect")
	}
}

// allowed enforces rule 7: an effect outside the registration's list, or on a kind that no bundle may write, is refused.
func (p *Pass) allowed(t decisionv1.EffectType, on registry.Kind) error {
	return p.allowedFor(t, on, "")
}

func (p *Pass) allowedFor(t decisionv1.EffectType, on registry.Kind, finalizer string) error {
	if err := registry.MayWrite(on); err != nil {
		return refuse(RuleRegistered, string(t), "%v", err)
	}
	if !p.Registration.Allows(t, on, finalizer) {
		return refuse(RuleRegistered, string(t), "registration %s does not list it for %s", p.Registration.ID(), on.Kind)
	}
	return nil
}

// mergePatch sends a JSON merge patch and returns the object that the API server answered.
func (k *Kernel) mergePatch(ctx context.Context, of *unstructured.Unstructured, patch map[string]any) (*unstructured.Unstructured, error) {
	out := handle(of)
	return out, k.send(ctx, out, patch, "")
}

// patchKnown sends a JSON merge patch of which only the resulting metadata is not known beforehand. Only that comes back:
// encoding and decoding whole objects costs the API server and this process more than deciding.
func (k *Kernel) patchKnown(ctx context.Context, of *unstructured.Unstructured, patch map[string]any, subresource string) (*metav1.PartialObjectMetadata, error) {
	out := &metav1.PartialObjectMetadata{}
	out.SetGroupVersionKind(of.GroupVersionKind())
	out.SetNamespace(of.GetNamespace())
	out.SetName(of.GetName())
	return out, k.send(ctx, out, patch, subresource)
}

// send patches the object that out names and reads the answer into it.
func (k *Kernel) send(ctx context.Context, out client.Object, patch map[string]any, subresource string) error {
	if err := k.Fence(); err != nil {
		return &LostLeadership{err}
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("encoding patch: %w", err)
	}
	raw := client.RawPatch(types.MergePatchType, body)
	if subresource == "" {
		err = k.Client.Patch(ctx, out, raw, FieldOwner)
	} else {
		err = k.Client.SubResource(subresource).Patch(ctx, out, raw, FieldOwner)
	}
	if err != nil {
		return fmt.Errorf("patching %s %s: %w", out.GetObjectKind().GroupVersionKind().Kind, out.GetName(), err)
	}
	return nil
}

// patchSelf patches the reconciled object with its resourceVersion as precondition, and advances it.
func (k *Kernel) patchSelf(ctx context.Context, p *Pass, metadata map[string]any) error {
	metadata["resourceVersion"] = p.Object.GetResourceVersion()
	metadata["uid"] = string(p.Object.GetUID())
	out, err := k.patchKnown(ctx, p.Object, map[string]any{"metadata": metadata}, "")
	if err != nil {
		return err
	}
	return p.advanceTo(out, p.Object.Object["status"])
}

// advance records a write of the reconciled object and makes its answer the present state.
func (p *Pass) advance(written *unstructured.Unstructured) {
	p.Object = written
	p.record(written)
}

// advanceTo records a write of the reconciled object, of which the metadata was answered and the status is known.
func (p *Pass) advanceTo(written *metav1.PartialObjectMetadata, status any) error {
	written.ManagedFields = nil
	metadata, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&written.ObjectMeta)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	next := maps.Clone(p.Object.Object)
	next["metadata"] = metadata
	if status != nil {
		next["status"] = status
	}
	p.advance(&unstructured.Unstructured{Object: next})
	return nil
}

func (p *Pass) record(written client.Object) {
	p.Writes = append(p.Writes, Write{
		Kind: written.GetObjectKind().GroupVersionKind(), Name: client.ObjectKeyFromObject(written), UID: written.GetUID(),
		ResourceVersion: written.GetResourceVersion(),
	})
}

// handle returns an object that only says which one it is.
func handle(of *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(of.GroupVersionKind())
	out.SetNamespace(of.GetNamespace())
	out.SetName(of.GetName())
	return out
}

func blank(kind registry.Kind) *unstructured.Unstructured {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind.GVK())
	return out
}

// The kinds that rules speak of.
func claimKind() registry.Kind {
	return registry.Kind{APIVersion: banlieue.GroupVersion.String(), Kind: "VirtualMachineClaim"}
}

func poolKind() registry.Kind {
	return registry.Kind{APIVersion: banlieue.GroupVersion.String(), Kind: "VirtualMachinePool"}
}

func machineKind() registry.Kind {
	return registry.Kind{APIVersion: banlieue.GroupVersion.String(), Kind: "VirtualMachine"}
}

// Rules hold for a kind in every version that the API server may serve.
func isClaim(gvk schema.GroupVersionKind) bool {
	return gvk.GroupKind() == claimKind().GVK().GroupKind()
}

func isMachine(gvk schema.GroupVersionKind) bool {
	return gvk.GroupKind() == machineKind().GVK().GroupKind()
}

func conflict(of *unstructured.Unstructured, why error) error {
	return apierrors.NewConflict(schema.GroupResource{Group: of.GroupVersionKind().Group, Resource: of.GetKind()}, of.GetName(), why)
}

// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

func (k *Kernel) addFinalizer(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	if err := p.allowedFor(e.Type, p.kind(), e.Finalizer); err != nil {
		return err
	}
	have := p.Object.GetFinalizers()
	if slices.Contains(have, e.Finalizer) || p.Object.GetDeletionTimestamp() != nil {
		return nil // the API server accepts no new finalizer on an object that is being deleted
	}
	return k.patchSelf(ctx, p, map[string]any{"finalizers": append(slices.Clone(have), e.Finalizer)})
}

func (k *Kernel) removeFinalizer(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	if err := p.allowedFor(e.Type, p.kind(), e.Finalizer); err != nil {
		return err
	}
	have := p.Object.GetFinalizers()
	if !slices.Contains(have, e.Finalizer) {
		return nil
	}
	if err := k.mayRemoveFinalizer(ctx, p, e); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(have), func(f string) bool { return f == e.Finalizer })
	if err := k.patchSelf(ctx, p, map[string]any{"finalizers": left}); err != nil {
		return err
	}
	p.release()
	return nil
}

// mayRemoveFinalizer enforces rules 3 and 5.
func (k *Kernel) mayRemoveFinalizer(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	switch e.Finalizer {
	case banlieue.FinalizerClaim:
		if p.Object.GetDeletionTimestamp() == nil {
			return refuse(RuleClaimProtection, string(e.Type), "the claim is not being deleted")
		}
		return k.proveReleased(ctx, p, e)
	case banlieue.FinalizerVirtualMachine, banlieue.FinalizerLibvirtMachine, banlieue.FinalizerVSphereMachine:
		return refuse(RuleMachineFinalizer, string(e.Type), "no backend has said that what %s protects is absent", e.Finalizer)
	default:
		return nil
	}
}

// proveReleased enforces rule 3: it asks the API server for every member that carries this claim, and makes sure that
// nobody can still finish the claim's bind intent.
func (k *Kernel) proveReleased(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	members := &metav1.PartialObjectMetadataList{}
	members.SetGroupVersionKind(machineKind().GVK().GroupVersion().WithKind("VirtualMachineList"))
	err := k.Client.List(ctx, members, client.InNamespace(p.Object.GetNamespace()),
		client.MatchingLabels{banlieue.LabelClaim: p.Object.GetName()})
	if err != nil {
		return fmt.Errorf("listing the claim's members: %w", err)
	}
	for i := range members.Items {
		if ownedBy(&members.Items[i], p.Object.GetUID()) {
			return refuse(RuleClaimProtection, string(e.Type), "member %s still carries the claim", members.Items[i].Name)
		}
	}
	if ref := boundTo(p.Object); ref != "" {
		// By name as well: somebody may have taken the label off.
		member, err := k.liveMember(ctx, p.Object.GetNamespace(), ref)
		if err != nil {
			return err
		}
		if member != nil && ownedBy(member, p.Object.GetUID()) {
			return refuse(RuleClaimProtection, string(e.Type), "member %s still belongs to the claim", ref)
		}
	}
	return k.fenceIntent(ctx, p, e)
}

// fenceIntent makes an unfinished bind intent impossible to finish. A former leader may have a write of the intended
// member under way that knows its resourceVersion; writing the member once moves that on, and whoever then finds the
// member changed reads the claim again before it tries again.
func (k *Kernel) fenceIntent(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	name, uid := intentOf(p.Object)
	if uid == "" {
		return nil
	}
	member, err := k.liveMember(ctx, p.Object.GetNamespace(), name)
	if err != nil || member == nil || string(member.GetUID()) != uid {
		return err
	}
	if ownedBy(member, p.Object.GetUID()) {
		return refuse(RuleClaimProtection, string(e.Type), "member %s carries the claim", name)
	}
	if member.GetDeletionTimestamp() != nil || isClaimed(member) || isFenced(member, p.Object) {
		return nil // it cannot become this claim's any more
	}
	target := blank(machineKind())
	target.SetNamespace(p.Object.GetNamespace())
	target.SetName(name)
	out, err := k.patchKnown(ctx, target, map[string]any{"metadata": map[string]any{
		"uid": uid, "resourceVersion": member.GetResourceVersion(),
		"annotations": map[string]any{annotationFenced: string(p.Object.GetUID())},
	}}, "")
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	p.record(out)
	return nil
}

// annotationFenced on a free member is the UID of a claim that was released with an unfinished intent to take it.
const annotationFenced = "lictor.dev/released-intent-of"

func isFenced(member metav1.Object, claim *unstructured.Unstructured) bool {
	return member.GetAnnotations()[annotationFenced] == string(claim.GetUID())
}

func (k *Kernel) liveMember(ctx context.Context, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	member := &metav1.PartialObjectMetadata{}
	member.SetGroupVersionKind(machineKind().GVK())
	err := k.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, member)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading member %s: %w", name, err)
	}
	return member, nil
}

func intentOf(claim *unstructured.Unstructured) (name, uid string) {
	a := claim.GetAnnotations()
	return a[banlieue.AnnotationBindIntent], a[banlieue.AnnotationBindIntentUID]
}

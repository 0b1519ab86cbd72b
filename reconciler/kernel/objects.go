// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/reconciler/registry"
)

// generatedSuffix is the length of the random part of a generated name, as the API server makes it.
const generatedSuffix = 5

// create makes an object that the reconciled object owns. Its name is settled and remembered before the request is sent:
// when the answer is lost, the next pass waits until it is known whether the object exists, and does not make another.
func (k *Kernel) create(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	object, err := p.owned(e)
	if err != nil {
		return err
	}
	if object.GetName() == "" {
		base := object.GetGenerateName()
		object.SetName(base[:min(len(base), maxGeneratedBase)] + rand.String(generatedSuffix))
	}
	if err := k.Fence(); err != nil {
		return &LostLeadership{err}
	}
	kind, name := object.GroupVersionKind(), client.ObjectKeyFromObject(object)
	err = k.Client.Create(ctx, object, FieldOwner)
	if apierrors.IsAlreadyExists(err) {
		return k.existing(ctx, p, e, object)
	}
	if err != nil {
		if isAmbiguous(err) {
			p.Writes = append(p.Writes, Write{Kind: kind, Name: name, Created: true})
		}
		return fmt.Errorf("creating %s: %w", kind.Kind, err)
	}
	p.recordCreated(object)
	return nil
}

// maxGeneratedBase is how much of generateName the API server keeps.
const maxGeneratedBase = 58

// existing accepts an object of the name that is to be created if it is the reconciled object's own.
func (k *Kernel) existing(ctx context.Context, p *Pass, e *decisionv1.Effect, object *unstructured.Unstructured) error {
	live := handle(object)
	if err := k.Client.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
		return fmt.Errorf("reading %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	if !ownedBy(live, p.Object.GetUID()) {
		return refuse(RuleOwnObjects, string(e.Type), "%s %s exists and does not belong to %s", object.GetKind(), object.GetName(), p.Object.GetName())
	}
	p.recordCreated(live)
	return nil
}

func (p *Pass) recordCreated(object *unstructured.Unstructured) {
	p.record(object)
	p.Writes[len(p.Writes)-1].Created = true
}

// isAmbiguous tells whether a write that failed may have happened all the same.
func isAmbiguous(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsInternalError(err)
}

// apply server-side applies an object that the reconciled object owns, without force: a conflict with another writer is
// an error, not a fight.
func (k *Kernel) apply(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	object, err := p.owned(e)
	if err != nil {
		return err
	}
	existing := handle(object)
	err = k.Client.Get(ctx, client.ObjectKeyFromObject(object), existing)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("reading %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	if err == nil && !ownedBy(existing, p.Object.GetUID()) {
		return refuse(RuleOwnObjects, string(e.Type), "%s %s exists and does not belong to %s", object.GetKind(), object.GetName(), p.Object.GetName())
	}
	if err := k.Fence(); err != nil {
		return &LostLeadership{err}
	}
	owner := client.FieldOwner("lictor.dev/" + p.Registration.ID())
	if err := k.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), owner); err != nil {
		return fmt.Errorf("applying %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	p.recordCreated(object)
	return nil
}

// owned returns the effect's object in the reconciled object's namespace with the reconciled object as its controller.
func (p *Pass) owned(e *decisionv1.Effect) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(e.Object)}
	kind := registry.Kind{APIVersion: object.GetAPIVersion(), Kind: object.GetKind()}
	if err := p.allowed(e.Type, kind); err != nil {
		return nil, err
	}
	if isMachine(kind.GVK()) && p.isClaim() {
		return nil, refuse(RuleOneMemberPerClaim, string(e.Type), "a claim takes a member by bind alone")
	}
	if ns := object.GetNamespace(); ns != "" && ns != p.Object.GetNamespace() {
		return nil, refuse(RuleOwnObjects, string(e.Type), "namespace %s is not the object's own", ns)
	}
	if err := guard(e.Type, object.Object); err != nil {
		return nil, err
	}
	object.SetNamespace(p.Object.GetNamespace())
	if err := unstructured.SetNestedSlice(object.Object, []any{ownerReference(p.Object)}, "metadata", "ownerReferences"); err != nil {
		return nil, refuse(RuleOwnObjects, string(e.Type), "metadata is not an object: %v", err)
	}
	return object, nil
}

// patchTarget patches an object that the reconciled object owns, or the object itself.
func (k *Kernel) patchTarget(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	target, err := k.target(ctx, p, e)
	if err != nil || target == nil {
		return err
	}
	if err := guard(e.Type, e.Patch); err != nil {
		return err
	}
	if rv := e.Target.ResourceVersion; rv != "" && rv != target.GetResourceVersion() {
		return conflict(target, fmt.Errorf("policy saw resourceVersion %s, it is %s", rv, target.GetResourceVersion()))
	}
	patch := runtime.DeepCopyJSON(e.Patch)
	metadata, _ := patch["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"], metadata["resourceVersion"] = e.Target.UID, target.GetResourceVersion()
	out, err := k.mergePatch(ctx, target, patch)
	if err != nil {
		return err
	}
	if target.GetUID() == p.Object.GetUID() {
		p.advance(out)
	} else {
		p.record(out)
	}
	return nil
}

// target finds the object that an effect names, in the cache; nil if it is gone. It enforces rule 10: only the object
// itself and what it owns.
func (k *Kernel) target(ctx context.Context, p *Pass, e *decisionv1.Effect) (*unstructured.Unstructured, error) {
	kind := registry.Kind{APIVersion: e.Target.APIVersion, Kind: e.Target.Kind}
	if err := p.allowed(e.Type, kind); err != nil {
		return nil, err
	}
	if kind == p.kind() && e.Target.UID == string(p.Object.GetUID()) {
		return p.Object, nil
	}
	found := blank(kind)
	err := k.Cache.Get(ctx, types.NamespacedName{Namespace: p.Object.GetNamespace(), Name: e.Target.Name}, found)
	if apierrors.IsNotFound(err) || err == nil && string(found.GetUID()) != e.Target.UID {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", kind.Kind, e.Target.Name, err)
	}
	if !ownedBy(found, p.Object.GetUID()) {
		return nil, refuse(RuleOwnObjects, string(e.Type), "%s %s does not belong to %s", kind.Kind, e.Target.Name, p.Object.GetName())
	}
	return found, nil
}

// guardedMetadata are the parts of metadata that only effects of their own may write.
func guardedMetadata() []string {
	return []string{"finalizers", "ownerReferences", "resourceVersion", "uid", "generation", "deletionTimestamp",
		"deletionGracePeriodSeconds", "creationTimestamp", "managedFields", "selfLink"}
}

// guard refuses content that would go around the rules: ownership, finalizers, bindings and status have effects of their
// own.
func guard(t decisionv1.EffectType, content map[string]any) error {
	if _, ok := content["status"]; ok {
		return refuse(RuleRegistered, string(t), "status is written by the status effect")
	}
	raw, ok := content["metadata"]
	if !ok {
		return nil
	}
	metadata, ok := raw.(map[string]any)
	if !ok {
		return refuse(RuleRegistered, string(t), "metadata is not an object")
	}
	for _, field := range guardedMetadata() {
		if _, ok := metadata[field]; ok {
			return refuse(RuleRegistered, string(t), "metadata.%s is not for a bundle to write", field)
		}
	}
	return guardKeys(t, metadata)
}

// guardKeys refuses labels and annotations that say who has what.
func guardKeys(t decisionv1.EffectType, metadata map[string]any) error {
	for _, section := range []string{"labels", "annotations"} {
		raw, ok := metadata[section]
		if !ok {
			continue
		}
		keys, ok := raw.(map[string]any)
		if !ok { // null would take off all of them
			return refuse(RuleRegistered, string(t), "metadata.%s is not an object", section)
		}
		for key := range maps.Keys(keys) {
			if slices.Contains(bindingKeys(), key) {
				return refuse(RuleOneClaimPerMember, string(t), "%s is written by the bind effect", key)
			}
		}
	}
	return nil
}

// bindingKeys are the labels and annotations that say who has what.
func bindingKeys() []string {
	return []string{banlieue.LabelClaim, banlieue.AnnotationClaimSubjectIssuer, banlieue.AnnotationClaimSubjectID,
		banlieue.AnnotationBindIntent, banlieue.AnnotationBindIntentUID, annotationFenced}
}

// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// bindAttempts bounds how often a member whose status merely moved is tried again. Status moves a few times a minute.
const bindAttempts = 5

// bind runs the first two writes of the bind protocol: the intent on the claim, then the claim on the member. The third
// write, the claim's status, is an effect of its own.
func (k *Kernel) bind(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	if err := p.allowed(e.Type, machineKind()); err != nil {
		return err
	}
	if err := p.mayTake(e); err != nil {
		return err
	}
	member, mine, err := k.memberToBind(ctx, p, e)
	if err != nil {
		return err
	}
	if !p.assume(member.GetUID()) {
		return &Taken{Member: client.ObjectKeyFromObject(member), Why: "another claim is about to take it"}
	}
	wrote, err := k.writeIntent(ctx, p, e)
	if err != nil {
		if _, uid := intentOf(p.Object); uid != e.Member.UID {
			p.release()
		}
		return err
	}
	if !mine {
		if err := k.writeMember(ctx, p, e, member, wrote); err != nil {
			return err
		}
	}
	p.bound = e.Member.Name
	return nil
}

// mayTake enforces rule 2 on the claim's side.
func (p *Pass) mayTake(e *decisionv1.Effect) error {
	if !p.isClaim() {
		return refuse(RuleRegistered, string(e.Type), "only a VirtualMachineClaim binds, not a %s", p.kind().Kind)
	}
	if p.bound != "" && p.bound != e.Member.Name {
		return refuse(RuleOneMemberPerClaim, string(e.Type), "this pass has bound member %s already", p.bound)
	}
	if err := p.mayAttribute(e); err != nil {
		return err
	}
	if ref := boundTo(p.Object); ref != "" {
		return refuse(RuleOneMemberPerClaim, string(e.Type), "the claim holds member %s already", ref)
	}
	if p.Object.GetDeletionTimestamp() != nil {
		return refuse(RuleOneMemberPerClaim, string(e.Type), "a claim that is being deleted takes no member")
	}
	return nil
}

// mayAttribute holds a bundle to the truth: a member is attributed to the claim's subject, and to nobody else.
func (p *Pass) mayAttribute(e *decisionv1.Effect) error {
	issuer, _, _ := unstructured.NestedString(p.Object.Object, "spec", "subject", "issuer")
	id, _, _ := unstructured.NestedString(p.Object.Object, "spec", "subject", "id")
	truth := map[string]string{banlieue.AnnotationClaimSubjectIssuer: issuer, banlieue.AnnotationClaimSubjectID: id}
	for key, value := range e.Annotations {
		if want, ok := truth[key]; !ok || value != want {
			return refuse(RuleOneClaimPerMember, string(e.Type), "annotation %s is not the claim's subject", key)
		}
	}
	return nil
}

// memberToBind reads the member and enforces rule 1. It tells whether the member carries this claim already, as it does
// when an earlier bind was interrupted.
func (k *Kernel) memberToBind(ctx context.Context, p *Pass, e *decisionv1.Effect) (*unstructured.Unstructured, bool, error) {
	member := blank(machineKind())
	name := types.NamespacedName{Namespace: p.Object.GetNamespace(), Name: e.Member.Name}
	err := k.Cache.Get(ctx, name, member)
	if apierrors.IsNotFound(err) || err == nil && string(member.GetUID()) != e.Member.UID {
		return nil, false, &Taken{Member: name, Why: "it is gone"}
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading member %s: %w", name, err)
	}
	if carries(member, p.Object) {
		return member, true, nil
	}
	why := k.whyNotFree(ctx, p, member)
	switch {
	case why == "":
		return member, false, nil
	case member.GetResourceVersion() == e.Member.ResourceVersion:
		return nil, false, refuse(RuleOneClaimPerMember, string(e.Type), "member %s %s", name.Name, why)
	default:
		return nil, false, &Taken{Member: name, Why: why} // policy saw an earlier state
	}
}

// whyNotFree says what keeps a member from being bound, empty if nothing does.
func (k *Kernel) whyNotFree(ctx context.Context, p *Pass, member *unstructured.Unstructured) string {
	if isClaimed(member) {
		return "is claimed by " + member.GetLabels()[banlieue.LabelClaim]
	}
	if member.GetDeletionTimestamp() != nil {
		return "is being deleted"
	}
	if isFenced(member, p.Object) {
		return "was let go by this claim, which is over"
	}
	poolName := poolNameOf(p.Object)
	pool := blank(poolKind())
	if err := k.Cache.Get(ctx, types.NamespacedName{Namespace: p.Object.GetNamespace(), Name: poolName}, pool); err != nil {
		return fmt.Sprintf("cannot be shown to belong to pool %s: %v", poolName, err)
	}
	if !ownedBy(member, pool.GetUID()) {
		return "does not belong to pool " + poolName
	}
	return ""
}

// writeIntent is the first write: the finalizer and the intended member, on the claim, with its resourceVersion.
// It tells whether it had to write.
func (k *Kernel) writeIntent(ctx context.Context, p *Pass, e *decisionv1.Effect) (bool, error) {
	name, uid := intentOf(p.Object)
	have := p.Object.GetFinalizers()
	protected := slices.Contains(have, banlieue.FinalizerClaim)
	if uid == e.Member.UID && protected {
		return false, nil
	}
	if uid != "" && uid != e.Member.UID {
		if err := k.proveIntentLost(ctx, p, e, name, uid); err != nil {
			return false, err
		}
	}
	metadata := map[string]any{"annotations": map[string]any{
		banlieue.AnnotationBindIntent:    e.Member.Name,
		banlieue.AnnotationBindIntentUID: e.Member.UID,
	}}
	if !protected {
		metadata["finalizers"] = append(slices.Clone(have), banlieue.FinalizerClaim)
	}
	return true, k.patchSelf(ctx, p, metadata)
}

// proveIntentLost enforces rule 2 for a claim that intended another member before: only a live read that shows that
// member taken, going or gone allows a new intent, since otherwise a former leader could still finish the old one.
func (k *Kernel) proveIntentLost(ctx context.Context, p *Pass, e *decisionv1.Effect, name, uid string) error {
	old, err := k.liveMember(ctx, p.Object.GetNamespace(), name)
	if err != nil {
		return err
	}
	if old == nil || string(old.GetUID()) != uid {
		return nil
	}
	if ownedBy(old, p.Object.GetUID()) {
		return refuse(RuleOneMemberPerClaim, string(e.Type), "member %s carries the claim already", name)
	}
	// By the pool's name, since a former leader may know the pool by an earlier UID. A member of another pool was never
	// allowed: somebody else wrote that intent.
	ofPool := belongsTo(old, poolKind().Kind, poolNameOf(p.Object))
	if ofPool && old.GetDeletionTimestamp() == nil && !isClaimed(old) && !isFenced(old, p.Object) {
		return refuse(RuleOneMemberPerClaim, string(e.Type), "the claim intends to take member %s, which is still free", name)
	}
	return nil
}

// writeMember is the second write: one merge patch with the member's resourceVersion that labels it, attributes it, and
// makes the claim its only owner. An intent that was not written just now may be older than this process's cache: then the
// member and the claim are read first.
func (k *Kernel) writeMember(ctx context.Context, p *Pass, e *decisionv1.Effect, seen *unstructured.Unstructured, justIntended bool) error {
	name := client.ObjectKeyFromObject(seen)
	resourceVersion, check := seen.GetResourceVersion(), !justIntended
	for range bindAttempts {
		if check {
			member, err := k.stillToBind(ctx, p, e)
			if err != nil {
				return err
			}
			if carries(member, p.Object) {
				p.bindWritten(member)
				return nil
			}
			resourceVersion = member.GetResourceVersion()
		}
		written, err := k.patchMember(ctx, p, e, resourceVersion)
		switch {
		case err == nil:
			p.bindWritten(written)
			return nil
		case apierrors.IsNotFound(err):
			return &Taken{Member: name, Why: "it is gone"}
		case !apierrors.IsConflict(err):
			return err
		}
		check = true
	}
	return conflict(seen, errors.New("the member keeps changing"))
}

// stillToBind tells a member that merely moved from one that is not to be had. The member is read before the claim: a
// claim that is released after this read has its intended member written, and the next patch fails.
func (k *Kernel) stillToBind(ctx context.Context, p *Pass, e *decisionv1.Effect) (*metav1.PartialObjectMetadata, error) {
	name := types.NamespacedName{Namespace: p.Object.GetNamespace(), Name: e.Member.Name}
	member, err := k.liveMember(ctx, name.Namespace, name.Name)
	if err != nil {
		return nil, err
	}
	if member == nil || string(member.GetUID()) != e.Member.UID {
		return nil, &Taken{Member: name, Why: "it is gone"}
	}
	if carries(member, p.Object) {
		return member, nil
	}
	if isClaimed(member) || member.GetDeletionTimestamp() != nil || isFenced(member, p.Object) {
		p.hideUntil(member)
		return nil, &Taken{Member: name, Why: "it was claimed, deleted or let go meanwhile"}
	}
	claim := handle(p.Object)
	if err := k.Client.Get(ctx, p.key(), claim); err != nil {
		return nil, fmt.Errorf("reading the claim again: %w", err)
	}
	if _, uid := intentOf(claim); uid != e.Member.UID || claim.GetUID() != p.Object.GetUID() || claim.GetDeletionTimestamp() != nil {
		return nil, conflict(p.Object, errors.New("the claim was deleted or chose again meanwhile"))
	}
	return member, nil
}

func (k *Kernel) patchMember(ctx context.Context, p *Pass, e *decisionv1.Effect, resourceVersion string) (*metav1.PartialObjectMetadata, error) {
	annotations := map[string]any{}
	for key, v := range e.Annotations {
		annotations[key] = v
	}
	target := blank(machineKind())
	target.SetNamespace(p.Object.GetNamespace())
	target.SetName(e.Member.Name)
	return k.patchKnown(ctx, target, map[string]any{"metadata": map[string]any{
		"uid":             e.Member.UID,
		"resourceVersion": resourceVersion,
		"labels":          map[string]any{banlieue.LabelClaim: p.Object.GetName()},
		"annotations":     annotations,
		"ownerReferences": []any{ownerReference(p.Object)},
	}}, "")
}

func (p *Pass) bindWritten(member client.Object) {
	p.Writes = append(p.Writes, Write{Kind: machineKind().GVK(), Name: client.ObjectKeyFromObject(member),
		UID: member.GetUID(), ResourceVersion: member.GetResourceVersion()})
	p.hideUntil(member)
}

// hideUntil keeps a member hidden from other claims until the cache has seen this state of it.
func (p *Pass) hideUntil(member client.Object) {
	for _, a := range p.Assumed {
		a.Written(member.GetUID(), p.key(), member.GetResourceVersion())
	}
}

// release ends what this claim hides and has not written.
func (p *Pass) release() {
	for _, a := range p.Assumed {
		a.Release(p.key())
	}
}

// assume hides a member everywhere or nowhere: two claims that each hid it in one view would keep it from everybody.
func (p *Pass) assume(uid types.UID) bool {
	for _, a := range p.Assumed {
		if !a.Assume(uid, p.key()) {
			p.release()
			return false
		}
	}
	return true
}

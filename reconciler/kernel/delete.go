// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
)

// delete removes an object that the reconciled object owns, or the object itself, in the background.
func (k *Kernel) delete(ctx context.Context, p *Pass, e *decisionv1.Effect) error {
	target, err := k.target(ctx, p, e)
	if err != nil || target == nil {
		return err
	}
	if target.GetDeletionTimestamp() != nil {
		return nil
	}
	preconditions := client.Preconditions{UID: uidOf(e.Target.UID)}
	if rv := e.Target.ResourceVersion; rv != "" {
		preconditions.ResourceVersion = &rv
	}
	if err := p.mayDelete(e, target, &preconditions); err != nil {
		return err
	}
	if err := k.Fence(); err != nil {
		return &LostLeadership{err}
	}
	err = k.Client.Delete(ctx, handle(target), preconditions, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s %s: %w", target.GetKind(), target.GetName(), err)
	}
	p.Writes = append(p.Writes, Write{Kind: target.GroupVersionKind(), Name: client.ObjectKeyFromObject(target),
		UID: target.GetUID(), Deleted: true})
	return nil
}

// mayDelete enforces rule 4: a claimed member goes only with its own claim, when that is deleted or past its deadline;
// a claim that holds, or may hold, a member is not deleted before its deadline, unless its owner is being deleted.
func (p *Pass) mayDelete(e *decisionv1.Effect, target *unstructured.Unstructured, preconditions *client.Preconditions) error {
	switch {
	case isClaim(target.GroupVersionKind()):
		ownerGoes := target.GetUID() != p.Object.GetUID() && p.Object.GetDeletionTimestamp() != nil
		if _, intent := intentOf(target); (boundTo(target) != "" || intent != "") && !ownerGoes && !pastDeadline(target, p.Now) {
			return refuse(RuleReleaseOnly, string(e.Type), "the claim holds a member and its deadline has not passed")
		}
	case !isMachine(target.GroupVersionKind()):
		return nil
	case !p.isClaim() && isClaimed(target):
		return refuse(RuleReleaseOnly, string(e.Type), "member %s is claimed by %s", target.GetName(), target.GetLabels()[banlieue.LabelClaim])
	case !p.isClaim():
		return freeAt(target, preconditions)
	case p.Object.GetDeletionTimestamp() == nil && !pastDeadline(p.Object, p.Now):
		return refuse(RuleReleaseOnly, string(e.Type), "the claim is neither deleted nor past its deadline")
	}
	return nil
}

// freeAt adds the resourceVersion at which a member was seen to be free: the delete must fail if a claim takes it meanwhile.
func freeAt(target *unstructured.Unstructured, preconditions *client.Preconditions) error {
	rv := target.GetResourceVersion()
	if preconditions.ResourceVersion != nil && *preconditions.ResourceVersion != rv {
		return conflict(target, fmt.Errorf("policy saw resourceVersion %s, it is %s", *preconditions.ResourceVersion, rv))
	}
	preconditions.ResourceVersion = &rv
	return nil
}

// pastDeadline tells whether a claim's recorded deadline has passed at an instant.
func pastDeadline(claim *unstructured.Unstructured, now time.Time) bool {
	text, _, _ := unstructured.NestedString(claim.Object, "status", "expiresAt")
	deadline, err := time.Parse(time.RFC3339, text)
	return err == nil && !now.Before(deadline)
}

func uidOf(s string) *types.UID {
	uid := types.UID(s)
	return &uid
}

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
// a claim that holds, or may hold, a member is not deleted before its deadline.
func (p *Pass) mayDelete(e *decisionv1.Effect, target *unstructured.Unstructured, preconditions *client.Preconditions) error {
	switch {
	case target.GetUID() == p.Object.GetUID() && p.kind() == claimKind():
		if _, intent := intentOf(p.Object); (boundTo(p.Object) != "" || intent != "") && !p.pastDeadline() {
			return refuse(RuleReleaseOnly, string(e.Type), "the claim holds a member and its deadline has not passed")
		}
	case target.GroupVersionKind() != machineKind().GVK():
		return nil
	case target.GetLabels()[banlieue.LabelClaim] == "" && p.kind() != claimKind():
		// Free as far as the cache knows: the write must fail if a claim takes it meanwhile.
		rv := target.GetResourceVersion()
		if preconditions.ResourceVersion == nil {
			preconditions.ResourceVersion = &rv
		}
		if *preconditions.ResourceVersion != rv {
			return apierrors.NewConflict(banlieue.GroupVersion.WithResource("virtualmachines").GroupResource(), target.GetName(),
				fmt.Errorf("policy saw resourceVersion %s, it is %s", *preconditions.ResourceVersion, rv))
		}
	case p.kind() != claimKind():
		return refuse(RuleReleaseOnly, string(e.Type), "member %s is claimed by %s", target.GetName(), target.GetLabels()[banlieue.LabelClaim])
	case p.Object.GetDeletionTimestamp() == nil && !p.pastDeadline():
		return refuse(RuleReleaseOnly, string(e.Type), "the claim is neither deleted nor past its deadline")
	}
	return nil
}

// pastDeadline tells whether the claim's recorded deadline has passed at the instant of the decision.
func (p *Pass) pastDeadline() bool {
	text, _, _ := unstructured.NestedString(p.Object.Object, "status", "expiresAt")
	deadline, err := time.Parse(time.RFC3339, text)
	return err == nil && !p.Now.Before(deadline)
}

func uidOf(s string) *types.UID {
	uid := types.UID(s)
	return &uid
}

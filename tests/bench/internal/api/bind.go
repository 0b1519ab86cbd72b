// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// m keeps request bodies readable.
type m = map[string]any

const manager = "?fieldManager=lictor.dev/controller"

// Bind makes the three writes of the bind protocol, with the controller's preconditions and bodies: the intent on the
// claim, the claim on the member, the claim's status. It decides nothing.
func (c *Client) Bind(ctx context.Context, namespace string, claim *Object, member Metadata) error {
	intended, err := c.patch(ctx, Path(namespace, Claims, claim.Metadata.Name), intent(claim.Metadata, member))
	if err != nil {
		return err
	}
	if _, err := c.patch(ctx, Path(namespace, Machines, member.Name), taking(claim.Metadata, member)); err != nil {
		return err
	}
	_, err = c.patch(ctx, Path(namespace, Claims, claim.Metadata.Name, "status"), bound(intended.Metadata, member))
	return err
}

func (c *Client) patch(ctx context.Context, path string, body m) (*Object, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encoding patch: %w", err)
	}
	return c.Send(ctx, http.MethodPatch, path+manager, MergePatch, content)
}

func intent(claim, member Metadata) m {
	return m{"metadata": m{
		"uid": claim.UID, "resourceVersion": claim.ResourceVersion, "finalizers": []string{banlieue.FinalizerClaim},
		"annotations": m{banlieue.AnnotationBindIntent: member.Name, banlieue.AnnotationBindIntentUID: member.UID},
	}}
}

func taking(claim, member Metadata) m {
	return m{"metadata": m{
		"uid": member.UID, "resourceVersion": member.ResourceVersion,
		"labels": m{banlieue.LabelClaim: claim.Name},
		"annotations": m{
			banlieue.AnnotationClaimSubjectIssuer: "https://issuer.example.com",
			banlieue.AnnotationClaimSubjectID:     "248289761001",
		},
		"ownerReferences": []m{{
			"apiVersion": banlieue.GroupVersion.String(), "kind": "VirtualMachineClaim", "name": claim.Name, "uid": claim.UID,
			"controller": true, "blockOwnerDeletion": true,
		}},
	}}
}

func bound(claim, member Metadata) m {
	now := time.Now().UTC()
	expires := now.Add(time.Hour).Format(time.RFC3339)
	return m{
		"metadata": m{"uid": claim.UID, "resourceVersion": claim.ResourceVersion},
		"status": m{
			"phase": banlieue.ClaimBound, "virtualMachineRef": m{"name": member.Name},
			"boundAt": now.Format(time.RFC3339), "expiresAt": expires, "observedGeneration": claim.Generation,
			"addresses": []m{{"type": banlieue.MachineInternalIP, "address": "192.0.2.10"}},
			"conditions": []m{{
				"type": banlieue.ConditionBound, "status": "True", "reason": banlieue.ReasonBound,
				"message":            fmt.Sprintf("VirtualMachine %q is bound until %s.", member.Name, expires),
				"lastTransitionTime": now.Format(time.RFC3339),
			}},
		},
	}
}

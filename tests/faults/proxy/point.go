// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"encoding/json"
	"net/http"
	"strings"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// Point is a kind of write: a place in one of the controller's protocols.
type Point string

// The points of the protocols, in the order in which a claim's life passes them.
const (
	MemberCreate    Point = "member create"
	PoolStatus      Point = "pool status"
	Intent          Point = "claim intent"
	MemberBind      Point = "member bind"
	StatusBound     Point = "claim status Bound"
	ClaimStatus     Point = "claim status, other"
	MemberDelete    Point = "member delete"
	StatusReleasing Point = "claim status Releasing"
	ClaimDelete     Point = "claim delete"
	Fence           Point = "member fence"
	FinalizerRemove Point = "claim finalizer removal"
	Lease           Point = "lease"
	Event           Point = "event"
	Other           Point = "other"
)

// annotationFenced is what the kernel writes on a member that a released claim had intended to take.
const annotationFenced = "lictor.dev/released-intent-of"

// Write is one mutating request.
type Write struct {
	Point Point
	Name  string // empty for a create
}

// content is what points are told apart by.
type content struct {
	Metadata struct {
		Labels      map[string]any `json:"labels"`
		Annotations map[string]any `json:"annotations"`
		Finalizers  *[]string      `json:"finalizers"`
	} `json:"metadata"`
	Status struct {
		Phase banlieue.ClaimPhase `json:"phase"`
	} `json:"status"`
}

// classify tells which write a request is. Deletes and creates are known by their path alone.
func classify(method, path string, body []byte) Write {
	resource, name, subresource := parse(path)
	var c content
	if method == http.MethodPatch && json.Unmarshal(body, &c) != nil {
		return Write{Point: Other, Name: name}
	}
	return Write{Point: pointOf(method, resource, subresource, &c), Name: name}
}

func pointOf(method, resource, subresource string, c *content) Point {
	switch resource + "/" + subresource {
	case "virtualmachines/":
		return memberPoint(method, c)
	case "virtualmachineclaims/":
		return claimPoint(method, c)
	case "virtualmachineclaims/status":
		return statusPoint(c)
	case "virtualmachinepools/status":
		return PoolStatus
	case "leases/":
		return Lease
	case "events/":
		return Event
	default:
		return Other
	}
}

func memberPoint(method string, c *content) Point {
	_, binds := c.Metadata.Labels[banlieue.LabelClaim]
	_, fences := c.Metadata.Annotations[annotationFenced]
	switch {
	case method == http.MethodPost:
		return MemberCreate
	case method == http.MethodDelete:
		return MemberDelete
	case binds:
		return MemberBind
	case fences:
		return Fence
	default:
		return Other
	}
}

func claimPoint(method string, c *content) Point {
	_, intends := c.Metadata.Annotations[banlieue.AnnotationBindIntent]
	switch {
	case method == http.MethodDelete:
		return ClaimDelete
	case intends:
		return Intent
	case c.Metadata.Finalizers != nil:
		return FinalizerRemove
	default:
		return Other
	}
}

func statusPoint(c *content) Point {
	switch c.Status.Phase {
	case banlieue.ClaimBound:
		return StatusBound
	case banlieue.ClaimReleasing:
		return StatusReleasing
	default:
		return ClaimStatus
	}
}

// parse takes /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE apart; every kind that is written is
// namespaced.
func parse(path string) (resource, name, subresource string) {
	_, rest, ok := strings.Cut(path, "/namespaces/")
	if !ok {
		return "", "", ""
	}
	parts := append(strings.SplitN(rest, "/", 4), "", "", "")
	return parts[1], parts[2], parts[3]
}

// SPDX-License-Identifier: Apache-2.0

package v1

import (
	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// ClaimStepInput is what lictor.claims.step decides on.
type ClaimStepInput struct {
	// Now is the instant of the decision, in nanoseconds since 1970 UTC.
	Now int64 `json:"now"`
	// Object is the claim.
	Object banlieue.VirtualMachineClaim `json:"object"`
	// Related are the objects that the claim names.
	Related ClaimRelated `json:"related"`
	// Views are the members that it could be given.
	Views ClaimViews `json:"views"`
}

// ClaimRelated are the objects that a claim names; null when they do not exist.
type ClaimRelated struct {
	// Pool is the pool to draw from.
	Pool *banlieue.VirtualMachinePool `json:"pool" jsonschema:"nullable"`
	// Member is the member that is bound, or about to be.
	Member *banlieue.VirtualMachine `json:"member" jsonschema:"nullable"`
}

// ClaimViews are the views that a claim's decision sees.
type ClaimViews struct {
	// Members are the ready, unclaimed members of the pool.
	Members ClaimMembers `json:"members"`
	// Held are the machines that carry the claim's name.
	Held ClaimHeld `json:"held"`
}

// ClaimHeld is the bucket of the view claims.held.
type ClaimHeld struct {
	// Held are the machines, by name.
	Held Bucket `json:"held"`
}

// ClaimMembers are the buckets of the view claims.members.
type ClaimMembers struct {
	// Fresh members are built from the pool's current image.
	Fresh Bucket `json:"fresh"`
	// Stale members are built from an earlier image.
	Stale Bucket `json:"stale"`
}

// Bucket is what a decision sees of one bucket of a group.
type Bucket struct {
	// Count is how many items the bucket holds.
	Count int `json:"count"`
	// Items are the first ones, in order, with the fields that the view lists. Items that another object is about to take
	// are left out.
	Items []banlieue.VirtualMachine `json:"items"`
}

// MemberRankInput is what a view's policy function ranks a pool member by.
type MemberRankInput struct {
	// Object is the member.
	Object banlieue.VirtualMachine `json:"object"`
	// Scope holds the fields of the pool that the view lists; null when the pool does not exist.
	Scope *banlieue.VirtualMachinePool `json:"scope" jsonschema:"nullable"`
}

// PoolPlanInput is what lictor.pools.plan decides on.
type PoolPlanInput struct {
	// Now is the instant of the decision, in nanoseconds since 1970 UTC.
	Now int64 `json:"now"`
	// Object is the pool.
	Object banlieue.VirtualMachinePool `json:"object"`
	// Related are the objects that the pool names.
	Related PoolRelated `json:"related"`
	// Views are the pool's members.
	Views PoolViews `json:"views"`
}

// PoolRelated are the objects that a pool names; null when they do not exist.
type PoolRelated struct {
	// Image is what members are built from.
	Image *banlieue.VMImage `json:"image" jsonschema:"nullable"`
}

// PoolViews are the views that a pool's decision sees.
type PoolViews struct {
	// Members is everything that carries the pool's label.
	Members PoolMembers `json:"members"`
}

// PoolMembers are the buckets of the view pools.members, and what its items hold.
type PoolMembers struct {
	// Fresh members are ready, unclaimed, and built from the current image.
	Fresh Bucket `json:"fresh"`
	// Stale members are ready, unclaimed, and built from an earlier image.
	Stale Bucket `json:"stale"`
	// Provisioning members have published their readiness, which is not True.
	Provisioning Bucket `json:"provisioning"`
	// Silent members have never published their readiness.
	Silent Bucket `json:"silent"`
	// Claimed members belong to a claim.
	Claimed Bucket `json:"claimed"`
	// Deleting members are on their way out.
	Deleting Bucket `json:"deleting"`
	// Foreign machines carry the pool's label without being owned by it.
	Foreign Bucket `json:"foreign"`
	// Holds has an address as key for every address that some machine of the group occupies.
	Holds map[string]bool `json:"holds"`
}

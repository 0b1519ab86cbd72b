// SPDX-License-Identifier: Apache-2.0

// Package v1 declares the input and the output of every decision that Lictor asks of its bundles.
//
// The JSON Schemas in bundles/schemas are generated from these types. Policy is type-checked against the input schemas
// when a bundle is activated and by `opa check`; every answer on a bundle's contract vectors is validated against the
// output schemas. Types here carry no behaviour other than their own validation.
package v1

// Step is the answer of a reconciler's decision: the branch taken, what to do, and when to look again.
type Step struct {
	// Step names the branch that policy took, such as Bind or Wait. Metrics and logs carry it.
	Step string `json:"step" jsonschema:"pattern=^[A-Z][A-Za-z0-9]{0\\,63}$"`
	// Effects are performed in order; the first failure ends the pass.
	Effects []Effect `json:"effects"`
	// Requeue says when to look at the object again if nothing changes before.
	Requeue *Requeue `json:"requeue,omitempty"`
}

// Requeue asks for another pass.
type Requeue struct {
	// At is the instant of the next pass, in nanoseconds since 1970 UTC (the unit of input.now).
	At int64 `json:"at,omitempty"`
	// On names a gathered view: the object is also woken, in the order of waiting, when an item enters that view's group.
	On string `json:"on,omitempty"`
}

// EffectType is one verb of the closed vocabulary that Go performs.
type EffectType string

// The effects. What each does and needs is documented in docs/writing-policy.md.
const (
	EffectFinalizerAdd    EffectType = "finalizer.add"
	EffectFinalizerRemove EffectType = "finalizer.remove"
	EffectBind            EffectType = "bind"
	EffectCreate          EffectType = "create"
	EffectPatch           EffectType = "patch"
	EffectApply           EffectType = "apply"
	EffectDelete          EffectType = "delete"
	EffectStatus          EffectType = "status"
	EffectEvent           EffectType = "event"
)

// Effect is one thing to do. Which fields belong to which type is checked by Validate.
type Effect struct {
	// Type is the verb.
	Type EffectType `json:"type" jsonschema:"enum=finalizer.add,enum=finalizer.remove,enum=bind,enum=create,enum=patch,enum=apply,enum=delete,enum=status,enum=event"`
	// Finalizer is the finalizer to add to, or remove from, the reconciled object.
	Finalizer string `json:"finalizer,omitempty"`
	// Member is the pool member that a claim takes (bind).
	Member *Member `json:"member,omitempty"`
	// Annotations are set on the member (bind).
	Annotations map[string]string `json:"annotations,omitempty"`
	// Object is the complete object to create or apply.
	Object map[string]any `json:"object,omitempty"`
	// Target is the object to patch or delete.
	Target *Target `json:"target,omitempty"`
	// Patch is a JSON merge patch (RFC 7396) for the target.
	Patch map[string]any `json:"patch,omitempty"`
	// Status is the complete new status of the reconciled object.
	Status map[string]any `json:"status,omitempty"`
	// EventType is Normal or Warning (event).
	EventType string `json:"eventType,omitempty" jsonschema:"enum=Normal,enum=Warning"`
	// Reason is a CamelCase word: why a delete happens, or the reason of an event.
	Reason string `json:"reason,omitempty"`
	// Message is the event's text.
	Message string `json:"message,omitempty"`
}

// Member identifies a pool member exactly as policy saw it.
type Member struct {
	// Name of the VirtualMachine, in the claim's namespace.
	Name string `json:"name" jsonschema:"minLength=1"`
	// UID of that very VirtualMachine.
	UID string `json:"uid" jsonschema:"minLength=1"`
	// ResourceVersion that policy saw; the write is refused by the API server if the member has changed since.
	ResourceVersion string `json:"resourceVersion" jsonschema:"minLength=1"`
}

// Target identifies an existing object in the reconciled object's namespace.
type Target struct {
	// APIVersion of the target, such as banlieue.io/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"minLength=1"`
	// Kind of the target.
	Kind string `json:"kind" jsonschema:"minLength=1"`
	// Name of the target.
	Name string `json:"name" jsonschema:"minLength=1"`
	// UID of that very object; a namesake is never touched.
	UID string `json:"uid" jsonschema:"minLength=1"`
	// ResourceVersion, if given, must still be current.
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// Rank is the answer of a view's policy function: where an object stands.
type Rank struct {
	// Bucket is one of the buckets that the view declares.
	Bucket string `json:"bucket" jsonschema:"minLength=1"`
	// Order sorts the bucket: element by element, smallest first.
	Order []any `json:"order"`
	// Holds are strings that the object occupies, such as addresses; the union over the group is given to decisions.
	Holds []string `json:"holds,omitempty"`
}

# Bind: give the claim one member. A bind that was begun is finished with the member it was begun with.
package lictor.claims

import data.lictor.lib.instants

_bind := {
	"step": "Bind",
	"effects": [
		{
			"type": "bind",
			"member": {
				"name": _choice.metadata.name,
				"uid": _choice.metadata.uid,
				"resourceVersion": _choice.metadata.resourceVersion,
			},
			"annotations": {
				"banlieue.io/claim-subject-issuer": input.object.spec.subject.issuer,
				"banlieue.io/claim-subject-id": input.object.spec.subject.id,
			},
		},
		{"type": "status", "status": object.union(
			_mirror(_choice),
			object.union(
				{
					"virtualMachineRef": {"name": _choice.metadata.name},
					"boundAt": time.format(_now),
					"expiresAt": _deadline,
				},
				_bound_status(_choice.metadata.name, _deadline),
			),
		)},
	],
	"requeue": {"at": instants.after(_now, input.object.spec.ttlSeconds)},
}

# The lifetime counts from the bind. Whole seconds, rounded down: never in the future, never longer than asked for.
_now := instants.second(input.now)

_deadline := time.format(instants.after(_now, input.object.spec.ttlSeconds))

_choice := input.related.member if {
	_intent_stands
} else := input.views.members.fresh.items[0] if {
	_pool_is_open
} else := input.views.members.stale.items[0] if {
	_pool_is_open
}

# The member that this claim announced it would take can still be taken, or has been.
_intent_stands if {
	_member_is_intended
	not input.related.member.metadata.labels["banlieue.io/claim"]
	input.related.member.metadata.labels["banlieue.io/pool"] == input.object.spec.poolRef.name
}

_intent_stands if {
	_member_is_intended
	_member_is_ours
}

_member_is_intended if {
	annotations := input.object.metadata.annotations
	input.related.member.metadata.name == annotations["lictor.dev/bind-intent"]
	input.related.member.metadata.uid == annotations["lictor.dev/bind-intent-uid"]
	not input.related.member.metadata.deletionTimestamp
}

# Members of a pool that is being deleted are about to be collected.
_pool_is_open if {
	input.related.pool.metadata.name
	not input.related.pool.metadata.deletionTimestamp
}

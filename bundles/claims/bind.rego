# Bind: give the claim one member. A bind that was begun is finished with the member it was begun with.
package lictor.claims

# regal ignore:rule-length
_answer["bind"] := {
	"step": "Bind",
	"effects": [
		{
			"type": "bind",
			"member": {
				"name": member.metadata.name,
				"uid": member.metadata.uid,
				"resourceVersion": member.metadata.resourceVersion,
			},
			"annotations": {
				"banlieue.io/claim-subject-issuer": input.object.spec.subject.issuer,
				"banlieue.io/claim-subject-id": input.object.spec.subject.id,
			},
		},
		{"type": "status", "status": object.union(
			{
				"phase": "Bound",
				"virtualMachineRef": {"name": member.metadata.name},
				"boundAt": time.format(bound_at),
				"expiresAt": expiry,
				"conditions": [{
					"type": "Bound",
					"status": "True",
					"reason": "Bound",
					"message": concat("", ["VirtualMachine \"", member.metadata.name, "\" is bound until ", expiry, "."]),
				}],
				"observedGeneration": input.object.metadata.generation,
			},
			{field: value |
				some field in ["addresses", "tpmEndorsementCertificates"]
				value := member.status[field]
				count(value) > 0
			},
		)},
	],
	"requeue": {"at": expires_at},
} if {
	# regal ignore:pointless-reassignment
	member := _choice # read once: this is the step that a person waits for

	# The lifetime counts from the bind, in whole seconds rounded down: never in the future, never longer than asked for.
	bound_at := input.now - (input.now % 1000000000)

	# The last second that 64 bits can name (in 2262) is where longer ones end.
	expires_at := min([bound_at + (input.object.spec.ttlSeconds * 1000000000), 9223372036000000000])
	expiry := time.format(expires_at)
}

# The member that this claim announced it would take, if it can still be taken or has been; else the first in the queue.
_choice := member if {
	member := input.related.member
	member.metadata.uid == input.object.metadata.annotations["lictor.dev/bind-intent-uid"]
	member.metadata.name == input.object.metadata.annotations["lictor.dev/bind-intent"]
	not member.metadata.deletionTimestamp
	_within_reach
} else := _carried[0] if {
	count(_carried) > 0
} else := member if {
	member := input.views.members.fresh.items[0]
	_pool_is_open
} else := member if {
	member := input.views.members.stale.items[0]
	_pool_is_open
}

# Members of a pool that is being deleted are about to be collected.
_pool_is_open if {
	input.related.pool.metadata.name
	not input.related.pool.metadata.deletionTimestamp
}

_within_reach if _member_is_ours

_within_reach if {
	not input.related.member.metadata.labels["banlieue.io/claim"]
	input.related.member.metadata.labels["banlieue.io/pool"] == input.object.spec.poolRef.name
}

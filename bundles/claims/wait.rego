# Wait: there is nothing to give yet. A waiting claim never times out, and protects nothing, so it has no finalizer.
package lictor.claims

_answer["wait"] := {
	"step": "Wait",
	"effects": [{"type": "status", "status": {
		"phase": "Pending",
		"conditions": [{
			"type": "Bound",
			"status": "False",
			"reason": _wait_reason,
			"message": concat("", ["VirtualMachinePool \"", input.object.spec.poolRef.name, "\" ", _wait_message]),
		}],
		"observedGeneration": input.object.metadata.generation,
	}}],
	# A person is waiting: the shortest interval there is, or as soon as a member turns up, in the order of waiting.
	"requeue": {"at": input.now + 3000000000, "on": "members"},
} if {
	# That there is nothing to give is something to be seen, not to be assumed.
	is_array(input.views.members.fresh.items)
	is_array(input.views.members.stale.items)
}

_wait_reason := "PoolNotFound" if {
	is_null(input.related.pool)
} else := "NoMemberAvailable" if {
	input.related.pool.metadata.name
}

default _wait_message := "has no member to give, and has not reported its state yet."

_wait_message := "does not exist in this namespace." if {
	is_null(input.related.pool)
} else := "is being deleted." if {
	input.related.pool.metadata.deletionTimestamp
} else := concat("", ["has no member to give: ", warm.reason, ": ", warm.message]) if {
	some warm in input.related.pool.status.conditions
	warm.type == "Warm"
}

# Wait: there is nothing to give yet. A waiting claim never times out, and protects nothing, so it has no finalizer.
package lictor.claims

import data.lictor.lib.instants

_wait := {
	"step": "Wait",
	"effects": [{"type": "status", "status": _unbound_status("Pending", _wait_reason, _wait_message)}],
	# A person is waiting: the shortest interval there is, or as soon as a member turns up, in the order of waiting.
	"requeue": {"at": instants.after(input.now, 3), "on": "members"},
} if {
	# Nothing to give is something to be seen, not to be assumed.
	input.views.members.fresh.count >= 0
	input.views.members.stale.count >= 0
}

_wait_reason := "PoolNotFound" if input.related.pool == null

_wait_reason := "NoMemberAvailable" if input.related.pool.metadata.name

_wait_message := concat("", [_pool, " does not exist in this namespace."]) if {
	input.related.pool == null
} else := concat("", [_pool, " is being deleted."]) if {
	input.related.pool.metadata.deletionTimestamp
} else := concat("", [_pool, " has no member to give: ", _warm.reason, ": ", _warm.message]) if {
	_warm
} else := concat("", [_pool, " has no member to give, and has not reported its state yet."])

_pool := concat("", ["VirtualMachinePool \"", input.object.spec.poolRef.name, "\""])

_warm := condition if {
	some condition in input.related.pool.status.conditions
	condition.type == "Warm"
}

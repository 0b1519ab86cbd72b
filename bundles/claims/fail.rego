# Fail: the member vanished under the claim. It is never bound to another one, and ends at its old deadline.
package lictor.claims

_fail := {
	"step": "Fail",
	"effects": array.concat(
		[{
			"type": "status",
			"status": object.union(_kept, _unbound_status("Failed", "MemberLost", _lost_message)),
		}],
		_lost_event,
	),
	"requeue": {"at": _expires_at},
}

_lost_message := concat("", [
	"VirtualMachine \"",
	input.object.status.virtualMachineRef.name,
	"\" is gone. A claim is never bound to a second one: delete this claim and create another.",
])

# Told once, when it happens.
_lost_event := [] if {
	input.object.status.phase == "Failed"
} else := [{"type": "event", "eventType": "Warning", "reason": "MemberLost", "message": _lost_message}]

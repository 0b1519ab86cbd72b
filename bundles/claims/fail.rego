# Fail: the member vanished under the claim. It is never bound to another one, and ends at its old deadline.
package lictor.claims

_answer["fail"] := {
	"step": "Fail",
	"effects": array.concat(
		[{"type": "status", "status": object.union(_kept, {
			"phase": "Failed",
			"conditions": [{"type": "Bound", "status": "False", "reason": "MemberLost", "message": message}],
			"observedGeneration": input.object.metadata.generation,
		})}],
		# Told once, when it happens.
		[{"type": "event", "eventType": "Warning", "reason": "MemberLost", "message": message} |
			not input.object.status.phase == "Failed"
		],
	),
	"requeue": {"at": _expires_at},
} if {
	message := concat("", [
		"VirtualMachine \"",
		input.object.status.virtualMachineRef.name,
		"\" is gone. A claim is never bound to a second one: delete this claim and create another.",
	])
}

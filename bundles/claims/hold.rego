# Hold: the member is there. Show what it shows, until the deadline.
package lictor.claims

_hold := {
	"step": "Hold",
	"effects": [{"type": "status", "status": object.union_n([
		_kept,
		_mirror(input.related.member),
		_bound_status(input.object.status.virtualMachineRef.name, input.object.status.expiresAt),
	])}],
	"requeue": {"at": _expires_at},
}

# Hold: the member is there. Show what it shows, until the deadline.
package lictor.claims

_answer["hold"] := {
	"step": "Hold",
	"effects": [{"type": "status", "status": object.union_n([
		_kept,
		{
			"phase": "Bound",
			"conditions": [{
				"type": "Bound",
				"status": "True",
				"reason": "Bound",
				# Word for word what Bind says, so that holding changes nothing.
				"message": concat("", [
					"VirtualMachine \"",
					input.object.status.virtualMachineRef.name,
					"\" is bound until ",
					input.object.status.expiresAt,
					".",
				]),
			}],
			"observedGeneration": input.object.metadata.generation,
		},
		{field: value |
			some field in ["addresses", "tpmEndorsementCertificates"]
			value := input.related.member.status[field]
			count(value) > 0
		},
	])}],
	"requeue": {"at": _expires_at},
}

# METADATA
# title: Claims
# description: >-
#   What happens to a VirtualMachineClaim next. One file per step: this one says which step it is, and the order is the
#   design: release outranks a healthy binding and a lost one, and a claim that has a member never looks for another.
# custom:
#   id: lictor.claims
# schemas:
#   - input: schema.claims.step.input
package lictor.claims

# METADATA
# title: Step
# description: The claim's next step, its effects, and when to look again. Undefined (no effects) when facts are missing.
# scope: document
# custom:
#   id: lictor.claims.step
# entrypoint: true
step := _release if _branch == "Release"

step := _hold if _branch == "Hold"

step := _fail if _branch == "Fail"

step := _bind if _branch == "Bind"

step := _wait if _branch == "Wait"

_branch := "Release" if {
	_over
} else := "Hold" if {
	_bound
	_member_is_ours
} else := "Fail" if {
	_bound
	_member_is_gone
} else := "Bind" if {
	_unbound
	_choice
} else := "Wait" if {
	_unbound
}

# The claim's time is over: deleted, or past its deadline.
_over if input.object.metadata.deletionTimestamp

_over if _expires_at <= input.now

_expires_at := time.parse_rfc3339_ns(input.object.status.expiresAt)

_bound if input.object.status.virtualMachineRef.name

_unbound if {
	input.object.spec.poolRef.name
	not input.object.status.virtualMachineRef
}

# The gathered member carries this very claim. Labels hold names, and a name can come back: only the UID counts.
_member_is_ours if {
	some owner in input.related.member.metadata.ownerReferences
	owner.uid == input.object.metadata.uid
}

# The member was looked for, and is not there or is a namesake that is not ours. Not having looked is neither.
_member_is_gone if input.related.member == null

_member_is_gone if {
	input.related.member.metadata.uid
	not _member_is_ours
}

# What a bound claim never changes again.
_kept := object.filter(
	object.get(input.object, "status", {}),
	["boundAt", "expiresAt", "nonce", "virtualMachineRef"],
)

# What a claim shows of its member.
_mirror(member) := {field: value |
	some field in ["addresses", "tpmEndorsementCertificates"]
	value := member.status[field]
	count(value) > 0
}

# The condition and the fields of the status that a bound claim and one that is just being bound share, word for word.
_bound_status(name, expires_at) := {
	"phase": "Bound",
	"conditions": [{
		"type": "Bound",
		"status": "True",
		"reason": "Bound",
		"message": concat("", ["VirtualMachine \"", name, "\" is bound until ", expires_at, "."]),
	}],
	"observedGeneration": input.object.metadata.generation,
}

_unbound_status(phase, reason, message) := {
	"phase": phase,
	"conditions": [{"type": "Bound", "status": "False", "reason": reason, "message": message}],
	"observedGeneration": input.object.metadata.generation,
}

# METADATA
# title: Claims
# description: >-
#   What happens to a VirtualMachineClaim next. This file says which step it is, and the order is the design: release
#   outranks a healthy binding and a lost one, and a claim that has a member never looks for another. Each step's answer
#   is in the file of its name.
# custom:
#   id: lictor.claims
# schemas:
#   - input: schema.claims.step.input
package lictor.claims

# METADATA
# title: Step
# description: >-
#   The claim's next step, its effects, and when to look again. Undefined (no effects) when facts are missing.
# custom:
#   id: lictor.claims.step
# entrypoint: true
step := _answer[_branch]

_branch := "release" if {
	input.object.metadata.deletionTimestamp
} else := "release" if {
	_expires_at <= input.now
} else := "hold" if {
	_expires_at > input.now
	input.object.status.virtualMachineRef.name
	_member_is_ours
} else := "fail" if {
	_expires_at > input.now
	input.object.status.virtualMachineRef.name
	_member_is_gone
} else := "bind" if {
	not input.object.status.virtualMachineRef
	_choice
} else := "wait" if {
	not input.object.status.virtualMachineRef
}

_expires_at := time.parse_rfc3339_ns(input.object.status.expiresAt)

# The gathered member carries this very claim. Labels hold names, and a name can come back: only the UID counts.
_member_is_ours if {
	some owner in input.related.member.metadata.ownerReferences
	owner.uid == input.object.metadata.uid
}

# The member was looked for, and is not there or is a namesake that is not ours. Not having looked is neither.
_member_is_gone if is_null(input.related.member)

_member_is_gone if {
	input.related.member.metadata.uid
	not _member_is_ours
}

# Members that carry this very claim although nothing that it wrote down leads to them.
_carried := [member |
	some member in input.views.held.held.items
	some owner in member.metadata.ownerReferences
	owner.uid == input.object.metadata.uid
]

# What a claim that was bound once never changes again.
_kept := object.filter(
	object.get(input.object, "status", {}),
	["boundAt", "expiresAt", "nonce", "virtualMachineRef"],
)

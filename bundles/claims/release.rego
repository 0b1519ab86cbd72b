# Release: the member goes first, then the claim. "Claim gone" has to mean "machine gone".
package lictor.claims

# As long as the member is there, wait for it. A watch tells when it is gone; the timer is only a safety net.
_answer["release"] := {
	"step": "Release",
	"effects": array.concat(
		[{
			"type": "delete",
			"target": {
				"apiVersion": "banlieue.io/v1alpha1",
				"kind": "VirtualMachine",
				"name": _to_destroy.metadata.name,
				"uid": _to_destroy.metadata.uid,
			},
			"reason": _release_reason,
		} |
			not _to_destroy.metadata.deletionTimestamp
		],
		# Addresses and certificates are not kept: nobody may take the member for one that is still the claim's.
		[{"type": "status", "status": object.union(_kept, {
			"phase": "Releasing",
			"conditions": [{"type": "Bound", "status": "False", "reason": _release_reason, "message": _release_message}],
			"observedGeneration": input.object.metadata.generation,
		})}],
	),
	"requeue": {"at": input.now + 5000000000},
} if {
	_to_destroy
}

_answer["release"] := {"step": "Release", "effects": _leave} if {
	_member_is_gone
	count(_carried) == 0
}

_to_destroy := input.related.member if {
	_member_is_ours
} else := _carried[0]

default _release_reason := "Expired"

_release_reason := "Released" if input.object.metadata.deletionTimestamp

_release_message := "The claim was deleted; its VirtualMachine is being destroyed." if {
	input.object.metadata.deletionTimestamp
} else := concat("", [
	"The claim expired at ",
	input.object.status.expiresAt,
	"; its VirtualMachine is being destroyed.",
])

# Nothing carries the claim any more. Others' finalizers are theirs to remove.
_leave := [{"type": "finalizer.remove", "finalizer": "banlieue.io/claim-protection"}] if {
	input.object.metadata.deletionTimestamp
	"banlieue.io/claim-protection" in input.object.metadata.finalizers
} else := [] if {
	input.object.metadata.deletionTimestamp
} else := [{
	"type": "delete",
	"target": {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachineClaim",
		"name": input.object.metadata.name,
		"uid": input.object.metadata.uid,
	},
	"reason": "Expired",
}]

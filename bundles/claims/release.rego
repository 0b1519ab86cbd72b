# Release: the member goes first, then the claim. "Claim gone" has to mean "machine gone".
package lictor.claims

import data.lictor.lib.instants

# As long as the member is there, wait for it. A watch tells when it is gone; the timer is only a safety net.
_release := {
	"step": "Release",
	"effects": array.concat(_delete_member, [{"type": "status", "status": _releasing_status}]),
	"requeue": {"at": instants.after(input.now, 5)},
} if {
	_member_is_ours
}

_release := {"step": "Release", "effects": _leave} if _member_is_gone

_delete_member := [] if input.related.member.metadata.deletionTimestamp

_delete_member := [{
	"type": "delete",
	"target": {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachine",
		"name": input.related.member.metadata.name,
		"uid": input.related.member.metadata.uid,
	},
	"reason": _release_reason,
}] if {
	not input.related.member.metadata.deletionTimestamp
}

# Addresses and certificates are no longer shown: nobody may take the member for one that is still theirs.
_releasing_status := object.union(_kept, _unbound_status("Releasing", _release_reason, _release_message))

_release_reason := "Released" if {
	input.object.metadata.deletionTimestamp
} else := "Expired"

_release_message := "The claim was deleted; its VirtualMachine is being destroyed." if {
	_release_reason == "Released"
} else := concat("", ["The claim expired at ", input.object.status.expiresAt, "; its VirtualMachine is being destroyed."])

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

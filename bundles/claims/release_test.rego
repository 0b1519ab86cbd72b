package lictor.claims.release_test

_contract(name) := data.lictor.claims.contract.vectors[name]

_deleting := _contract("step releases the member of a deleted claim")

_gone := _contract("step lets a deleted claim go when its member is gone")

_expired_and_gone := _contract("step deletes an expired claim when its member is gone")

_hold := _contract("step holds a member that is there")

_expired := object.union(_hold.input, {"now": 1767326645000000000})

test_an_expired_claim_releases_its_member_first if {
	answer := data.lictor.claims.step with input as _expired
	answer == {
		"step": "Release",
		"effects": [
			{
				"type": "delete",
				"target": {
					"apiVersion": "banlieue.io/v1alpha1",
					"kind": "VirtualMachine",
					"name": "warm-a",
					"uid": "uid-of-warm-a",
				},
				"reason": "Expired",
			},
			{"type": "status", "status": {
				"phase": "Releasing",
				"virtualMachineRef": {"name": "warm-a"},
				"boundAt": "2026-01-02T03:04:05Z",
				"expiresAt": "2026-01-02T04:04:05Z",
				"conditions": [{
					"type": "Bound",
					"status": "False",
					"reason": "Expired",
					"message": "The claim expired at 2026-01-02T04:04:05Z; its VirtualMachine is being destroyed.",
				}],
				"observedGeneration": 1,
			}},
		],
		"requeue": {"at": 1767326650000000000},
	}
}

# Deleted and past its deadline: it was let go before it ran out, or somebody wants it gone now. Either way, released.
test_deleted_outranks_expired_as_a_reason if {
	answer := data.lictor.claims.step with input as object.union(_deleting.input, {"now": 1767326645000000000})
	[effect.reason | some effect in answer.effects; effect.type == "delete"] == ["Released"]
	[effect.status.conditions[0].reason | some effect in answer.effects; effect.type == "status"] == ["Released"]
}

test_a_member_is_deleted_once if {
	answer := data.lictor.claims.step with input as object.union(
		_deleting.input,
		{"related": {"member": {"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}}}},
	)
	answer == json.remove(_deleting.want, ["effects/0"])
}

# A bind that got as far as the member: the claim names it nowhere but in its intent.
test_a_member_of_an_unfinished_bind_is_released_too if {
	claim := json.remove(_deleting.input, ["object/status"])
	answer := data.lictor.claims.step with input as claim
	answer == json.remove(_deleting.want, [
		"effects/1/status/virtualMachineRef",
		"effects/1/status/boundAt",
		"effects/1/status/expiresAt",
	])
}

# An intent that never got as far as the member has nothing to delete.
test_what_is_not_ours_is_not_deleted[name] if {
	some name, owners in {
		"free": [{"kind": "VirtualMachinePool", "name": "warm", "uid": "uid-of-warm"}],
		"another's": [{"kind": "VirtualMachineClaim", "name": "other", "uid": "uid-of-other"}],
		"of a claim that had our name": [{"kind": "VirtualMachineClaim", "name": "desk", "uid": "uid-of-an-earlier-desk"}],
		"nobody's": [],
	}
	answer := data.lictor.claims.step with input as object.union(
		_deleting.input,
		{"related": {"member": {"metadata": {"ownerReferences": owners}}}},
	)
	answer == _gone.want
}

test_finalizers[name] if {
	some name, case in {
		"only ours": {"finalizers": ["banlieue.io/claim-protection"], "want": _gone.want.effects},
		"ours and another": {"finalizers": ["a/b", "banlieue.io/claim-protection"], "want": _gone.want.effects},
		"only another": {"finalizers": ["a/b"], "want": []},
		"none": {"finalizers": [], "want": []},
	}
	answer := data.lictor.claims.step with input as object.union(
		_gone.input,
		{"object": {"metadata": {"finalizers": case.finalizers}}},
	)
	answer == {"step": "Release", "effects": case.want}
}

test_a_claim_that_never_had_a_finalizer if {
	answer := data.lictor.claims.step with input as json.remove(_gone.input, ["object/metadata/finalizers"])
	answer == {"step": "Release", "effects": []}
}

# The pass after the claim deleted itself.
test_an_expired_claim_that_is_deleted_lets_go if {
	answer := data.lictor.claims.step with input as object.union(
		_expired_and_gone.input,
		{"object": {"metadata": {"deletionTimestamp": "2026-01-02T04:04:05Z"}}},
	)
	answer == _gone.want
}

package lictor.claims.held_test

_contract(name) := data.lictor.claims.contract.vectors[name]

_vector := _contract("held is what carries a claim's name")

_waiting := _contract("step binds the member that has been ready longest").input

# What the view shows of a member that carries the claim although the claim names none.
_carried(claim) := [{"metadata": {
	"name": "found",
	"uid": "uid-of-found",
	"resourceVersion": "7",
	"ownerReferences": [{"kind": "VirtualMachineClaim", "name": claim.metadata.name, "uid": claim.metadata.uid}],
}}]

_with_carried(claim, items) := object.union_n([
	_waiting,
	{"object": claim},
	{"views": {"held": {"held": {"count": count(items), "items": items}}}},
])

test_held_by_name if {
	answer := data.lictor.claims.held with input as _vector.input
	answer == _vector.want
}

test_not_held_without_a_name if {
	every input_ in [{}, null, {"object": {"metadata": {"name": "a"}}}] {
		not data.lictor.claims.held with input as input_
	}
}

# Somebody took the annotations off between the write of the member and that of the claim's status.
test_a_carried_member_is_bound_before_any_other if {
	claim := _waiting.object
	answer := data.lictor.claims.step with input as _with_carried(claim, _carried(claim))
	answer.step == "Bind"
	answer.effects[0].member == {"name": "found", "uid": "uid-of-found", "resourceVersion": "7"}
}

test_a_namesakes_member_is_not_ours if {
	stranger := object.union(_waiting.object, {"metadata": {"uid": "another"}})
	answer := data.lictor.claims.step with input as _with_carried(_waiting.object, _carried(stranger))
	answer.effects[0].member.name == "warm-a"
}

test_a_carried_member_is_released if {
	claim := object.union(_waiting.object, {"metadata": {
		"deletionTimestamp": "2026-01-02T03:04:05Z",
		"finalizers": ["banlieue.io/claim-protection"],
	}})
	answer := data.lictor.claims.step with input as _with_carried(claim, _carried(claim))
	answer.step == "Release"
	answer.effects[0] == {
		"type": "delete",
		"target": {
			"apiVersion": "banlieue.io/v1alpha1",
			"kind": "VirtualMachine",
			"name": "found",
			"uid": "uid-of-found",
		},
		"reason": "Released",
	}
}

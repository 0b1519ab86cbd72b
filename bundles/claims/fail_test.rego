package lictor.claims.fail_test

_vector := data.lictor.claims.contract.vectors["step fails when the member vanished"]

_member := data.lictor.claims.contract.vectors["step holds a member that is there"].input.related.member

_owned_by(uid) := json.patch(_member, [{"op": "replace", "path": "/metadata/ownerReferences/0/uid", "value": uid}])

# What makes a member lost.
test_lost[name] if {
	some name, member in {
		"gone": null,
		"a namesake that is free": json.remove(_member, ["metadata/ownerReferences"]),
		"a namesake of another claim": _owned_by("uid-of-other"),
		"carried by a claim that had our name": _owned_by("uid-of-an-earlier-desk"),
	}
	answer := data.lictor.claims.step with input as json.patch(
		_vector.input,
		[{"op": "replace", "path": "/related/member", "value": member}],
	)
	answer == _vector.want
}

# The event is told once; a second pass writes what is there already.
test_failing_again_changes_nothing if {
	failed := object.union(
		json.remove(_vector.input, ["object/status"]),
		{"object": {"status": _vector.want.effects[0].status}},
	)
	answer := data.lictor.claims.step with input as failed
	answer == json.remove(_vector.want, ["effects/1"])
}

# Free members are of no use to it: a claim has one member in its life.
test_never_bound_again if {
	_vector.input.views.members.fresh.count > 0
	not "bind" in {effect.type | some effect in _vector.want.effects}
}

package lictor.claims.hold_test

_vector := data.lictor.claims.contract.vectors["step holds a member that is there"]

_status(input_of_step) := effect.status if {
	some effect in data.lictor.claims.step.effects with input as input_of_step # regal ignore:with-outside-test-context
	effect.type == "status"
}

# Binding, holding and holding again say the same, word for word, or the claim would be written for ever.
test_holding_changes_nothing if {
	_status(_vector.input) == _vector.input.object.status
}

test_holding_what_was_just_bound if {
	bind := data.lictor.claims.contract.vectors["step binds the member that has been ready longest"]
	bound := data.lictor.claims.step.effects[1].status with input as bind.input
	_status(object.union(_vector.input, {"object": {"status": bound}})) == bound
}

test_what_the_member_shows[name] if {
	some name, case in {
		"new addresses": {
			"member": {"addresses": [{"type": "InternalIP", "address": "10.0.0.9"}]},
			"want": {"addresses": [{"type": "InternalIP", "address": "10.0.0.9"}]},
		},
		"certificates": {
			"member": {"tpmEndorsementCertificates": ["a", "b"]},
			"want": {
				"addresses": [{"type": "InternalIP", "address": "10.0.0.4"}],
				"tpmEndorsementCertificates": ["a", "b"],
			},
		},
	}
	answer := data.lictor.claims.step with input as object.union(
		_vector.input,
		{"related": {"member": {"status": case.member}}},
	)
	answer == json.patch(_vector.want, [{
		"op": "replace",
		"path": "/effects/0/status",
		"value": object.union(json.remove(_vector.input.object.status, ["addresses"]), case.want),
	}])
}

test_a_member_that_shows_nothing[name] if {
	some name, status in {"no status": {}, "empty lists": {"addresses": [], "tpmEndorsementCertificates": []}}
	answer := data.lictor.claims.step with input as json.patch(
		_vector.input,
		[{"op": "replace", "path": "/related/member/status", "value": status}],
	)
	answer == json.remove(_vector.want, ["effects/0/status/addresses"])
}

# A nonce of former days stays readable. The generation that was looked at is the present one.
test_what_is_kept if {
	changes := {"object": {"metadata": {"generation": 2}, "status": {"nonce": "f00d", "phase": "Pending"}}}
	answer := data.lictor.claims.step with input as object.union(_vector.input, changes)
	answer == object.union(_vector.want, {"effects": [{"type": "status", "status": object.union(
		_vector.input.object.status,
		{"nonce": "f00d", "observedGeneration": 2},
	)}]})
}

# A member on its way out is still there.
test_a_terminating_member_is_held if {
	answer := data.lictor.claims.step with input as object.union(
		_vector.input,
		{"related": {"member": {"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}}}},
	)
	answer == _vector.want
}

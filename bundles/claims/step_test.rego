package lictor.claims.step_test

# The inputs of the contract, by the branch that they lead to.
_contract(name) := data.lictor.claims.contract.vectors[name].input

_bind := _contract("step binds the member that has been ready longest")

_wait := _contract("step waits while no member is free")

_hold := _contract("step holds a member that is there")

_fail := _contract("step fails when the member vanished")

_deleted := {"object": {"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}}}

_expired := {"object": {"status": {"expiresAt": "2026-01-02T03:04:05Z"}}}

_free_members := {"views": {"members": _bind.views.members}}

# Two rules that both could take the step, and the one that must.
test_precedence[name] if {
	some name, case in {
		"release before hold, deleted": {"input": object.union(_hold, _deleted), "want": "Release"},
		"release before hold, expired": {"input": object.union(_hold, _expired), "want": "Release"},
		"release before fail, deleted": {"input": object.union(_fail, _deleted), "want": "Release"},
		"release before fail, expired": {"input": object.union(_fail, _expired), "want": "Release"},
		"release before bind": {"input": object.union(_bind, _deleted), "want": "Release"},
		"release before wait": {"input": object.union(_wait, _deleted), "want": "Release"},
		"hold before bind": {"input": object.union(_hold, _free_members), "want": "Hold"},
		"hold before wait": {"input": object.union(_hold, {"views": _wait.views}), "want": "Hold"},
		"fail before bind": {"input": object.union(_fail, _free_members), "want": "Fail"},
		"fail before wait": {"input": object.union(_fail, {"views": _wait.views}), "want": "Fail"},
		"bind before wait": {"input": _bind, "want": "Bind"},
	}
	data.lictor.claims.step.step == case.want with input as case.input
}

test_deadline_is_met_at_its_instant[name] if {
	some name, case in {
		"a nanosecond before": {"now": 1767326644999999999, "want": "Hold"},
		"at it": {"now": 1767326645000000000, "want": "Release"},
		"after it": {"now": 1767326646000000000, "want": "Release"},
	}
	data.lictor.claims.step.step == case.want with input as object.union(_hold, {"now": case.now})
}

test_a_failed_claim_is_released_at_its_old_deadline if {
	answer := data.lictor.claims.step with input as object.union(_fail, {
		"now": 1767326645000000000,
		"object": {"status": {"phase": "Failed"}},
	})
	answer == data.lictor.claims.contract.vectors["step deletes an expired claim when its member is gone"].want
}

# No facts, no step. Not one of these may read as "gone", "free", or "nothing there".
test_missing_facts_have_no_effects[name] if {
	some name, facts in {
		"null": null,
		"nothing": {},
		"no claim": json.remove(_bind, ["object"]),
		"no spec": json.remove(_bind, ["object/spec"]),
		"no subject": json.remove(_bind, ["object/spec/subject"]),
		"no lifetime": json.remove(_bind, ["object/spec/ttlSeconds"]),
		"no time, binding": json.remove(_bind, ["now"]),
		"no time, holding": json.remove(_hold, ["now"]),
		"no time, waiting": json.remove(_wait, ["now"]),
		"not looked for members": json.remove(_wait, ["views"]),
		"not looked for stale members": json.remove(_wait, ["views/members/stale"]),
		"not looked for the pool": json.remove(_wait, ["related/pool"]),
		"not looked for the member that is bound": json.remove(_fail, ["related/member"]),
		"not looked for the member that is released": json.remove(object.union(_fail, _deleted), ["related/member"]),
		"not looked for anything related": json.remove(_hold, ["related"]),
		"a deadline that is no time": object.union(_hold, {"object": {"status": {"expiresAt": "tomorrow"}}}),
		"a reference without a name": json.remove(_hold, ["object/status/virtualMachineRef/name"]),
	}
	not data.lictor.claims.step with input as facts
}

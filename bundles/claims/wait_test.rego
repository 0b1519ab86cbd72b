package lictor.claims.wait_test

_vector := data.lictor.claims.contract.vectors["step waits while no member is free"]

_status := "/effects/0/status"

_free := data.lictor.claims.contract.vectors["step binds the member that has been ready longest"].input.views

# What a waiting person is told.
test_message[name] if {
	some name, case in {
		"the pool never reported": {
			"patch": [{"op": "remove", "path": "/related/pool/status"}],
			"want": "VirtualMachinePool \"warm\" has no member to give, and has not reported its state yet.",
		},
		"the pool reported something else": {
			"patch": [{"op": "replace", "path": "/related/pool/status/conditions/0/type", "value": "Capacity"}],
			"want": "VirtualMachinePool \"warm\" has no member to give, and has not reported its state yet.",
		},
		"the pool is being deleted": {
			"patch": [{"op": "add", "path": "/related/pool/metadata/deletionTimestamp", "value": "2026-01-02T03:04:05Z"}],
			"want": "VirtualMachinePool \"warm\" is being deleted.",
		},
		"the image never announces": {
			"patch": [{"op": "replace", "path": "/related/pool/status/conditions/0", "value": {
				"type": "Warm",
				"status": "False",
				"reason": "ReadinessSignalAbsent",
				"message": "None has.",
			}}],
			"want": "VirtualMachinePool \"warm\" has no member to give: ReadinessSignalAbsent: None has.",
		},
	}
	answer := data.lictor.claims.step with input as json.patch(_vector.input, case.patch)
	answer == json.patch(_vector.want, [{
		"op": "replace",
		"path": concat("", [_status, "/conditions/0/message"]),
		"value": case.want,
	}])
}

# Members of a pool that is being deleted are about to be collected, and those of no pool are nobody's to give.
test_members_of_a_closed_pool_are_not_given[name] if {
	some name, patch in {
		"deleted": [{"op": "add", "path": "/related/pool/metadata/deletionTimestamp", "value": "2026-01-02T03:04:05Z"}],
		"missing": [{"op": "replace", "path": "/related/pool", "value": null}],
	}
	some bucket in ["fresh", "stale"]
	members := {"fresh": {"count": 0, "items": []}, "stale": {"count": 0, "items": []}}
	facts := json.patch(_vector.input, array.concat(patch, [
		{"op": "replace", "path": "/views/members", "value": members},
		{"op": "replace", "path": concat("/", ["/views/members", bucket]), "value": _free.members.fresh},
	]))
	data.lictor.claims.step.step == "Wait" with input as facts
}

# Nothing is there to be protected, and every write of one that waits is one that binds later.
test_waiting_only_reports if {
	answer := data.lictor.claims.step with input as _vector.input
	[effect.type | some effect in answer.effects] == ["status"]
}

test_waiting_again_changes_nothing if {
	reported := object.union(_vector.input, {"object": {"status": _vector.want.effects[0].status}})
	answer := data.lictor.claims.step with input as reported
	answer == _vector.want
}

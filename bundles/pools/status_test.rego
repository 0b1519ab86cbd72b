package lictor.pools.status_test

_vectors := data.lictor.pools.contract.vectors

_empty := _vectors["plan fills an empty pool up to its surge"].input

_some := {"count": 1, "items": []}

_silence := {"silent": {"count": 2, "items": []}}

_bad_entry := {"object": {"spec": {"addressing": {"interface": "eth0", "prefix": 24, "pool": ["ten"]}}}}

_no_entry := {"object": {"spec": {"addressing": {"interface": "eth0", "prefix": 24, "pool": []}}}}

_no_room := {"object": {"spec": {"maxReplicas": 0}}}

_members(buckets) := {"views": {"members": buckets}}

# The signal is absent only while nobody has ever given it.
test_warm[name] if {
	some name, case in {
		"nothing wanted": [{"object": {"spec": {"warmReplicas": 0}}}, "Warm"],
		"as many as wanted": [_members({"fresh": {"count": 3, "items": []}}), "Warm"],
		"stale ones serve too": [_members({"fresh": _some, "stale": {"count": 2, "items": []}}), "Warm"],
		"warm before absent": [
			object.union({"object": {"spec": {"warmReplicas": 0}}}, _members(_silence)),
			"Warm",
		],
		"too few": [_members({"fresh": _some}), "Filling"],
		"none at all": [{}, "Filling"],
		"only silent ones": [_members(_silence), "ReadinessSignalAbsent"],
		"one is fresh": [_members(object.union(_silence, {"fresh": _some})), "Filling"],
		"one is stale": [_members(object.union(_silence, {"stale": _some})), "Filling"],
		"one said not yet": [_members(object.union(_silence, {"provisioning": _some})), "Filling"],
		"one was claimed": [_members(object.union(_silence, {"claimed": _some})), "Filling"],
		"one is on its way out": [_members(object.union(_silence, {"deleting": _some})), "ReadinessSignalAbsent"],
		"one is not ours": [_members(object.union(_silence, {"foreign": _some})), "ReadinessSignalAbsent"],
	}
	answer := data.lictor.pools.plan with input as object.union(_empty, case[0])
	condition := answer.effects[0].status.conditions[0]
	[condition.type, condition.status, condition.reason] == ["Warm", _status(case[1], "Warm"), case[1]]
}

_status(reason, when_true) := "True" if {
	reason == when_true
} else := "False"

# Two reasons that both apply, and the one that is told.
test_capacity[name] if {
	some name, case in {
		"a bad entry before an absent signal": [[_bad_entry, _members(_silence)], "InvalidAddressEntry"],
		"a bad entry before no room": [[_bad_entry, _no_room], "InvalidAddressEntry"],
		"an absent signal before no address": [
			[_no_entry, _members({"silent": _some})],
			"ReadinessSignalAbsent",
		],
		"an absent signal before no room": [[_no_room, _members({"silent": _some})], "ReadinessSignalAbsent"],
		"no address before no room": [[_no_entry, {"object": {"spec": {"maxReplicas": 1}}}], "AddressRangeExhausted"],
		"no room": [[_no_room], "MaxReplicasReached"],
		"no address": [[_no_entry], "AddressRangeExhausted"],
		"nothing": [[], "Available"],
	}
	answer := data.lictor.pools.plan with input as object.union_n(array.concat([_empty], case[0]))
	condition := answer.effects[0].status.conditions[1]
	[condition.type, condition.status, condition.reason] == ["Capacity", _status(case[1], "Available"), case[1]]
}

# Members on their way out, and those that are not ours, are not counted.
test_counts if {
	answer := data.lictor.pools.plan with input as object.union(_empty, _members({
		"fresh": {"count": 1, "items": []},
		"stale": {"count": 2, "items": []},
		"provisioning": {"count": 4, "items": []},
		"silent": {"count": 8, "items": []},
		"claimed": {"count": 16, "items": []},
		"deleting": {"count": 32, "items": []},
		"foreign": {"count": 64, "items": []},
	}))
	object.filter(answer.effects[0].status, ["replicas", "available", "provisioning", "claimed"]) == {
		"replicas": 31,
		"available": 3,
		"provisioning": 12,
		"claimed": 16,
	}
}

package lictor.pools.addressing_test

_base := data.lictor.pools.contract.vectors["plan gives each new member an address of its own"].input

_pool(entries, holds, wanted) := json.patch(_base, [
	{"op": "replace", "path": "/object/spec/addressing/pool", "value": entries},
	{"op": "replace", "path": "/views/members/holds", "value": {address: true | some address in holds}},
	{"op": "replace", "path": "/object/spec/warmReplicas", "value": wanted},
	{"op": "replace", "path": "/object/spec/maxReplicas", "value": 100},
	{"op": "replace", "path": "/object/spec/maxSurge", "value": 100},
])

# Which addresses new members get: list order, low to high, none that is held, none twice.
test_walk[name] if {
	some name, case in {
		"one": {"entries": ["10.0.0.1"], "holds": [], "wanted": 1, "want": ["10.0.0.1"]},
		"a range": {"entries": ["10.0.0.254-10.0.1.1"], "holds": [], "wanted": 3, "want": [
			"10.0.0.254",
			"10.0.0.255",
			"10.0.1.0",
		]},
		"a CIDR, from its first address": {"entries": ["10.0.0.7/30"], "holds": [], "wanted": 9, "want": [
			"10.0.0.4",
			"10.0.0.5",
			"10.0.0.6",
			"10.0.0.7",
		]},
		"the list's order": {"entries": ["10.0.0.9", "10.0.0.1-10.0.0.2"], "holds": [], "wanted": 3, "want": [
			"10.0.0.9",
			"10.0.0.1",
			"10.0.0.2",
		]},
		"held ones skipped": {
			"entries": ["10.0.0.1-10.0.0.5"],
			"holds": ["10.0.0.1", "10.0.0.3"],
			"wanted": 2,
			"want": ["10.0.0.2", "10.0.0.4"],
		},
		"an entry that is used up": {
			"entries": ["10.0.0.1", "10.0.1.0/31"],
			"holds": ["10.0.0.1"],
			"wanted": 2,
			"want": ["10.0.1.0", "10.0.1.1"],
		},
		"overlapping entries": {
			"entries": ["10.0.0.2", "10.0.0.1-10.0.0.3", "10.0.0.2"],
			"holds": [],
			"wanted": 9,
			"want": ["10.0.0.2", "10.0.0.1", "10.0.0.3"],
		},
		"IPv6": {"entries": ["fd00::fffe/127"], "holds": ["fd00::fffe"], "wanted": 2, "want": ["fd00::ffff"]},
		"IPv6, across limbs": {
			"entries": ["fd00::ffff:ffff-fd00::1:0:5"],
			"holds": [],
			"wanted": 2,
			"want": ["fd00::ffff:ffff", "fd00::1:0:0"],
		},
		"all of IPv4": {"entries": ["0.0.0.0/0"], "holds": ["0.0.0.0"], "wanted": 2, "want": ["0.0.0.1", "0.0.0.2"]},
		"all of IPv6": {"entries": ["::/0"], "holds": [], "wanted": 2, "want": ["::", "::1"]},
		"nothing": {"entries": [], "holds": [], "wanted": 2, "want": []},
	}
	answer := data.lictor.pools.plan with input as _pool(case.entries, case.holds, case.wanted)
	[effect.object.spec.networkOverrides[0].static.address |
		some effect in answer.effects
		effect.type == "create"
	] == case.want
}

# More are held than the first look covers.
test_walk_past_many_held_ones if {
	held := [concat(".", ["10.0.0", format_int(i, 10)]) | some i in numbers.range(0, 199)]
	answer := data.lictor.pools.plan with input as _pool(["10.0.0.0/8"], held, 2)
	[effect.object.spec.networkOverrides[0].static.address |
		some effect in answer.effects
		effect.type == "create"
	] == ["10.0.0.200", "10.0.0.201"]
}

# A shortfall is told, and as many as there are addresses are made.
test_shortfall if {
	answer := data.lictor.pools.plan with input as _pool(["10.0.0.1-10.0.0.2"], ["10.0.0.1"], 4)
	[effect.type | some effect in answer.effects] == ["status", "create"]
	answer.effects[0].status.conditions[1] == {
		"type": "Capacity",
		"status": "False",
		"reason": "AddressRangeExhausted",
		"message": "3 more members are needed, and no address of spec.addressing.pool is free for them.",
	}
}

# A bad entry stops creates only. It does not keep poisoned members alive.
test_a_bad_entry_stops_creates_only if {
	facts := object.union(
		data.lictor.pools.contract.vectors["plan deletes what is not ready in time and replaces it"].input,
		{"object": {"spec": {"addressing": {"interface": "eth0", "prefix": 24, "pool": ["10.0.0.1", "10.0.0.9-10.0.0.1"]}}}},
	)
	answer := data.lictor.pools.plan with input as facts
	[object.get(effect, "reason", effect.type) | some effect in answer.effects] == [
		"status",
		"ProvisioningTimeout",
		"ProvisioningTimeout",
	]
	answer.effects[0].status.conditions[1].reason == "InvalidAddressEntry"
	contains(answer.effects[0].status.conditions[1].message, "\"10.0.0.9-10.0.0.1\"")
}

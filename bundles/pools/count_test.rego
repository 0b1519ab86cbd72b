package lictor.pools.count_test

_vectors := data.lictor.pools.contract.vectors

_base := _vectors["plan fills an empty pool up to its surge"].input

# 03:04:05. Members of the contract were created at 03:00:00 and became ready at 02:00:00.
_member(name, created, since, status) := {
	"metadata": {
		"name": name,
		"uid": concat("", ["uid-of-", name]),
		"resourceVersion": "41",
		"creationTimestamp": created,
	},
	"status": {"conditions": [{
		"type": "GuestReady",
		"status": status,
		"reason": "GuestAnnounced",
		"message": "",
		"lastTransitionTime": since,
	}]},
}

# n members of one kind, named after it, the oldest first.
_bucket(kind, n) := {"count": n, "items": [member |
	n > 0
	some i in numbers.range(1, n)
	since := concat("", ["2026-01-02T02:00:0", format_int(i, 10), "Z"])
	member := _member(concat("", [kind, format_int(i, 10)]), "2026-01-02T03:00:00Z", since, "True")
]}

_pool(spec, members) := object.union(_base, {"object": {"spec": spec}, "views": {"members": members}})

_deleted(effects) := [[effect.target.name, effect.reason] | some effect in effects; effect.type == "delete"]

_creates(effects) := count([effect | some effect in effects; effect.type == "create"])

# What a pass does, by what it found: deletes in order, and how many it creates.
test_pass[name] if {
	some name, case in {
		"surge caps what is made at once": {
			"spec": {"warmReplicas": 5, "maxReplicas": 9, "maxSurge": 3},
			"members": {"provisioning": _bucket("p", 1)},
			"want": [[], 2],
		},
		"what is on its way counts toward warm": {
			"spec": {"warmReplicas": 3, "maxReplicas": 9, "maxSurge": 9},
			"members": {"provisioning": _bucket("p", 1), "silent": _bucket("q", 1)},
			"want": [[], 1],
		},
		"no surge, no members": {
			"spec": {"warmReplicas": 3, "maxReplicas": 9, "maxSurge": 0},
			"members": {},
			"want": [[], 0],
		},
		"claimed members do not count toward warm": {
			"spec": {"warmReplicas": 1, "maxReplicas": 9},
			"members": {"claimed": _bucket("c", 3)},
			"want": [[], 1],
		},
		"members on their way out make room": {
			"spec": {"warmReplicas": 1, "maxReplicas": 1},
			"members": {"deleting": _bucket("d", 3)},
			"want": [[], 1],
		},
		"surplus goes oldest first": {
			"spec": {"warmReplicas": 1, "maxReplicas": 9},
			"members": {"fresh": _bucket("f", 3)},
			"want": [[["f1", "ScaleDown"], ["f2", "ScaleDown"]], 0],
		},
		"the whole pool is scaled down": {
			"spec": {"warmReplicas": 0, "maxReplicas": 9},
			"members": {"fresh": _bucket("f", 1), "stale": _bucket("s", 1), "claimed": _bucket("c", 1)},
			"want": [[["f1", "ScaleDown"], ["s1", "StaleImage"]], 0],
		},
		"stale ones stay until they are replaced": {
			"spec": {"warmReplicas": 2, "maxReplicas": 9, "maxSurge": 9},
			"members": {"stale": _bucket("s", 2)},
			"want": [[], 2],
		},
		"a replacement that is on its way is none yet": {
			"spec": {"warmReplicas": 2, "maxReplicas": 9, "maxSurge": 9},
			"members": {"stale": _bucket("s", 2), "provisioning": _bucket("p", 2)},
			"want": [[], 0],
		},
		"one replaced, one goes": {
			"spec": {"warmReplicas": 2, "maxReplicas": 9, "maxSurge": 9},
			"members": {"stale": _bucket("s", 2), "fresh": _bucket("f", 1), "provisioning": _bucket("p", 1)},
			"want": [[["s1", "StaleImage"]], 0],
		},
		"no headroom: stale ones make room one for one": {
			"spec": {"warmReplicas": 3, "maxReplicas": 4, "maxSurge": 2},
			"members": {"stale": _bucket("s", 3), "claimed": _bucket("c", 1)},
			"want": [[["s1", "StaleImage"], ["s2", "StaleImage"]], 2],
		},
		"a little headroom: it is used first": {
			"spec": {"warmReplicas": 3, "maxReplicas": 5, "maxSurge": 2},
			"members": {"stale": _bucket("s", 3), "claimed": _bucket("c", 1)},
			"want": [[["s1", "StaleImage"]], 2],
		},
		"beyond max: nothing is given up for nothing": {
			"spec": {"warmReplicas": 2, "maxReplicas": 3, "maxSurge": 2},
			"members": {"stale": _bucket("s", 2), "claimed": _bucket("c", 3)},
			"want": [[], 0],
		},
		"beyond max: what is given up would not make room for as many": {
			"spec": {"warmReplicas": 3, "maxReplicas": 3, "maxSurge": 2},
			"members": {"stale": _bucket("s", 3), "claimed": _bucket("c", 2)},
			"want": [[], 0],
		},
		"no address: nothing is given up for nothing": {
			"spec": {
				"warmReplicas": 2,
				"maxReplicas": 2,
				"addressing": {"interface": "eth0", "prefix": 24, "pool": []},
			},
			"members": {"stale": _bucket("s", 2)},
			"want": [[], 0],
		},
		"old images are kept where the pool wants it": {
			"spec": {"warmReplicas": 2, "maxReplicas": 9, "recycleOnImageChange": false},
			"members": {"fresh": _bucket("f", 2)},
			"want": [[], 0],
		},
		"idle ones are replaced like stale ones, with their own reason": {
			"spec": {"warmReplicas": 2, "maxReplicas": 9, "maxSurge": 2, "maxIdleSeconds": 3843},
			"members": {"fresh": _bucket("f", 3), "stale": _bucket("s", 1)},
			"want": [[["f1", "IdleExpired"], ["s1", "StaleImage"]], 1],
		},
		"the oldest goes first, whatever its reason": {
			"spec": {"warmReplicas": 1, "maxReplicas": 9, "maxIdleSeconds": 3844},
			"members": {
				"fresh": _bucket("f", 2),
				"stale": {"count": 1, "items": [_member("s", "2026-01-02T01:00:00Z", "2026-01-02T01:30:00Z", "True")]},
			},
			"want": [[["s", "StaleImage"], ["f1", "IdleExpired"]], 0],
		},
	}
	answer := data.lictor.pools.plan with input as _pool(case.spec, case.members)
	[_deleted(answer.effects), _creates(answer.effects)] == case.want
}

# What time alone will change, and when the pool looks again for it.
test_requeue[name] if {
	young := {"count": 1, "items": [_member("y", "2026-01-02T03:00:05Z", "2026-01-02T03:00:05Z", "False")]}
	some name, case in {
		"nothing": {"spec": {}, "members": {"fresh": _bucket("f", 3)}, "want": null},
		"the timeout of the oldest": {
			"spec": {"provisioningTimeoutSeconds": 600},
			"members": {"provisioning": young, "silent": _bucket("q", 1)},
			"want": 1767323400000000000,
		},
		"the timeout of the oldest that has not timed out": {
			"spec": {"provisioningTimeoutSeconds": 245},
			"members": {"provisioning": young, "silent": _bucket("q", 1)},
			"want": 1767323050000000000,
		},
		"the end of idleness": {
			"spec": {"maxIdleSeconds": 7200},
			"members": {"fresh": _bucket("f", 3)},
			"want": 1767326401000000000,
		},
		"the end of the next idleness": {
			"spec": {"maxIdleSeconds": 3844},
			"members": {"fresh": _bucket("f", 3)},
			"want": 1767323046000000000,
		},
		"the earlier of both": {
			"spec": {"maxIdleSeconds": 7200, "provisioningTimeoutSeconds": 600},
			"members": {"fresh": _bucket("f", 3), "provisioning": young},
			"want": 1767323405000000000,
		},
		"never": {
			"spec": {"maxIdleSeconds": 18446744073709551615, "provisioningTimeoutSeconds": 18446744073709551615},
			"members": {"fresh": _bucket("f", 3), "provisioning": young},
			"want": null,
		},
	}
	answer := data.lictor.pools.plan with input as _pool(case.spec, case.members)
	object.get(answer, ["requeue", "at"], null) == case.want
}

# At its very second a member is too old, or the pool would look again at the same instant for ever.
test_timeout_at_its_instant[name] if {
	some name, case in {
		"a nanosecond before": [1767324599999999999, []],
		"at it": [1767324600000000000, [["a", "ProvisioningTimeout"], ["b", "ProvisioningTimeout"]]],
	}
	answer := data.lictor.pools.plan with input as object.union(
		_vectors["plan deletes what is not ready in time and replaces it"].input,
		{"now": case[0]},
	)
	_deleted(answer.effects) == case[1]
}

# Only the oldest are shown. The rest is taken to be in order, and is not lost count of.
test_more_members_than_are_shown[name] if {
	shown := _bucket("m", 2)
	many := {"count": 50, "items": shown.items}
	some name, case in {
		"surplus": {
			"spec": {"warmReplicas": 3, "maxReplicas": 60},
			"members": {"fresh": many},
			"want": [[["m1", "ScaleDown"], ["m2", "ScaleDown"]], 0],
		},
		"stale": {
			"spec": {"warmReplicas": 3, "maxReplicas": 60, "maxSurge": 5},
			"members": {"stale": many},
			"want": [[["m1", "StaleImage"], ["m2", "StaleImage"]], 3],
		},
		"stale, and no headroom: no more go than are seen": {
			"spec": {"warmReplicas": 50, "maxReplicas": 50, "maxSurge": 5},
			"members": {"stale": many},
			"want": [[["m1", "StaleImage"], ["m2", "StaleImage"]], 2],
		},
		"idle": {
			"spec": {"warmReplicas": 50, "maxReplicas": 60, "maxSurge": 5, "maxIdleSeconds": 60},
			"members": {"fresh": many},
			"want": [[], 2],
		},
		"not ready in time": {
			"spec": {"warmReplicas": 60, "maxReplicas": 100, "maxSurge": 49, "provisioningTimeoutSeconds": 60},
			"members": {"silent": many},
			"want": [[["m1", "ProvisioningTimeout"], ["m2", "ProvisioningTimeout"]], 1],
		},
	}
	answer := data.lictor.pools.plan with input as _pool(case.spec, case.members)
	[_deleted(answer.effects), _creates(answer.effects)] == case.want
}

# The invariants, each over a grid of pools. Several grids, to stay within a test's time on a busy machine.
test_invariants_with_no_fresh_and_no_claimed[name] if {
	some name, broken in _broken(_grid(0, 0))
	broken == []
}

test_invariants_with_no_fresh_and_some_claimed[name] if {
	some name, broken in _broken(_grid(0, 2))
	broken == []
}

test_invariants_with_too_few_fresh_and_no_claimed[name] if {
	some name, broken in _broken(_grid(1, 0))
	broken == []
}

test_invariants_with_too_few_fresh_and_some_claimed[name] if {
	some name, broken in _broken(_grid(1, 2))
	broken == []
}

test_invariants_with_too_many_fresh_and_no_claimed[name] if {
	some name, broken in _broken(_grid(4, 0))
	broken == []
}

test_invariants_with_too_many_fresh_and_some_claimed[name] if {
	some name, broken in _broken(_grid(4, 2))
	broken == []
}

_broken(pools) := {
	"the grid is as large as it should be": [size | size := count(pools); size != 24],
	"1: a claimed member is never deleted": [pool | some pool in pools; not _leaves_claimed(pool)],
	"2: nothing goes back to warm": [pool | some pool in pools; not _makes_and_deletes_only(pool)],
	"3: no more than max": [pool | some pool in pools; not _within_max(pool)],
	"4: no more than surge": [pool | some pool in pools; not _within_surge(pool)],
	"5: replacement first": [pool | some pool in pools; not _available_enough(pool)],
}

# Pools of all kinds, and what a pass does to each.
_grid(fresh, claimed) := [{"spec": facts.object.spec, "members": facts.views.members, "effects": effects} |
	some most in [3, 5]
	some surge in [1, 2]
	some stale in [0, 1, 3]
	some unready in [[1, 600], [2, 60]] # how many, 245 seconds old, and the timeout
	facts := _pool(
		{"warmReplicas": 3, "maxReplicas": most, "maxSurge": surge, "provisioningTimeoutSeconds": unready[1]},
		{
			"fresh": _bucket("fresh", fresh),
			"stale": _bucket("stale", stale),
			"silent": _bucket("silent", unready[0]),
			"claimed": _bucket("claimed", claimed),
			"deleting": _bucket("deleting", 1),
		},
	)
	effects := data.lictor.pools.plan.effects with input as facts # regal ignore:with-outside-test-context
]

_gone(pool, kind) := count([name | some [name, _] in _deleted(pool.effects); startswith(name, kind)])

_leaves_claimed(pool) if {
	_gone(pool, "claimed") == 0
	_gone(pool, "deleting") == 0
}

_makes_and_deletes_only(pool) if {
	{effect.type | some effect in pool.effects} - {"status", "create", "delete"} == set()
}

_alive(pool) := pool.effects[0].status.replicas - count(_deleted(pool.effects))

_within_max(pool) if _creates(pool.effects) == 0

_within_max(pool) if _alive(pool) + _creates(pool.effects) <= pool.spec.maxReplicas

_within_surge(pool) if _creates(pool.effects) == 0

_within_surge(pool) if {
	(pool.members.silent.count - _gone(pool, "silent")) + _creates(pool.effects) <= pool.spec.maxSurge
}

# As many as wanted stay available, or as many as there were.
_available_enough(pool) if _dip(pool) == 0

# Fewer do where every place up to max is taken, one for each member that is made.
_available_enough(pool) if {
	_dip(pool) <= _creates(pool.effects)
	_alive(pool) + _creates(pool.effects) == pool.spec.maxReplicas
}

_dip(pool) := min([before, pool.spec.warmReplicas]) - min([after, pool.spec.warmReplicas]) if {
	before := pool.members.fresh.count + pool.members.stale.count
	after := (before - _gone(pool, "fresh")) - _gone(pool, "stale")
}

# 6: an address that any member holds, on its way out or not, is not given again, nor one twice.
test_invariant_6_no_address_twice if {
	every held in [[], ["10.0.0.0"], ["10.0.0.1", "10.0.0.2"], ["10.0.0.0", "10.0.0.3"]] {
		facts := object.union(
			_pool(
				{
					"warmReplicas": 4,
					"maxReplicas": 9,
					"maxSurge": 9,
					"addressing": {"interface": "eth0", "prefix": 24, "pool": ["10.0.0.0/30", "10.0.0.2-10.0.0.5"]},
				},
				{"deleting": _bucket("deleting", count(held))},
			),
			{"views": {"members": {"holds": {address: true | some address in held}}}},
		)
		effects := data.lictor.pools.plan.effects with input as facts
		given := [effect.object.spec.networkOverrides[0].static.address | some effect in effects; effect.type == "create"]
		count(given) == 4
		count({address | some address in given} - {address | some address in held}) == 4
	}
}

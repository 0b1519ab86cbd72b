package lictor.pools.rank_test

_ready := data.lictor.pools.contract.vectors["rank: ready, of the pool's image"].input

_deletion := {"op": "add", "path": "/object/metadata/deletionTimestamp", "value": "2026-01-02T03:00:00Z"}

_claim := {"op": "add", "path": "/object/metadata/labels/banlieue.io~1claim", "value": ""}

_no_owner := {"op": "remove", "path": "/object/metadata/ownerReferences"}

_another_image := {"op": "replace", "path": "/scope/status/imageRevision", "value": "r3"}

_not_ready := {"op": "replace", "path": "/object/status/conditions/0/status", "value": "False"}

_silent := {"op": "remove", "path": "/object/status"}

# Two buckets that a member could be in, and the one that it must be in.
test_precedence[name] if {
	some name, case in {
		"deleting before claimed": [[_deletion, _claim], "deleting"],
		"deleting before foreign": [[_deletion, _no_owner], "deleting"],
		"deleting before ready": [[_deletion], "deleting"],
		"deleting before silent": [[_deletion, _silent], "deleting"],
		"claimed before foreign": [[_claim, _no_owner], "claimed"],
		"claimed before ready": [[_claim], "claimed"],
		"claimed before stale": [[_claim, _another_image], "claimed"],
		"claimed before provisioning": [[_claim, _not_ready], "claimed"],
		"foreign before ready": [[_no_owner], "foreign"],
		"foreign before silent": [[_no_owner, _silent], "foreign"],
		"stale before fresh": [[_another_image], "stale"],
		"fresh": [[], "fresh"],
		"provisioning, whatever its image": [[_not_ready, _another_image], "provisioning"],
		"silent, whatever its image": [[_silent, _another_image], "silent"],
	}
	data.lictor.pools.rank.bucket == case[1] with input as json.patch(_ready, case[0])
}

test_stale[name] if {
	some name, case in {
		"of another image": [[_another_image], "stale"],
		"of no known image": [
			[{"op": "remove", "path": "/object/metadata/labels/banlieue.io~1pool-image-revision"}],
			"stale",
		],
		"without the pool saying what to do": [
			[_another_image, {"op": "remove", "path": "/scope/spec/recycleOnImageChange"}],
			"stale",
		],
		"not where the pool keeps old images": [
			[_another_image, {"op": "replace", "path": "/scope/spec/recycleOnImageChange", "value": false}],
			"fresh",
		],
		"not before the pool has recorded a revision": [[{"op": "remove", "path": "/scope/status"}], "fresh"],
		"not where the recorded revision is none": [
			[{"op": "replace", "path": "/scope/status/imageRevision", "value": ""}],
			"fresh",
		],
	}
	data.lictor.pools.rank.bucket == case[1] with input as json.patch(_ready, case[0])
}

test_order[name] if {
	some name, case in {
		"ready members by their readiness": [[], [1767319200000000000, "a"]],
		"others by their creation": [[_not_ready], [1767315600000000000, "a"]],
		"ready since nobody knows when": [
			[{"op": "replace", "path": "/object/status/conditions/0/lastTransitionTime", "value": "then"}],
			[1767315600000000000, "a"],
		],
	}
	data.lictor.pools.rank.order == case[1] with input as json.patch(_ready, case[0])
}

test_holds[name] if {
	some name, case in {
		"the first override's address": {
			"overrides": [
				{"name": "eth0", "static": {"address": "10.0.0.4", "prefix": 24}},
				{"name": "eth1", "static": {"address": "10.0.1.4", "prefix": 24}},
			],
			"want": ["10.0.0.4"],
		},
		"an address written in another way": {
			"overrides": [{"name": "eth0", "static": {"address": "FD00:0::4", "prefix": 64}}],
			"want": ["fd00::4"],
		},
		"none": {"overrides": [], "want": []},
	}
	some patch in [[], [_deletion], [_claim], [_no_owner], [_silent]]
	data.lictor.pools.rank.holds == case.want with input as json.patch(
		_ready,
		array.concat(patch, [{"op": "replace", "path": "/object/spec/networkOverrides", "value": case.overrides}]),
	)
}

test_a_member_without_overrides_holds_nothing if {
	data.lictor.pools.rank.holds == [] with input as json.remove(_ready, ["object/spec/networkOverrides"])
}

test_missing_facts[name] if {
	some name, facts in {
		"null": null,
		"nothing": {},
		"no object": json.remove(_ready, ["object"]),
		"no pool": json.patch(_ready, [{"op": "replace", "path": "/scope", "value": null}]),
		"a pool without readiness, an unready member": json.patch(
			json.remove(_ready, ["scope/spec/readiness"]),
			[_not_ready],
		),
	}
	not data.lictor.pools.rank with input as facts
}

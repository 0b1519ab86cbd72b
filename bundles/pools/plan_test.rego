package lictor.pools.plan_test

_vectors := data.lictor.pools.contract.vectors

_empty := _vectors["plan fills an empty pool up to its surge"]

_rolled := _vectors["plan records a new image revision first"]

_collected := _vectors["plan leaves a deleted pool to garbage collection"]

# Two steps that could be taken, and the one that must.
test_precedence[name] if {
	some name, case in {
		"collect before roll": {
			"input": object.union(_rolled.input, {"object": _collected.input.object}),
			"want": _collected.want,
		},
		"collect before plan": {"input": _collected.input, "want": _collected.want},
		"roll before plan": {"input": _rolled.input, "want": _rolled.want},
	}
	data.lictor.pools.plan == case.want with input as case.input
}

# Which revision members are built from, seen in what a pool that has recorded another one records.
test_revision[name] if {
	some name, case in {
		"the build's artifact": {"image": {}, "want": "r2"},
		"the generation, where nothing was built": {"image": {"status": {"buildArtifact": null}}, "want": "gen-3"},
		"the generation, while it is being built": {
			"image": {"status": {"buildArtifact": {"osArtifactUid": null}}},
			"want": "gen-3",
		},
		"the generation, where the artifact is no label": {
			"image": {"status": {"buildArtifact": {"osArtifactUid": "not a label"}}},
			"want": "gen-3",
		},
	}
	answer := data.lictor.pools.plan with input as object.union(_rolled.input, {"related": {"image": case.image}})
	answer.effects == [{"type": "status", "status": {"imageRevision": case.want, "available": 1}}]
}

# The first pass of a pool: it has no status at all.
test_a_new_pool_records_its_revision if {
	answer := data.lictor.pools.plan with input as json.remove(_empty.input, ["object/status"])
	answer == {
		"step": "Roll",
		"effects": [{"type": "status", "status": {"imageRevision": "r2"}}],
		"requeue": {"at": 1767323045123456789},
	}
}

# No image: the recorded revision stays, members stay on their side of it, and nothing is built.
test_without_an_image[name] if {
	some name, recorded in {"recorded": {"imageRevision": "r2"}, "never recorded": {}}
	answer := data.lictor.pools.plan with input as json.patch(_empty.input, [
		{"op": "replace", "path": "/related/image", "value": null},
		{"op": "replace", "path": "/object/status", "value": recorded},
	])
	answer.step == "Plan"
	[effect.type | some effect in answer.effects] == ["status"]
	object.filter(answer.effects[0].status, ["imageRevision"]) == recorded
}

# Deletes of what is there go on without an image.
test_without_an_image_timeouts_still_end if {
	answer := data.lictor.pools.plan with input as json.patch(
		_vectors["plan deletes what is not ready in time and replaces it"].input,
		[{"op": "replace", "path": "/related/image", "value": null}],
	)
	[effect.reason | some effect in answer.effects; effect.type == "delete"] == [
		"ProvisioningTimeout",
		"ProvisioningTimeout",
	]
	[effect | some effect in answer.effects; effect.type == "create"] == []
}

# A pass that found the same says the same.
test_planning_again_changes_nothing if {
	full := _vectors["plan says that maxReplicas is reached"]
	answer := data.lictor.pools.plan with input as object.union(
		full.input,
		{"object": {"status": full.want.effects[0].status}},
	)
	answer == full.want
}

_without(path) := json.remove(_empty.input, [path])

# No facts, no plan. Not one of these may read as "zero" or "free".
test_missing_facts_have_no_effects[name] if {
	some name, facts in {
		"null": null,
		"nothing": {},
		"no pool": _without("object"),
		"no spec": _without("object/spec"),
		"no warm": _without("object/spec/warmReplicas"),
		"no max": _without("object/spec/maxReplicas"),
		"no readiness": _without("object/spec/readiness"),
		"no template": _without("object/spec/template"),
		"no time": _without("now"),
		"not looked for the image": _without("related/image"),
		"not looked for members": _without("views"),
		"not looked for fresh ones": _without("views/members/fresh"),
		"not counted stale ones": _without("views/members/stale/count"),
		"not shown provisioning ones": _without("views/members/provisioning/items"),
		"not looked for silent ones": _without("views/members/silent"),
		"not looked for claimed ones": _without("views/members/claimed"),
		"not looked for addresses": _without("views/members/holds"),
	}
	not data.lictor.pools.plan with input as facts
}

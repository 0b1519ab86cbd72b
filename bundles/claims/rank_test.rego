package lictor.claims.rank_test

_vector := data.lictor.claims.contract.vectors["rank puts a member of the current image first"]

_order := [1767315600000000000, "warm-a"]

test_freshness[name] if {
	some name, case in {
		"of the pool's revision": {"patch": [], "want": {"bucket": "fresh", "order": _order}},
		"of another revision": {
			"patch": [{"op": "replace", "path": "/scope/status/imageRevision", "value": "r3"}],
			"want": {"bucket": "stale", "order": _order},
		},
		"of no known revision": {
			"patch": [{"op": "remove", "path": "/object/metadata/labels/banlieue.io~1pool-image-revision"}],
			"want": {"bucket": "stale", "order": _order},
		},
		"the pool has not recorded a revision": {
			"patch": [{"op": "remove", "path": "/scope/status"}],
			"want": {"bucket": "fresh", "order": _order},
		},
		"the pool has recorded none": {
			"patch": [{"op": "replace", "path": "/scope/status/imageRevision", "value": ""}],
			"want": {"bucket": "fresh", "order": _order},
		},
		"ready by another condition": {
			"patch": [
				{"op": "replace", "path": "/scope/spec/readiness", "value": "InfrastructureReady"},
				{"op": "add", "path": "/object/status/conditions/-", "value": {
					"type": "InfrastructureReady",
					"status": "True",
					"reason": "Provisioned",
					"message": "",
					"lastTransitionTime": "2026-01-02T00:30:00+01:00",
				}},
			],
			"want": {"bucket": "fresh", "order": [1767310200000000000, "warm-a"]},
		},
	}
	answer := data.lictor.claims.rank with input as json.patch(_vector.input, case.patch)
	answer == case.want
}

# Whom no claim is given.
test_left_out[name] if {
	some name, patch in {
		"claimed": [{"op": "add", "path": "/object/metadata/labels/banlieue.io~1claim", "value": "desk"}],
		"claimed by a claim without a name": [{"op": "add", "path": "/object/metadata/labels/banlieue.io~1claim", "value": ""}],
		"on its way out": [{"op": "add", "path": "/object/metadata/deletionTimestamp", "value": "2026-01-02T03:04:05Z"}],
		"not ready": [{"op": "replace", "path": "/object/status/conditions/0/status", "value": "False"}],
		"ready or not, nobody knows": [{"op": "replace", "path": "/object/status/conditions/0/status", "value": "Unknown"}],
		"never said anything": [{"op": "remove", "path": "/object/status"}],
		"ready in another way": [{"op": "replace", "path": "/scope/spec/readiness", "value": "InfrastructureReady"}],
		"of an earlier pool of that name": [{"op": "replace", "path": "/scope/metadata/uid", "value": "uid-of-another"}],
		"nobody's": [{"op": "remove", "path": "/object/metadata/ownerReferences"}],
		"of no pool": [{"op": "replace", "path": "/scope", "value": null}],
	}
	not data.lictor.claims.rank with input as json.patch(_vector.input, patch)
}

test_missing_facts[name] if {
	some name, facts in {"null": null, "nothing": {}, "no object": {"scope": _vector.input.scope}}
	not data.lictor.claims.rank with input as facts
}

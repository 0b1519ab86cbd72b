package lictor.claims.bind_test

_contract(name) := data.lictor.claims.contract.vectors[name]

_fresh := _contract("step binds the member that has been ready longest")

_intent := _contract("step finishes the bind that it began")

_second := {
	"metadata": {"name": "warm-b", "uid": "uid-of-warm-b", "resourceVersion": "52"},
	"status": {
		"addresses": [],
		"tpmEndorsementCertificates": ["-----BEGIN CERTIFICATE-----"],
	},
}

_queue(fresh, stale) := {"views": {"members": {
	"fresh": {"count": count(fresh), "items": fresh},
	"stale": {"count": count(stale), "items": stale},
}}}

_first := _fresh.input.views.members.fresh.items[0]

# Whom the bind takes.
test_choice[name] if {
	some name, case in {
		"the first of the fresh": {"input": _queue([_second, _first], []), "want": "warm-b"},
		"a fresh one before a stale one": {"input": _queue([_second], [_first]), "want": "warm-b"},
		"a stale one where no fresh one is left": {"input": _queue([], [_second]), "want": "warm-b"},
		# Counted, but another claim is about to take it: it is not among the items.
		"a stale one where the fresh ones are hidden": {
			"input": object.union(_queue([], [_second]), {"views": {"members": {"fresh": {"count": 1}}}}),
			"want": "warm-b",
		},
	}
	answer := data.lictor.claims.step with input as object.union(_fresh.input, case.input)
	answer.effects[0].member.name == case.want
}

# The whole answer, for a member that has certificates and no address.
test_status_shows_what_the_member_has if {
	answer := data.lictor.claims.step with input as object.union(_fresh.input, _queue([_second], []))
	answer == {
		"step": "Bind",
		"effects": [
			{
				"type": "bind",
				"member": {"name": "warm-b", "uid": "uid-of-warm-b", "resourceVersion": "52"},
				"annotations": {
					"banlieue.io/claim-subject-issuer": "https://issuer.example",
					"banlieue.io/claim-subject-id": "alice",
				},
			},
			{"type": "status", "status": {
				"phase": "Bound",
				"virtualMachineRef": {"name": "warm-b"},
				"boundAt": "2026-01-02T03:04:05Z",
				"expiresAt": "2026-01-02T04:04:05Z",
				"tpmEndorsementCertificates": ["-----BEGIN CERTIFICATE-----"],
				"conditions": [{
					"type": "Bound",
					"status": "True",
					"reason": "Bound",
					"message": "VirtualMachine \"warm-b\" is bound until 2026-01-02T04:04:05Z.",
				}],
				"observedGeneration": 1,
			}},
		],
		"requeue": {"at": 1767326645000000000},
	}
}

# The member that was announced, and when it may still be taken. Each case would have another member to give.
test_intent[name] if {
	some name, case in {
		"still free": {"member": {}, "want": "warm-a"},
		"already ours": {
			"member": {"metadata": {
				"labels": {"banlieue.io/claim": "desk"},
				"ownerReferences": [{"kind": "VirtualMachineClaim", "name": "desk", "uid": "uid-of-desk"}],
			}},
			"want": "warm-a",
		},
		"taken by another claim": {
			"member": {"metadata": {
				"labels": {"banlieue.io/claim": "other"},
				"ownerReferences": [{"kind": "VirtualMachineClaim", "name": "other", "uid": "uid-of-other"}],
			}},
			"want": "warm-b",
		},
		"taken by a claim that had our name": {
			"member": {"metadata": {
				"labels": {"banlieue.io/claim": "desk"},
				"ownerReferences": [{"kind": "VirtualMachineClaim", "name": "desk", "uid": "uid-of-an-earlier-desk"}],
			}},
			"want": "warm-b",
		},
		"on its way out": {"member": {"metadata": {"deletionTimestamp": "2026-01-02T03:04:04Z"}}, "want": "warm-b"},
		"a namesake": {"member": {"metadata": {"uid": "uid-of-another"}}, "want": "warm-b"},
		"of another pool": {"member": {"metadata": {"labels": {"banlieue.io/pool": "cold"}}}, "want": "warm-b"},
	}
	answer := data.lictor.claims.step with input as object.union_n([
		_intent.input,
		_queue([_second], []),
		{"related": {"member": case.member}},
	])
	answer.effects[0].member.name == case.want
}

test_intent_whose_member_is_gone if {
	answer := data.lictor.claims.step with input as json.patch(
		object.union(_intent.input, _queue([_second], [])),
		[{"op": "replace", "path": "/related/member", "value": null}],
	)
	answer.effects[0].member.name == "warm-b"
}

# A bind that was begun is finished even when the pool is gone meanwhile.
test_intent_outlives_its_pool if {
	answer := data.lictor.claims.step with input as json.patch(
		_intent.input,
		[{"op": "replace", "path": "/related/pool", "value": null}],
	)
	answer == _intent.want
}

# The lifetime in whole seconds, never longer than asked for, and never beyond what a time can say.
test_lifetime[name] if {
	some name, case in {
		"the shortest": {"now": 1767323045999999999, "ttl": 1, "want": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z"]},
		"none at all": {"now": 1767323045000000000, "ttl": 0, "want": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"]},
		"a year": {"now": 1767323045000000001, "ttl": 31536000, "want": ["2026-01-02T03:04:05Z", "2027-01-02T03:04:05Z"]},
		"forever": {
			"now": 1767323045000000001,
			"ttl": 18446744073709551615,
			"want": ["2026-01-02T03:04:05Z", "2262-04-11T23:47:16Z"],
		},
	}
	answer := data.lictor.claims.step with input as object.union(_fresh.input, {
		"now": case.now,
		"object": {"spec": {"ttlSeconds": case.ttl}},
	})
	status := answer.effects[1].status
	[status.boundAt, status.expiresAt] == case.want
	time.parse_rfc3339_ns(status.expiresAt) == answer.requeue.at
}

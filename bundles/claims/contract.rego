# METADATA
# title: Contract of the claims bundle
# description: Inputs on which the decisions must answer before a revision of this bundle may decide anything.
# custom:
#   id: lictor.claims.contract
package lictor.claims.contract

# METADATA
# title: Vectors
# description: One per branch of the step, and one per answer of the rank.
# custom:
#   id: lictor.claims.contract.vectors
vectors := object.union_n([_step_vectors, _rank_vectors, _held_vectors])

# regal ignore:rule-length
_step_vectors[name] := {"decision": "lictor.claims.step", "input": case.input, "want": case.want} if {
	some name, case in {
		"step binds the member that has been ready longest": {
			"input": _input(_claim, null, _one_free),
			"want": {
				"step": "Bind",
				"effects": [
					{
						"type": "bind",
						"member": {"name": "warm-a", "uid": "uid-of-warm-a", "resourceVersion": "41"},
						"annotations": {
							"banlieue.io/claim-subject-issuer": "https://issuer.example",
							"banlieue.io/claim-subject-id": "alice",
						},
					},
					{"type": "status", "status": _bound_status},
				],
				"requeue": {"at": 1767326645000000000},
			},
		},
		"step finishes the bind that it began": {
			"input": _input(_intending_claim, _member, _none_free),
			"want": {
				"step": "Bind",
				"effects": [
					{
						"type": "bind",
						"member": {"name": "warm-a", "uid": "uid-of-warm-a", "resourceVersion": "41"},
						"annotations": {
							"banlieue.io/claim-subject-issuer": "https://issuer.example",
							"banlieue.io/claim-subject-id": "alice",
						},
					},
					{"type": "status", "status": _bound_status},
				],
				"requeue": {"at": 1767326645000000000},
			},
		},
		"step waits while no member is free": {
			"input": _input(_claim, null, _none_free),
			"want": {
				"step": "Wait",
				"effects": [{"type": "status", "status": {
					"phase": "Pending",
					"conditions": [{
						"type": "Bound",
						"status": "False",
						"reason": "NoMemberAvailable",
						"message": concat("", [
							"VirtualMachinePool \"warm\" has no member to give: ",
							"Filling: 0 of 2 wanted members are ready.",
						]),
					}],
					"observedGeneration": 1,
				}}],
				"requeue": {"at": 1767323048123456789, "on": "members"},
			},
		},
		"step waits for a pool that does not exist": {
			"input": object.union(_input(_claim, null, _none_free), {"related": {"pool": null}}),
			"want": {
				"step": "Wait",
				"effects": [{"type": "status", "status": {
					"phase": "Pending",
					"conditions": [{
						"type": "Bound",
						"status": "False",
						"reason": "PoolNotFound",
						"message": "VirtualMachinePool \"warm\" does not exist in this namespace.",
					}],
					"observedGeneration": 1,
				}}],
				"requeue": {"at": 1767323048123456789, "on": "members"},
			},
		},
		"step holds a member that is there": {
			"input": _input(_bound_claim, _taken_member, _one_free),
			"want": {
				"step": "Hold",
				"effects": [{"type": "status", "status": _bound_status}],
				"requeue": {"at": 1767326645000000000},
			},
		},
		"step fails when the member vanished": {
			"input": _input(_bound_claim, null, _one_free),
			"want": {
				"step": "Fail",
				"effects": [
					{"type": "status", "status": {
						"phase": "Failed",
						"virtualMachineRef": {"name": "warm-a"},
						"boundAt": "2026-01-02T03:04:05Z",
						"expiresAt": "2026-01-02T04:04:05Z",
						"conditions": [{
							"type": "Bound",
							"status": "False",
							"reason": "MemberLost",
							"message": _lost,
						}],
						"observedGeneration": 1,
					}},
					{"type": "event", "eventType": "Warning", "reason": "MemberLost", "message": _lost},
				],
				"requeue": {"at": 1767326645000000000},
			},
		},
		"step releases the member of a deleted claim": {
			"input": _input(_deleted(_bound_claim), _taken_member, _one_free),
			"want": {
				"step": "Release",
				"effects": [
					{
						"type": "delete",
						"target": {
							"apiVersion": "banlieue.io/v1alpha1",
							"kind": "VirtualMachine",
							"name": "warm-a",
							"uid": "uid-of-warm-a",
						},
						"reason": "Released",
					},
					{"type": "status", "status": {
						"phase": "Releasing",
						"virtualMachineRef": {"name": "warm-a"},
						"boundAt": "2026-01-02T03:04:05Z",
						"expiresAt": "2026-01-02T04:04:05Z",
						"conditions": [{
							"type": "Bound",
							"status": "False",
							"reason": "Released",
							"message": "The claim was deleted; its VirtualMachine is being destroyed.",
						}],
						"observedGeneration": 1,
					}},
				],
				"requeue": {"at": 1767323050123456789},
			},
		},
		"step lets a deleted claim go when its member is gone": {
			"input": _input(_deleted(_bound_claim), null, _one_free),
			"want": {
				"step": "Release",
				"effects": [{"type": "finalizer.remove", "finalizer": "banlieue.io/claim-protection"}],
			},
		},
		"step deletes an expired claim when its member is gone": {
			"input": object.union(_input(_bound_claim, null, _one_free), {"now": 1767326645000000000}),
			"want": {
				"step": "Release",
				"effects": [{
					"type": "delete",
					"target": {
						"apiVersion": "banlieue.io/v1alpha1",
						"kind": "VirtualMachineClaim",
						"name": "desk",
						"uid": "uid-of-desk",
					},
					"reason": "Expired",
				}],
			},
		},
	}
}

# Answers are not pinned here, or changing the pick order would take two edits. rank_test.rego pins the shipped ones.
_rank_vectors := {
	"rank puts a member of the current image first": {
		"decision": "lictor.claims.rank",
		"input": {"object": _member, "scope": _scope("r2")},
	},
	"rank puts a member of an older image second": {
		"decision": "lictor.claims.rank",
		"input": {"object": _member, "scope": _scope("r3")},
	},
}

_held_vectors := {"held is what carries a claim's name": {
	"decision": "lictor.claims.held",
	"input": {"object": object.union(_member, {"metadata": {"labels": {"banlieue.io/claim": "mine"}}}), "scope": null},
	"want": {"bucket": "held", "order": ["warm-a"]},
}}

_input(claim, member, members) := {
	"now": 1767323045123456789, # 2026-01-02T03:04:05.123456789Z
	"object": claim,
	"related": {"pool": _pool_object, "member": member},
	"views": {"members": members},
}

_claim := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachineClaim",
	"metadata": {
		"name": "desk",
		"namespace": "team",
		"uid": "uid-of-desk",
		"resourceVersion": "7",
		"generation": 1,
		"creationTimestamp": "2026-01-02T03:04:04Z",
	},
	"spec": {
		"poolRef": {"name": "warm"},
		"subject": {"issuer": "https://issuer.example", "id": "alice"},
		"ttlSeconds": 3600,
	},
}

_intending_claim := object.union(_claim, {"metadata": {
	"annotations": {"lictor.dev/bind-intent": "warm-a", "lictor.dev/bind-intent-uid": "uid-of-warm-a"},
	"finalizers": ["banlieue.io/claim-protection"],
}})

_bound_claim := object.union(_intending_claim, {"status": _bound_status})

_deleted(claim) := object.union(claim, {"metadata": {
	"deletionTimestamp": "2026-01-02T03:04:05Z",
	"deletionGracePeriodSeconds": 0,
}})

_bound_status := {
	"phase": "Bound",
	"virtualMachineRef": {"name": "warm-a"},
	"boundAt": "2026-01-02T03:04:05Z",
	"expiresAt": "2026-01-02T04:04:05Z",
	"addresses": [{"type": "InternalIP", "address": "10.0.0.4"}],
	"conditions": [{
		"type": "Bound",
		"status": "True",
		"reason": "Bound",
		"message": "VirtualMachine \"warm-a\" is bound until 2026-01-02T04:04:05Z.",
	}],
	"observedGeneration": 1,
}

_lost := concat("", [
	"VirtualMachine \"warm-a\" is gone. A claim is never bound to a second one: ",
	"delete this claim and create another.",
])

_pool_object := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachinePool",
	"metadata": {"name": "warm", "namespace": "team", "uid": "uid-of-warm"},
	"spec": {"readiness": "GuestReady", "warmReplicas": 2, "maxReplicas": 4},
	"status": {
		"imageRevision": "r2",
		"conditions": [{
			"type": "Warm",
			"status": "False",
			"reason": "Filling",
			"message": "0 of 2 wanted members are ready.",
		}],
	},
}

_scope(revision) := {
	"metadata": {"uid": "uid-of-warm"},
	"spec": {"readiness": "GuestReady"},
	"status": {"imageRevision": revision},
}

_member := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachine",
	"metadata": {
		"name": "warm-a",
		"namespace": "team",
		"uid": "uid-of-warm-a",
		"resourceVersion": "41",
		"creationTimestamp": "2026-01-02T00:00:00Z",
		"labels": {"banlieue.io/pool": "warm", "banlieue.io/pool-image-revision": "r2"},
		"ownerReferences": [{
			"apiVersion": "banlieue.io/v1alpha1",
			"kind": "VirtualMachinePool",
			"name": "warm",
			"uid": "uid-of-warm",
			"controller": true,
		}],
	},
	"spec": {"classRef": {"name": "small"}, "imageRef": {"name": "linux"}},
	"status": {
		"addresses": [{"type": "InternalIP", "address": "10.0.0.4"}],
		"conditions": [{
			"type": "GuestReady",
			"status": "True",
			"reason": "GuestAnnounced",
			"message": "",
			"lastTransitionTime": "2026-01-02T01:00:00Z",
		}],
	},
}

_taken_member := object.union(_member, {"metadata": {
	"labels": {"banlieue.io/claim": "desk"},
	"ownerReferences": [{
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachineClaim",
		"name": "desk",
		"uid": "uid-of-desk",
		"controller": true,
	}],
}})

_none_free := {"fresh": {"count": 0, "items": []}, "stale": {"count": 0, "items": []}}

_one_free := {
	"fresh": {"count": 1, "items": [{
		"metadata": {"name": "warm-a", "uid": "uid-of-warm-a", "resourceVersion": "41"},
		"status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.4"}]},
	}]},
	"stale": {"count": 0, "items": []},
}

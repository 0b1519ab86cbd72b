# METADATA
# title: Contract of the pools bundle
# description: Inputs on which the decisions must answer before a revision of this bundle may decide anything.
# custom:
#   id: lictor.pools.contract
package lictor.pools.contract

# METADATA
# title: Vectors
# description: One per step of the plan and per reason of its conditions, and one per bucket of the rank.
# custom:
#   id: lictor.pools.contract.vectors
vectors := object.union(_plan_vectors, _rank_vectors)

# regal ignore:rule-length
_plan_vectors[name] := {"decision": "lictor.pools.plan", "input": case.input, "want": case.want} if {
	some name, case in {
		"plan leaves a deleted pool to garbage collection": {
			"input": object.union(_input(_pool, {}), {"object": {"metadata": {"deletionTimestamp": "2026-01-02T03:04:05Z"}}}),
			"want": {"step": "Collect", "effects": []},
		},
		"plan records a new image revision first": {
			"input": object.union(_input(_pool, {}), {"object": {"status": {"imageRevision": "r1", "available": 1}}}),
			"want": {
				"step": "Roll",
				"effects": [{"type": "status", "status": {"imageRevision": "r2", "available": 1}}],
				"requeue": {"at": 1767323045123456789},
			},
		},
		"plan fills an empty pool up to its surge": {
			"input": _input(_pool, {}),
			"want": {
				"step": "Plan",
				"effects": [
					{"type": "status", "status": _status(
						0,
						0,
						0,
						["False", "Filling", "0 of 3 wanted members are ready, 0 are being provisioned."],
						["True", "Available", "Nothing keeps the pool from growing."],
					)},
					{"type": "create", "object": _new_member},
					{"type": "create", "object": _new_member},
				],
			},
		},
		"plan gives each new member an address of its own": {
			"input": _input(_addressed_pool(["10.0.0.1-10.0.0.3"]), {"holds": {"10.0.0.1": true}}),
			"want": {
				"step": "Plan",
				"effects": [
					{"type": "status", "status": _status(
						0,
						0,
						0,
						["False", "Filling", "0 of 3 wanted members are ready, 0 are being provisioned."],
						["True", "Available", "Nothing keeps the pool from growing."],
					)},
					{"type": "create", "object": _addressed_member("10.0.0.2", "warm-7bd161ac07")},
					{"type": "create", "object": _addressed_member("10.0.0.3", "warm-f15244c918")},
				],
			},
		},
		"plan says that addresses are used up": {
			"input": _input(_addressed_pool(["10.0.0.1"]), {"holds": {"10.0.0.1": true}}),
			"want": {
				"step": "Plan",
				"effects": [{"type": "status", "status": _status(
					0,
					0,
					0,
					["False", "Filling", "0 of 3 wanted members are ready, 0 are being provisioned."],
					["False", "AddressRangeExhausted", _exhausted],
				)}],
			},
		},
		"plan names a bad address entry and creates nothing": {
			"input": _input(_addressed_pool(["10.0.0.1", "10.0.0.300"]), {}),
			"want": {
				"step": "Plan",
				"effects": [{"type": "status", "status": _status(
					0,
					0,
					0,
					["False", "Filling", "0 of 3 wanted members are ready, 0 are being provisioned."],
					["False", "InvalidAddressEntry", concat("", [
						"spec.addressing.pool: \"10.0.0.300\" is neither an address, nor a range low-high of one family ",
						"from low to high, nor a CIDR. No member is created until it is corrected.",
					])],
				)}],
			},
		},
		"plan says that there is no image": {
			"input": object.union(_input(_pool, {}), {"related": {"image": null}}),
			"want": {
				"step": "Plan",
				"effects": [{"type": "status", "status": _status(
					0,
					0,
					0,
					["False", "Filling", concat("", [
						"0 of 3 wanted members are ready, 0 are being provisioned. ",
						"VMImage \"linux\" does not exist, so no member is created.",
					])],
					["True", "Available", "Nothing keeps the pool from growing."],
				)}],
			},
		},
		"plan says that no member ever announced itself": {
			"input": _input(_pool, {"silent": _items(["a", "b"], [])}),
			"want": {
				"step": "Plan",
				"effects": [{"type": "status", "status": _status(
					0,
					2,
					0,
					["False", "ReadinessSignalAbsent", _silence],
					["False", "ReadinessSignalAbsent", _silence],
				)}],
				"requeue": {"at": 1767324600000000000},
			},
		},
		"plan deletes what is not ready in time and replaces it": {
			"input": object.union(
				_input(_pool, {"provisioning": _items(["a", "b"], []), "fresh": _items(["c", "d"], _ready)}),
				{"now": 1767324600000000000},
			),
			"want": {
				"step": "Plan",
				"effects": [
					{"type": "status", "status": _status(
						2,
						2,
						0,
						["False", "Filling", "2 of 3 wanted members are ready, 2 are being provisioned."],
						["True", "Available", "Nothing keeps the pool from growing."],
					)},
					_deleted("a", "ProvisioningTimeout"),
					_deleted("b", "ProvisioningTimeout"),
					{"type": "create", "object": _new_member},
				],
			},
		},
		"plan deletes fresh members above warm": {
			"input": _input(_pool, {"fresh": _items(["a", "b", "c", "d"], _ready)}),
			"want": {
				"step": "Plan",
				"effects": [
					{"type": "status", "status": _status(
						4,
						0,
						0,
						["True", "Warm", "4 of 3 wanted members are ready."],
						["True", "Available", "Nothing keeps the pool from growing."],
					)},
					_deleted("a", "ScaleDown"),
				],
			},
		},
		"plan replaces stale members before it deletes them": {
			"input": _input(_pool, {"stale": _items(["a", "b"], _ready), "fresh": _items(["c", "d"], _ready)}),
			"want": {
				"step": "Plan",
				"effects": [
					{"type": "status", "status": _status(
						4,
						0,
						0,
						["True", "Warm", "4 of 3 wanted members are ready."],
						["True", "Available", "Nothing keeps the pool from growing."],
					)},
					_deleted("a", "StaleImage"),
					{"type": "create", "object": _new_member},
				],
			},
		},
		"plan replaces members that were idle too long": {
			"input": _input(
				object.union(_pool, {"spec": {"maxIdleSeconds": 3600}}),
				{"fresh": _items(["a", "b", "c", "d"], _ready)},
			),
			"want": {
				"step": "Plan",
				"effects": [
					{"type": "status", "status": _status(
						4,
						0,
						0,
						["True", "Warm", "4 of 3 wanted members are ready."],
						["True", "Available", "Nothing keeps the pool from growing."],
					)},
					_deleted("a", "IdleExpired"),
					{"type": "create", "object": _new_member},
					{"type": "create", "object": _new_member},
				],
			},
		},
		"plan says that maxReplicas is reached": {
			"input": _input(_pool, {"claimed": _items(["a", "b", "c", "d", "e"], _ready)}),
			"want": {
				"step": "Plan",
				"effects": [{"type": "status", "status": _status(
					0,
					0,
					5,
					["False", "Filling", "0 of 3 wanted members are ready, 0 are being provisioned."],
					["False", "MaxReplicasReached", "2 more members are needed, and maxReplicas (5) leaves no room for them."],
				)}],
			},
		},
	}
}

# regal ignore:rule-length
_rank_vectors[name] := {
	"decision": "lictor.pools.rank",
	"input": {"object": case[0], "scope": _scope},
	"want": case[1],
} if {
	some name, case in {
		"rank: on its way out": [
			object.union(_ready_vm, {"metadata": {"deletionTimestamp": "2026-01-02T03:00:00Z"}}),
			{"bucket": "deleting", "order": [1767319200000000000, "a"], "holds": ["10.0.0.4"]},
		],
		"rank: claimed": [
			object.union(_ready_vm, {"metadata": {"labels": {"banlieue.io/claim": "desk"}}}),
			{"bucket": "claimed", "order": [1767319200000000000, "a"], "holds": ["10.0.0.4"]},
		],
		"rank: not the pool's": [
			object.union(_ready_vm, {"metadata": {"ownerReferences": []}}),
			{"bucket": "foreign", "order": [1767319200000000000, "a"], "holds": ["10.0.0.4"]},
		],
		"rank: ready, of the pool's image": [
			_ready_vm,
			{"bucket": "fresh", "order": [1767319200000000000, "a"], "holds": ["10.0.0.4"]},
		],
		"rank: ready, of another image": [
			object.union(_ready_vm, {"metadata": {"labels": {"banlieue.io/pool-image-revision": "r1"}}}),
			{"bucket": "stale", "order": [1767319200000000000, "a"], "holds": ["10.0.0.4"]},
		],
		"rank: not ready yet": [
			object.union(_ready_vm, {"status": {"conditions": [_condition("False")]}}),
			{"bucket": "provisioning", "order": [1767315600000000000, "a"], "holds": ["10.0.0.4"]},
		],
		"rank: never said anything": [
			object.union(_ready_vm, {"status": {"conditions": []}}),
			{"bucket": "silent", "order": [1767315600000000000, "a"], "holds": ["10.0.0.4"]},
		],
	}
}

_silence := concat("", [
	"None of 2 members has ever published the condition GuestReady. ",
	"If that lasts, the image does not announce it.",
])

_exhausted := "2 more members are needed, and no address of spec.addressing.pool is free for them."

_input(pool, members) := {
	"now": 1767323045123456789, # 2026-01-02T03:04:05.123456789Z
	"object": pool,
	"related": {"image": {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VMImage",
		"metadata": {"name": "linux", "generation": 3},
		"status": {"buildArtifact": {"osArtifactUid": "r2"}},
	}},
	"views": {"members": object.union(_no_members, members)},
}

_no_members := {
	"fresh": _none,
	"stale": _none,
	"provisioning": _none,
	"silent": _none,
	"claimed": _none,
	"deleting": _none,
	"foreign": _none,
	"holds": {},
}

_none := {"count": 0, "items": []}

_items(names, conditions) := {"count": count(names), "items": [item |
	some name in names
	item := {
		"metadata": {
			"name": name,
			"uid": concat("", ["uid-of-", name]),
			"resourceVersion": "41",
			"creationTimestamp": "2026-01-02T03:00:00Z",
		},
		"status": {"conditions": conditions},
	}
]}

_ready := [_condition("True")]

_condition(status) := {
	"type": "GuestReady",
	"status": status,
	"reason": "GuestAnnounced",
	"message": "",
	"lastTransitionTime": "2026-01-02T02:00:00Z",
}

_pool := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachinePool",
	"metadata": {"name": "warm", "namespace": "team", "uid": "uid-of-warm", "generation": 1},
	"spec": {
		"warmReplicas": 3,
		"maxReplicas": 5,
		"maxSurge": 2,
		"readiness": "GuestReady",
		"provisioningTimeoutSeconds": 1800,
		"recycleOnImageChange": true,
		"template": {
			"labels": {"team": "red"},
			"spec": {"classRef": {"name": "small"}, "imageRef": {"name": "linux"}, "migrationPolicy": "automatic"},
		},
	},
	"status": {"imageRevision": "r2"},
}

_addressed_pool(entries) := object.union(_pool, {"spec": {"addressing": {
	"interface": "eth0",
	"pool": entries,
	"prefix": 24,
	"gateway": "10.0.0.254",
}}})

_scope := {
	"metadata": {"uid": "uid-of-warm"},
	"spec": {"readiness": "GuestReady", "recycleOnImageChange": true},
	"status": {"imageRevision": "r2"},
}

_ready_vm := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachine",
	"metadata": {
		"name": "a",
		"namespace": "team",
		"uid": "uid-of-a",
		"resourceVersion": "41",
		"creationTimestamp": "2026-01-02T01:00:00Z",
		"labels": {"banlieue.io/pool": "warm", "banlieue.io/pool-image-revision": "r2"},
		"ownerReferences": [{
			"apiVersion": "banlieue.io/v1alpha1",
			"kind": "VirtualMachinePool",
			"name": "warm",
			"uid": "uid-of-warm",
			"controller": true,
		}],
	},
	"spec": {
		"classRef": {"name": "small"},
		"imageRef": {"name": "linux"},
		"networkOverrides": [{"name": "eth0", "static": {"address": "10.0.0.4", "prefix": 24}}],
	},
	"status": {"conditions": _ready},
}

_new_member := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachine",
	"metadata": {
		"generateName": "warm-",
		"labels": {"team": "red", "banlieue.io/pool": "warm", "banlieue.io/pool-image-revision": "r2"},
	},
	"spec": {"classRef": {"name": "small"}, "imageRef": {"name": "linux"}, "migrationPolicy": "never"},
}

_addressed_member(address, name) := object.union(object.remove(_new_member, ["metadata"]), {
	"metadata": object.union(object.remove(_new_member.metadata, ["generateName"]), {"name": name}),
	"spec": {"networkOverrides": [{
		"name": "eth0",
		"static": {"address": address, "prefix": 24, "gateway": "10.0.0.254"},
	}]},
})

_status(available, provisioning, claimed, warm, capacity) := {
	"replicas": (available + provisioning) + claimed,
	"available": available,
	"provisioning": provisioning,
	"claimed": claimed,
	"imageRevision": "r2",
	"conditions": [
		{"type": "Warm", "status": warm[0], "reason": warm[1], "message": warm[2]},
		{"type": "Capacity", "status": capacity[0], "reason": capacity[1], "message": capacity[2]},
	],
	"observedGeneration": 1,
}

_deleted(name, reason) := {
	"type": "delete",
	"target": {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachine",
		"name": name,
		"uid": concat("", ["uid-of-", name]),
		"resourceVersion": "41",
	},
	"reason": reason,
}

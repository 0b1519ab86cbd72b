package lictor.pools.member_test

_vectors := data.lictor.pools.contract.vectors

_empty := _vectors["plan fills an empty pool up to its surge"].input

_addressed := _vectors["plan gives each new member an address of its own"].input

# What a template must not say about a member.
test_what_the_pool_says_wins if {
	template := {"template": {
		"labels": {
			"banlieue.io/pool": "another",
			"banlieue.io/pool-image-revision": "r0",
			"banlieue.io/claim": "mine",
			"app": "shell",
		},
		"annotations": {
			"banlieue.io/claim-subject-issuer": "https://issuer.example",
			"banlieue.io/claim-subject-id": "mallory",
			"lictor.dev/anything": "x",
			"note": "kept",
		},
		"spec": {"migrationPolicy": "manual"},
	}}
	answer := data.lictor.pools.plan with input as object.union(_empty, {"object": {"spec": template}})
	answer.effects[1].object == {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachine",
		"metadata": {
			"generateName": "warm-",
			"labels": {
				"app": "shell",
				"team": "red",
				"banlieue.io/pool": "warm",
				"banlieue.io/pool-image-revision": "r2",
			},
			"annotations": {"note": "kept"},
		},
		"spec": {"classRef": {"name": "small"}, "imageRef": {"name": "linux"}, "migrationPolicy": "never"},
	}
}

test_a_bare_template if {
	answer := data.lictor.pools.plan with input as json.remove(_empty, [
		"object/spec/template/labels",
		"object/spec/template/spec/migrationPolicy",
	])
	answer.effects[1].object == {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachine",
		"metadata": {
			"generateName": "warm-",
			"labels": {"banlieue.io/pool": "warm", "banlieue.io/pool-image-revision": "r2"},
		},
		"spec": {"classRef": {"name": "small"}, "imageRef": {"name": "linux"}, "migrationPolicy": "never"},
	}
}

# Only reserved annotations: none are left, and an empty map is not written.
test_no_annotation_left if {
	answer := data.lictor.pools.plan with input as object.union(
		_empty,
		{"object": {"spec": {"template": {"annotations": {"lictor.dev/bind-intent": "x"}}}}},
	)
	answer.effects[1].object == _vectors["plan fills an empty pool up to its surge"].want.effects[1].object
}

# The generated override comes first and is the only one for its interface; all that addressing says is in it.
test_the_override_comes_first if {
	answer := data.lictor.pools.plan with input as object.union(_addressed, {"object": {"spec": {
		"addressing": {"nameservers": ["10.0.0.53"], "domain": "sandbox.example"},
		"template": {"spec": {"networkOverrides": [
			{"name": "eth1", "static": {"address": "10.9.0.1", "prefix": 24}},
			{"name": "eth0", "static": {"address": "10.0.0.77", "prefix": 24}},
		]}},
	}}})
	answer.effects[1].object.spec.networkOverrides == [
		{"name": "eth0", "static": {
			"address": "10.0.0.2",
			"prefix": 24,
			"gateway": "10.0.0.254",
			"nameservers": ["10.0.0.53"],
			"domain": "sandbox.example",
		}},
		{"name": "eth1", "static": {"address": "10.9.0.1", "prefix": 24}},
	]
}

# Without addressing, overrides of the template are the template's business.
test_overrides_without_addressing if {
	overrides := [{"name": "eth1", "static": {"address": "10.9.0.1", "prefix": 24}}]
	answer := data.lictor.pools.plan with input as object.union(
		_empty,
		{"object": {"spec": {"template": {"spec": {"networkOverrides": overrides}}}}},
	)
	answer.effects[1].object.spec.networkOverrides == overrides
}

# A member's name follows from its pool and its address, and from nothing else.
test_the_name_follows_from_the_address if {
	first := data.lictor.pools.plan with input as _addressed
	count(_names(first)) == 2
	later := data.lictor.pools.plan with input as object.union(_addressed, {"now": _addressed.now + 1000000000})
	_names(first) == _names(later)
	another := data.lictor.pools.plan with input as object.union(_addressed, {"object": {"metadata": {"uid": "another"}}})
	_names(first) & _names(another) == set()
}

# Cut to 63 characters, a name is still one.
test_a_long_name_is_cut if {
	long := concat("", ["a", replace(sprintf("%050d", [0]), "0", "b"), ".", "cccccccccc"])
	answer := data.lictor.pools.plan with input as object.union(_addressed, {"object": {"metadata": {"name": long}}})
	count(_names(answer)) == 2
	every name in _names(answer) {
		regex.match(`^ab{50}-[0-9a-f]{10}$`, name)
	}
}

_names(answer) := {effect.object.metadata.name |
	some effect in answer.effects
	effect.type == "create"
}

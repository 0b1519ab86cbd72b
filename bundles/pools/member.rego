# What a new member is: the template, and what the pool says about every member.
package lictor.pools

_new_members := [_member_at(address) |
	_creates > 0
	some address in array.slice(_free_addresses, 0, _creates)
] if {
	input.object.spec.addressing
} else := [_member |
	_creates > 0
	some _ in numbers.range(1, _creates)
]

_member := {
	"apiVersion": "banlieue.io/v1alpha1",
	"kind": "VirtualMachine",
	"metadata": object.union(
		{"generateName": concat("", [input.object.metadata.name, "-"]), "labels": _labels},
		_annotations,
	),
	# A member that moved would be rebuilt under the person who holds it.
	"spec": object.union(input.object.spec.template.spec, {"migrationPolicy": "never"}),
}

# The name follows from the address. A create carries no precondition, and its answer may be lost, or it may arrive when
# another controller has taken over: of two creates for one address, the API server then refuses the second.
_member_at(address) := object.union(
	object.remove(_member, ["metadata"]),
	{
		"metadata": object.union(
			object.remove(_member.metadata, ["generateName"]),
			{"name": concat("-", [_name_prefix, substring(digest, 0, 10)])},
		),
		"spec": {"networkOverrides": array.concat([_override(address)], _other_overrides)},
	},
) if {
	digest := crypto.sha256(concat("/", [input.object.metadata.uid, address]))
}

# With the digest's hyphen and 10 digits, at most 63 characters; no label of the name may end in a hyphen or a dot.
_name_prefix := trim_right(substring(input.object.metadata.name, 0, 52), "-.")

# The template's labels, without the one that means "taken", and with ours on top.
_labels := object.union(
	object.remove(object.get(input.object.spec.template, "labels", {}), ["banlieue.io/claim"]),
	{"banlieue.io/pool": input.object.metadata.name, "banlieue.io/pool-image-revision": _revision},
)

default _annotations := {}

_annotations := {"annotations": annotations} if {
	annotations := {key: value |
		some key, value in input.object.spec.template.annotations
		not startswith(key, "lictor.dev/")
		not startswith(key, "banlieue.io/claim-subject-")
	}
	count(annotations) > 0
}

# The pool's override comes first: the first one is what a member is known to hold.
_override(address) := {
	"name": input.object.spec.addressing.interface,
	"static": object.union(
		{"address": address},
		object.filter(input.object.spec.addressing, ["prefix", "gateway", "nameservers", "domain"]),
	),
}

_other_overrides := [override |
	some override in input.object.spec.template.spec.networkOverrides
	override.name != input.object.spec.addressing.interface
]

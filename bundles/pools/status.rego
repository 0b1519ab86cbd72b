# What the pool reports: the members as they were found, and in plain words what is missing.
package lictor.pools

_status := object.union(_reported_revision, {
	"replicas": (_available + _unready_count) + input.views.members.claimed.count,
	"available": _available,
	"provisioning": _unready_count,
	"claimed": input.views.members.claimed.count,
	"conditions": [_condition("Warm", _warm), _condition("Capacity", _capacity)],
	"observedGeneration": input.object.metadata.generation,
})

_condition(type, [status, reason, message]) := {
	"type": type,
	"status": status,
	"reason": reason,
	"message": message,
}

default _reported_revision := {}

_reported_revision := {"imageRevision": _revision} if _revision != ""

_available := input.views.members.fresh.count + input.views.members.stale.count

_unready_count := input.views.members.provisioning.count + input.views.members.silent.count

# Of the reasons that apply, the first is reported.
_warm := ["True", "Warm", _warm_message] if {
	_available >= input.object.spec.warmReplicas
} else := ["False", "ReadinessSignalAbsent", _signal_absent_message] if {
	_signal_absent
} else := ["False", "Filling", _filling_message] if {
	_available < input.object.spec.warmReplicas
}

_capacity := ["False", "InvalidAddressEntry", _bad_entry_message] if {
	count(_bad_entries) > 0
} else := ["False", "ReadinessSignalAbsent", _signal_absent_message] if {
	_signal_absent
} else := ["False", "AddressRangeExhausted", _exhausted_message] if {
	_blocked_on_addresses > 0
} else := ["False", "MaxReplicasReached", _full_message] if {
	_blocked_on_capacity > 0
} else := ["True", "Available", "Nothing keeps the pool from growing."] if {
	_blocked_on_capacity == 0
}

# There are members, and not one has ever said anything about the condition that the pool waits for.
_signal_absent if {
	input.views.members.silent.count > 0
	_available == 0
	input.views.members.provisioning.count == 0
	input.views.members.claimed.count == 0
}

_warm_message := sprintf("%d of %d wanted members are ready.", [_available, input.object.spec.warmReplicas])

_filling_message := concat(" ", array.concat(
	[sprintf("%d of %d wanted members are ready, %d are being provisioned.", [
		_available,
		input.object.spec.warmReplicas,
		_unready_count,
	])],
	[sprintf("VMImage %q does not exist, so no member is created.", [image]) |
		is_null(input.related.image)
		image := input.object.spec.template.spec.imageRef.name
	],
))

_signal_absent_message := sprintf(
	"None of %d members has ever published the condition %s. If that lasts, the image does not announce it.",
	[input.views.members.silent.count, input.object.spec.readiness],
)

_bad_entry_message := concat(" ", [
	sprintf("spec.addressing.pool: %q is neither an address, nor a range low-high of one family", [_bad_entries[0]]),
	"from low to high, nor a CIDR. No member is created until it is corrected.",
])

_exhausted_message := sprintf(
	"%d more members are needed, and no address of spec.addressing.pool is free for them.",
	[_blocked_on_addresses],
)

_full_message := sprintf(
	"%d more members are needed, and maxReplicas (%d) leaves no room for them.",
	[_blocked_on_capacity, input.object.spec.maxReplicas],
)

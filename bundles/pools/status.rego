# What the pool reports: the members as they were found, and in plain words what is missing.
package lictor.pools

_status := object.union(_reported_revision, {
	"replicas": (_available + _unready_count) + input.views.members.claimed.count,
	"available": _available,
	"provisioning": _unready_count,
	"claimed": input.views.members.claimed.count,
	"conditions": [_warm, _capacity],
	"observedGeneration": input.object.metadata.generation,
})

_reported_revision := {"imageRevision": _revision} if {
	_revision != ""
} else := {}

_available := input.views.members.fresh.count + input.views.members.stale.count

_unready_count := input.views.members.provisioning.count + input.views.members.silent.count

_warm := {
	"type": "Warm",
	"status": "True",
	"reason": "Warm",
	"message": sprintf("%d of %d wanted members are ready.", [_available, input.object.spec.warmReplicas]),
} if {
	_available >= input.object.spec.warmReplicas
} else := {
	"type": "Warm",
	"status": "False",
	"reason": "ReadinessSignalAbsent",
	"message": _signal_absent_message,
} if {
	_signal_absent
} else := {
	"type": "Warm",
	"status": "False",
	"reason": "Filling",
	"message": concat("", [
		sprintf("%d of %d wanted members are ready, %d are being provisioned.", [
			_available,
			input.object.spec.warmReplicas,
			_unready_count,
		]),
		_image_message,
	]),
}

_image_message := sprintf(" VMImage %q does not exist, so no member is created.", [input.object.spec.template.spec.imageRef.name]) if {
	input.related.image == null
} else := ""

# There are members, and not one has ever said anything about the condition that the pool waits for.
_signal_absent if {
	input.views.members.silent.count > 0
	_available == 0
	input.views.members.provisioning.count == 0
	input.views.members.claimed.count == 0
}

_signal_absent_message := sprintf(
	"None of %d members has ever published the condition %s. If that lasts, the image does not announce it.",
	[input.views.members.silent.count, input.object.spec.readiness],
)

_capacity := {
	"type": "Capacity",
	"status": "False",
	"reason": "InvalidAddressEntry",
	"message": sprintf("%s No member is created until it is corrected.", [_entry_problem(_bad_entries[0])]),
} if {
	count(_bad_entries) > 0
} else := {
	"type": "Capacity",
	"status": "False",
	"reason": "ReadinessSignalAbsent",
	"message": _signal_absent_message,
} if {
	_signal_absent
} else := {
	"type": "Capacity",
	"status": "False",
	"reason": "AddressRangeExhausted",
	"message": sprintf("%d more members are needed, and no address of spec.addressing.pool is free for them.", [_blocked_on_addresses]),
} if {
	_blocked_on_addresses > 0
} else := {
	"type": "Capacity",
	"status": "False",
	"reason": "MaxReplicasReached",
	"message": sprintf("%d more members are needed, and maxReplicas (%d) leaves no room for them.", [
		_blocked_on_capacity,
		input.object.spec.maxReplicas,
	]),
} if {
	_blocked_on_capacity > 0
} else := {
	"type": "Capacity",
	"status": "True",
	"reason": "Available",
	"message": "Nothing keeps the pool from growing.",
}

_entry_problem(entry) := sprintf(
	"spec.addressing.pool: %q is neither an address, nor a range low-high of one family from low to high, nor a CIDR.",
	[entry],
)

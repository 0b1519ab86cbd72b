# The seven passes of the planner. Members are seen through the view: counts are of all, items are the oldest 100 of
# each bucket. What is beyond the items is taken to be neither timed out nor idle, and its turn comes in a later pass:
# every delete here changes the view and so causes one.
package lictor.pools

import data.lictor.lib.conditions
import data.lictor.lib.instants

# Pass 1. Poisoned members: not ready in time. Their surge slots are free within this pass.
_timed_out := [member |
	some member in _unready
	member.metadata.creationTimestamp <= _too_old # Kubernetes writes it in UTC and whole seconds, so text compares
]

_unready := array.concat(input.views.members.provisioning.items, input.views.members.silent.items)

_too_old := instants.rfc3339(instants.before(input.now, _timeout))

_timeout := object.get(input.object.spec, "provisioningTimeoutSeconds", 1800)

_provisioning := (input.views.members.provisioning.count + input.views.members.silent.count) - count(_timed_out)

# Pass 2. Ready members, fresh and stale. The view knows those of an old image; those that were idle too long join them.
_fresh_items := input.views.members.fresh.items if {
	count(_idle) == 0
} else := [member |
	some member in input.views.members.fresh.items
	not member.metadata.uid in _idle
]

_fresh := input.views.members.fresh.count - count(_idle)

_idle contains uid if {
	some uid, since in _fresh_since
	instants.after(since, input.object.spec.maxIdleSeconds) <= input.now
}

# Asked for only where the pool limits idleness: elsewhere nothing is idle.
_fresh_since[member.metadata.uid] := since if {
	input.object.spec.maxIdleSeconds
	some member in input.views.members.fresh.items
	since := conditions.since(member.status.conditions, input.object.spec.readiness)
}

_stale_items := [{"member": entry[2], "reason": entry[3]} |
	some entry in sort(array.concat(_idle_entries, _old_entries))
]

_idle_entries := [[_fresh_since[member.metadata.uid], member.metadata.name, member, "IdleExpired"] |
	some member in input.views.members.fresh.items
	member.metadata.uid in _idle
]

_old_entries := [[since, member.metadata.name, member, "StaleImage"] |
	some member in input.views.members.stale.items
	since := conditions.since(member.status.conditions, input.object.spec.readiness)
]

_stale := input.views.members.stale.count + count(_idle)

# Pass 3. Fresh members above warm are surplus, oldest first.
_scaled_down := array.slice(_fresh_items, 0, max([0, _fresh - input.object.spec.warmReplicas]))

_fresh_kept := _fresh - count(_scaled_down)

# Pass 4. Stale members stay only where fresh ones do not cover warm yet; the rest go, oldest first.
_stale_surplus := min([
	count(_stale_items),
	max([0, _stale - max([0, input.object.spec.warmReplicas - _fresh_kept])]),
])

_stale_kept := _stale - _stale_surplus

# Pass 5. Stale members do not count toward the target, or nothing would ever replace them. Surge caps what is made.
_wanted := max([0, min([
	(input.object.spec.warmReplicas - _fresh_kept) - _provisioning,
	object.get(input.object.spec, "maxSurge", 2) - _provisioning,
])])

# Pass 6. Where max leaves no room, kept stale members make room one for one, oldest first, but only for a member that
# is made now: giving one up for nothing would cost availability. Beyond max (it was lowered), none makes room.
_alive := ((input.views.members.claimed.count + _provisioning) + _fresh_kept) + _stale_kept

_headroom := input.object.spec.maxReplicas - _alive

_fitting := min([_wanted, _headroom + (count(_stale_items) - _stale_surplus)]) if {
	_headroom >= 0
} else := 0 if {
	_headroom < 0
}

_blocked_on_capacity := _wanted - _fitting

# Pass 7. Each member needs an image, and an address where the pool gives them out.
_creates := 0 if _barred

_creates := count(_free_addresses) if {
	not _barred
	input.object.spec.addressing
}

_creates := _fitting if {
	not _barred
	not input.object.spec.addressing
}

_barred if is_null(input.related.image)

_barred if count(_bad_entries) > 0

_barred if _fitting == 0 # nothing to look for an address for

_blocked_on_addresses := 0 if {
	_barred
} else := _fitting - _creates

_given_up := 0 if {
	_creates == 0
} else := max([0, _creates - _headroom])

# The stale members that go: surplus, and those given up.
_replaced := array.slice(_stale_items, 0, _stale_surplus + _given_up)

# When time alone will change the answer: the next provisioning timeout, and the next member to have been idle too long.
_deadlines contains at if {
	oldest := min([member.metadata.creationTimestamp |
		some member in _unready
		member.metadata.creationTimestamp > _too_old
	])
	at := instants.after(time.parse_rfc3339_ns(oldest), _timeout)
	at < instants.latest
}

_deadlines contains at if {
	oldest := min([since | some uid, since in _fresh_since; not uid in _idle])
	at := instants.after(oldest, input.object.spec.maxIdleSeconds)
	at < instants.latest
}

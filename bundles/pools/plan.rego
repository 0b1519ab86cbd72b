# METADATA
# title: Pools
# description: >-
#   How many members a pool has, makes and gives up. `plan.rego` says what a pass does, `count.rego` how many,
#   `member.rego` what a new member looks like, `addressing.rego` which address it gets, `status.rego` what is reported.
# custom:
#   id: lictor.pools
# schemas:
#   - input: schema.pools.plan.input
package lictor.pools

# METADATA
# title: Plan
# description: >-
#   The pool's next pass. Collect: the pool is being deleted, and garbage collection takes its unclaimed members.
#   Roll: the image changed; record its revision, by which members are told apart, before anything is decided by it.
#   Plan: deletes, then creates. Undefined (no effects) when facts are missing.
# scope: document
# custom:
#   id: lictor.pools.plan
# entrypoint: true
plan := {"step": "Collect", "effects": []} if _branch == "Collect"

plan := {
	"step": "Roll",
	"effects": [{
		"type": "status",
		"status": object.union(object.get(input.object, "status", {}), {"imageRevision": _revision}),
	}],
	"requeue": {"at": input.now},
} if {
	_branch == "Roll"
}

plan := object.union({"step": "Plan", "effects": _effects}, _requeue) if {
	_branch == "Plan"
	_facts_are_complete
}

_branch := "Collect" if {
	input.object.metadata.deletionTimestamp
} else := "Roll" if {
	_revision != _recorded_revision
} else := "Plan" if {
	_revision == _recorded_revision
}

# What is not known must not pass for zero, or for free.
_facts_are_complete if {
	is_number(input.now)
	is_object(input.views.members.holds)
	is_object(input.object.spec.template.spec)
	is_string(input.object.spec.readiness)
	is_number(_creates) # and with it every number that it comes from
	every bucket in ["fresh", "stale", "provisioning", "silent", "claimed"] {
		is_number(input.views.members[bucket].count)
		is_array(input.views.members[bucket].items)
	}
}

# What is reported comes first: it must be seen even when a create is refused. Then deletes, since they make room.
_effects := array.flatten([
	{"type": "status", "status": _status},
	[_delete(member, "ProvisioningTimeout") | some member in _timed_out],
	[_delete(member, "ScaleDown") | some member in _scaled_down],
	[_delete(item.member, item.reason) | some item in _replaced],
	[{"type": "create", "object": member} | some member in _new_members],
])

# The resourceVersion is what keeps a member that was claimed in the meantime.
_delete(member, reason) := {
	"type": "delete",
	"target": {
		"apiVersion": "banlieue.io/v1alpha1",
		"kind": "VirtualMachine",
		"name": member.metadata.name,
		"uid": member.metadata.uid,
		"resourceVersion": member.metadata.resourceVersion,
	},
	"reason": reason,
}

# The image revision that new members are built from. While the image does not exist, the recorded one stays: nothing
# is built then, and members must not change sides because of it.
_revision := _built if {
	input.related.image.metadata.name
} else := _recorded_revision if {
	is_null(input.related.image)
}

# A built image is known by its artifact. Another one by its generation: an edit of its spec makes a new revision.
_built := artifact if {
	artifact := input.related.image.status.buildArtifact.osArtifactUid
	regex.match(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`, artifact) # it becomes a label's value
} else := sprintf("gen-%d", [input.related.image.metadata.generation])

_recorded_revision := object.get(input.object, ["status", "imageRevision"], "")

# Time-dependent work still ahead: the next timeout and the next idle expiry. All else arrives as a change.
default _requeue := {}

_requeue := {"requeue": {"at": min(_deadlines)}} if count(_deadlines) > 0

package lictor.claims

import data.lictor.lib.conditions

# METADATA
# title: Rank
# description: >-
#   Where a pool member stands in the queue of those that a claim can be given: members of the pool's current image
#   first, then others. Undefined (not in the queue) for members that are claimed, on their way out, not ready, or
#   that the pool does not own.
# scope: document
# schemas:
#   - input: schema.claims.rank.input
# custom:
#   id: lictor.claims.rank
# entrypoint: true
rank := {"bucket": _freshness, "order": _order} if {
	not input.object.metadata.deletionTimestamp
	not input.object.metadata.labels["banlieue.io/claim"]
	conditions.is_true(input.object.status.conditions, input.scope.spec.readiness)
	some owner in input.object.metadata.ownerReferences
	owner.uid == input.scope.metadata.uid
}

# THE PICK ORDER: smallest first, so longest ready first, then by name. Newest first is [-_ready_since, name].
#
# METADATA
# schemas:
#   - input: schema.claims.rank.input
_order := [_ready_since, input.object.metadata.name]

# METADATA
# schemas:
#   - input: schema.claims.rank.input
_ready_since := conditions.since(input.object.status.conditions, input.scope.spec.readiness)

# METADATA
# description: While the pool has not recorded a revision, nothing is stale.
# scope: document
# schemas:
#   - input: schema.claims.rank.input
default _freshness := "stale"

_freshness := "fresh" if {
	object.get(input.scope, ["status", "imageRevision"], "") == ""
} else := "fresh" if {
	input.object.metadata.labels["banlieue.io/pool-image-revision"] == input.scope.status.imageRevision
}

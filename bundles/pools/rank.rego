package lictor.pools

import data.lictor.lib.addresses
import data.lictor.lib.conditions

# METADATA
# title: Rank
# description: >-
#   What a member is to its pool, oldest first, and the address it holds. Whatever happens to a member, it keeps its
#   address until it is gone.
# scope: document
# schemas:
#   - input: schema.pools.rank.input
# custom:
#   id: lictor.pools.rank
# entrypoint: true
rank := {"bucket": _bucket, "order": [_since, input.object.metadata.name], "holds": _holds} if {
	# Without its pool there is nothing that a member could be to it.
	input.scope.metadata.uid
}

# METADATA
# description: The order is the precedence.
# scope: document
# schemas:
#   - input: schema.pools.rank.input
_bucket := "deleting" if {
	input.object.metadata.deletionTimestamp
} else := "claimed" if {
	_claimed
} else := "foreign" if {
	not _owned
} else := "stale" if {
	_ready
	_outdated
} else := "fresh" if {
	_ready
} else := "provisioning" if {
	conditions.published(input.object.status.conditions, input.scope.spec.readiness)
} else := "silent" if {
	input.scope.spec.readiness
}

# METADATA
# description: Presence is what counts. A claim takes the member from the pool for good.
# schemas:
#   - input: schema.pools.rank.input
_claimed if "banlieue.io/claim" in object.keys(input.object.metadata.labels)

# METADATA
# description: Anybody can write the pool's label. What the pool does not own it neither counts nor deletes.
# schemas:
#   - input: schema.pools.rank.input
_owned if {
	some owner in input.object.metadata.ownerReferences
	owner.uid == input.scope.metadata.uid
}

# METADATA
# schemas:
#   - input: schema.pools.rank.input
_ready if conditions.is_true(input.object.status.conditions, input.scope.spec.readiness)

# METADATA
# description: Built from another image revision than the pool's. While the pool has recorded none, nothing is.
# schemas:
#   - input: schema.pools.rank.input
_outdated if {
	object.get(input.scope.spec, "recycleOnImageChange", true)
	recorded := input.scope.status.imageRevision
	recorded != ""
	recorded != object.get(input.object.metadata, ["labels", "banlieue.io/pool-image-revision"], "")
}

# METADATA
# description: Ready members are as old as their readiness, all others as old as they are.
# scope: document
# schemas:
#   - input: schema.pools.rank.input
_since := conditions.since(input.object.status.conditions, input.scope.spec.readiness) if {
	_ready
} else := time.parse_rfc3339_ns(input.object.metadata.creationTimestamp)

# METADATA
# schemas:
#   - input: schema.pools.rank.input
_holds := [addresses.canonical(address) | address := input.object.spec.networkOverrides[0].static.address]

# METADATA
# title: Conditions
# description: Questions about a Kubernetes condition list.
# custom:
#   id: lictor.lib.conditions
package lictor.lib.conditions

# METADATA
# title: True
# description: The condition of this type is published with status True.
# custom:
#   id: lictor.lib.conditions.is_true
is_true(conditions, type) if {
	some condition in conditions
	condition.type == type
	condition.status == "True"
}

# METADATA
# title: Published
# description: The condition of this type is published, whatever its status.
# custom:
#   id: lictor.lib.conditions.published
published(conditions, type) if {
	some condition in conditions
	condition.type == type
}

# METADATA
# title: Since
# description: The instant (nanoseconds since 1970) at which the condition of this type last flipped its status.
# custom:
#   id: lictor.lib.conditions.since
since(conditions, type) := time.parse_rfc3339_ns(condition.lastTransitionTime) if {
	some condition in conditions
	condition.type == type
}

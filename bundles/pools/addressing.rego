# Inline addressing: entries in the order of the list, each from low to high, without those that are held.
package lictor.pools

import data.lictor.lib.addresses

_ranges := [addresses.range(entry) | some entry in input.object.spec.addressing.pool]

_bad_entries := [entry | some entry in input.object.spec.addressing.pool; not addresses.range(entry)]

# As many free addresses as fit, if there are as many.
_free_addresses := array.slice(_distinct_candidates, 0, _fitting)

_candidates := [address | some range in _ranges; some address in _free(range)]

# Entries may overlap: an address counts where it comes first.
_distinct_candidates := _candidates if {
	count({address | some address in _candidates}) == count(_candidates)
} else := [address |
	some i, address in _candidates
	not address in array.slice(_candidates, 0, i)
]

# Free addresses of one range, at least as many as fit if it has them. Mostly the first few are enough; and looking
# further than the number of held ones never helps, so that a /0 costs no more than a /16.
_free(range) := near if {
	near := _free_among(addresses.first(range, _fitting + 64))
	count(near) >= _fitting
} else := far if {
	far := _free_among(addresses.first(range, _fitting + 1024))
	count(far) >= _fitting
} else := _free_among(addresses.first(range, _fitting + count(input.views.members.holds)))

_free_among(candidates) := [address |
	held := input.views.members.holds
	some address in candidates
	not held[address]
]

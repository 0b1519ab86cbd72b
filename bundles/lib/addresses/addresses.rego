# METADATA
# title: Addresses
# description: >-
#   IP addresses as numbers, so that a range costs what is taken from it and not what it holds. An address is an array
#   of 32-bit limbs, high to low: one for IPv4, four for IPv6. (OPA's arithmetic is exact to 64 bits, not to 128.)
#   Arrays of the same length compare like the addresses.
# custom:
#   id: lictor.lib.addresses
package lictor.lib.addresses

# METADATA
# title: Parse
# description: The limbs of an address. Undefined when the text is not one; IPv4 inside IPv6 is not accepted.
# scope: document
# custom:
#   id: lictor.lib.addresses.parse
parse(text) := [limb] if {
	not contains(text, ":")
	net.cidr_is_valid(concat("", [text, "/32"]))
	[a, b, c, d] := [to_number(octet) | some octet in split(text, ".")]
	limb := (((((a * 256) + b) * 256) + c) * 256) + d
}

parse(text) := [limb |
	some high in [0, 2, 4, 6]
	limb := (groups[high] * 65536) + groups[high + 1]
] if {
	contains(text, ":")
	not contains(text, ".")
	net.cidr_is_valid(concat("", [text, "/128"]))
	groups := [_hexadecimal(group) | some group in _groups(lower(text))]
}

# The eight groups of an IPv6 address, with those that "::" leaves out.
_groups(text) := split(text, ":") if {
	not contains(text, "::")
} else := array.flatten([left, zeros, right]) if {
	halves := split(text, "::")
	left := [group | some group in split(halves[0], ":"); group != ""]
	right := [group | some group in split(halves[1], ":"); group != ""]
	zeros := ["0" | some _ in numbers.range(count(left) + count(right), 7)]
}

_hexadecimal(digits) := sum([value |
	some i, digit in split(digits, "")
	value := indexof("0123456789abcdef", digit) * _power[count(digits) - i]
])

_power := [0, 1, 16, 256, 4096]

# METADATA
# title: Format
# description: The usual text of an address; IPv6 as RFC 5952 has it (lower case, the longest run of zeros as "::").
# scope: document
# custom:
#   id: lictor.lib.addresses.format
format([limb]) := concat(".", [
	format_int(floor(limb / 16777216), 10),
	format_int(floor(limb / 65536) % 256, 10),
	format_int(floor(limb / 256) % 256, 10),
	format_int(limb % 256, 10),
])

format([a, b, c, d]) := _compressed(concat("", [
	":",
	concat(":", [group |
		some limb in [a, b, c, d]
		some half in [floor(limb / 65536), limb % 65536]
		group := format_int(half, 16)
	]),
	":",
]))

_compressed(text) := concat("::", [
	trim(substring(text, 0, at), ":"),
	trim(substring(text, at + count(run), -1), ":"),
]) if {
	run := [zeros | some zeros in _runs; contains(text, zeros)][0]
	at := indexof(text, run)
} else := trim(text, ":")

_runs := [
	":0:0:0:0:0:0:0:0:",
	":0:0:0:0:0:0:0:",
	":0:0:0:0:0:0:",
	":0:0:0:0:0:",
	":0:0:0:0:",
	":0:0:0:",
	":0:0:",
]

# METADATA
# title: Canonical
# description: One text per address, whichever way it was written. Text that is no address stays what it is.
# scope: document
# custom:
#   id: lictor.lib.addresses.canonical
canonical(text) := format(parse(text)) if {
	contains(text, ":") # there is only one way to write an IPv4 address
	parse(text)
} else := text

# METADATA
# title: Range
# description: >-
#   The lowest and the highest address of an entry: a single address, low-high, or a CIDR. Every address of a CIDR
#   counts, network and broadcast address included: whoever wants them left out writes a range. Undefined for a bad
#   entry.
# scope: document
# custom:
#   id: lictor.lib.addresses.range
range(entry) := {"low": address, "high": address} if {
	address := parse(entry)
} else := {"low": low, "high": high} if {
	[first, last] := split(entry, "-")
	low := parse(trim_space(first))
	high := parse(trim_space(last))
	count(low) == count(high)
	low <= high
} else := {"low": low, "high": high} if {
	[first, prefix] := split(entry, "/")
	net.cidr_is_valid(entry)
	address := parse(first)
	spans := [bits.lsh(1, 32 - min([32, max([0, to_number(prefix) - (32 * i)])])) | some i, _ in address]
	low := [bottom | some i, limb in address; bottom := limb - (limb % spans[i])]
	high := [top | some i, limb in low; top := (limb + spans[i]) - 1]
}

# METADATA
# title: Size
# description: How many addresses a range holds, or 4294967296 where there are more.
# scope: document
# custom:
#   id: lictor.lib.addresses.size
size({"low": [low], "high": [high]}) := (high - low) + 1

# From the highest limb down. Two of one limb are more than any difference of the next can take away, so that more need
# not be carried on.
size({"low": [a, b, c, d], "high": [e, f, g, h]}) := min([4294967296, ((lowest * 4294967296) + (h - d)) + 1]) if {
	highest := min([2, e - a])
	middle := min([2, (highest * 4294967296) + (f - b)])
	lowest := min([2, (middle * 4294967296) + (g - c)])
}

# METADATA
# title: Offset
# description: The address that lies this far above another one.
# scope: document
# custom:
#   id: lictor.lib.addresses.offset
offset([limb], n) := [limb + n]

offset([a, b, c, d], n) := [
	a + floor(carry_b / 4294967296),
	carry_b % 4294967296,
	carry_c % 4294967296,
	(d + n) % 4294967296,
] if {
	carry_c := c + floor((d + n) / 4294967296)
	carry_b := b + floor(carry_c / 4294967296)
}

# METADATA
# title: First
# description: >-
#   The texts of the first addresses of a range, low to high, at most this many. Their common beginning is written once
#   for each block of addresses that differ in the last octet or group only: a long walk costs little per address.
# scope: document
# custom:
#   id: lictor.lib.addresses.first
first(range, limit) := [text |
	n := min([limit, size(range)])
	n > 0
	some block in _blocks(range.low, n, _last_part[count(range.low)])
	some text in _texts(block)
]

# By number of limbs: how many addresses a block has, and how its last part is written.
_last_part := {1: {"span": 256, "radix": 10}, 4: {"span": 65536, "radix": 16}}

_blocks(low, n, part) := [block |
	lowest := low[count(low) - 1]
	some i in numbers.range(floor(lowest / part.span), floor(((lowest + n) - 1) / part.span))
	base := offset(low, (i * part.span) - lowest)
	block := {
		"radix": part.radix,
		"zero": format(base),
		"beginning": trim_suffix(format(offset(base, 1)), "1"),
		"first": max([0, lowest - (i * part.span)]),
		"last": min([part.span - 1, ((lowest + n) - 1) - (i * part.span)]),
	}
]

# Zero apart: in IPv6 it may belong to the zeros that are left out.
_texts(block) := array.concat(
	[block.zero | block.first == 0],
	[text |
		block.last >= 1
		some i in numbers.range(max([1, block.first]), block.last)
		text := concat("", [block.beginning, format_int(i, block.radix)])
	],
)

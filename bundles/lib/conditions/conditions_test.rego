package lictor.lib.conditions_test

import data.lictor.lib.conditions

_list := [
	{"type": "A", "status": "True", "lastTransitionTime": "1970-01-01T00:00:01Z"},
	{"type": "B", "status": "False", "lastTransitionTime": "1970-01-01T01:00:02+01:00"},
	{"type": "C", "status": "Unknown", "lastTransitionTime": "yesterday"},
]

test_is_true if {
	{type | some type in ["A", "B", "C", "D"]; conditions.is_true(_list, type)} == {"A"}
}

test_published if {
	{type | some type in ["A", "B", "C", "D"]; conditions.published(_list, type)} == {"A", "B", "C"}
}

test_since if {
	{type: at | some type in ["A", "B", "C", "D"]; at := conditions.since(_list, type)} == {
		"A": 1000000000,
		"B": 2000000000,
	}
}

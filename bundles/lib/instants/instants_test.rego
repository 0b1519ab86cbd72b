package lictor.lib.instants_test

import data.lictor.lib.instants

test_second if {
	[instants.second(at) | some at in [0, 999999999, 1000000000, 1767323045999999999]] == [
		0,
		0,
		1000000000,
		1767323045000000000,
	]
}

test_rfc3339 if {
	instants.rfc3339(1767323045999999999) == "2026-01-02T03:04:05Z"
}

test_after if {
	instants.after(5, 2) == 2000000005
	instants.after(1767323045000000000, 18446744073709551615) == instants.latest
}

test_before if {
	instants.before(1767323045000000000, 5) == 1767323040000000000
	instants.before(1767323045000000000, 18446744073709551615) == 0
}

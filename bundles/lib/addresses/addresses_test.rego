package lictor.lib.addresses_test

import data.lictor.lib.addresses

test_parse_and_format[text] if {
	some text, limbs in {
		"0.0.0.0": [0],
		"10.0.0.1": [167772161],
		"255.255.255.255": [4294967295],
		"::": [0, 0, 0, 0],
		"::1": [0, 0, 0, 1],
		"fd00::1": [4244635648, 0, 0, 1],
		"fd00:0:0:1::": [4244635648, 1, 0, 0],
		"1:0:0:4::8": [65536, 4, 0, 8],
		"1:2:3:4:5:6:7:8": [65538, 196612, 327686, 458760],
		"1:0:3:4:5:6:7:8": [65536, 196612, 327686, 458760],
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": [4294967295, 4294967295, 4294967295, 4294967295],
	}
	addresses.parse(text) == limbs
	addresses.format(limbs) == text
}

test_canonical[text] if {
	some text, want in {
		"10.0.0.1": "10.0.0.1",
		"FD00:0:0:0::0001": "fd00::1",
		"1:2:3:4:5:6:7::": "1:2:3:4:5:6:7:0",
		"::2:3:4:5:6:7:8": "0:2:3:4:5:6:7:8",
		"1:0:0:4:0:0:0:8": "1:0:0:4::8",
		"0:0:0:0:0:0:0:0": "::",
		"not an address": "not an address",
		"not:an:address": "not:an:address",
		"": "",
	}
	addresses.canonical(text) == want
}

test_no_address[text] if {
	some text in {
		"",
		"10",
		"10.0.0",
		"10.0.0.256",
		"10.0.0.1.2",
		"010.0.0.1",
		"10.0.0.1/24",
		" 10.0.0.1",
		":",
		":::",
		"1::2::3",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"1:2:3:4::5:6:7:8",
		"12345::",
		"g::",
		"fe80::1%eth0",
		"::ffff:10.0.0.1",
	}
	not addresses.parse(text)
}

test_range[entry] if {
	some entry, want in {
		"10.0.0.1": ["10.0.0.1", "10.0.0.1", 1],
		"10.0.0.1-10.0.0.1": ["10.0.0.1", "10.0.0.1", 1],
		"10.0.0.250 - 10.0.1.5": ["10.0.0.250", "10.0.1.5", 12],
		"10.0.3.7/24": ["10.0.3.0", "10.0.3.255", 256],
		"10.0.3.7/32": ["10.0.3.7", "10.0.3.7", 1],
		"10.0.3.7/31": ["10.0.3.6", "10.0.3.7", 2],
		"0.0.0.0/0": ["0.0.0.0", "255.255.255.255", 4294967296],
		"fd00::5/126": ["fd00::4", "fd00::7", 4],
		"fd00::5/128": ["fd00::5", "fd00::5", 1],
		"fd00::/96": ["fd00::", "fd00::ffff:ffff", 4294967296],
		"fd00::/70": ["fd00::", "fd00::3ff:ffff:ffff:ffff", 4294967296],
		"fd00::ffff:ffff-fd00::1:0:0": ["fd00::ffff:ffff", "fd00::1:0:0", 2],
		"fd00::ffff:ffff:ffff:ffff-fd00:0:0:1::": ["fd00::ffff:ffff:ffff:ffff", "fd00:0:0:1::", 2],
		"fd00::-fd00:0:0:1::": ["fd00::", "fd00:0:0:1::", 4294967296],
		"fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff-fd00::1": ["fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fd00::1", 3],
		"::/0": ["::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 4294967296],
	}
	range := addresses.range(entry)
	[addresses.format(range.low), addresses.format(range.high), addresses.size(range)] == want
}

test_no_range[entry] if {
	some entry in {
		"",
		"-",
		"/",
		"ten",
		"10.0.0.2-10.0.0.1",
		"10.0.0.1-",
		"-10.0.0.1",
		"10.0.0.1-10.0.0.2-10.0.0.3",
		"10.0.0.1-::1",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/",
		"10.0.0.0/24/25",
		"10.0.0.0/24-10.0.1.0/24",
		"::/129",
	}
	not addresses.range(entry)
}

test_offset[name] if {
	some name, case in {
		"nothing": ["10.0.0.1", 0, "10.0.0.1"],
		"into the next octet": ["10.0.0.250", 10, "10.0.1.4"],
		"within the last limb": ["fd00::ffff", 1, "fd00::1:0"],
		"carried once": ["fd00::ffff:ffff", 1, "fd00::1:0:0"],
		"carried twice": ["fd00::ffff:ffff:ffff:ffff", 2, "fd00:0:0:1::1"],
		"carried thrice": ["fd00::ffff:ffff:ffff:ffff:ffff:ffff", 1, "fd00:1::"],
	}
	addresses.format(addresses.offset(addresses.parse(case[0]), case[1])) == case[2]
}

test_first[name] if {
	some name, case in {
		"one": ["10.0.0.1", 9, ["10.0.0.1"]],
		"none": ["10.0.0.0/8", 0, []],
		"a limit": ["10.0.0.0/8", 2, ["10.0.0.0", "10.0.0.1"]],
		"across blocks": ["10.0.0.254-10.0.1.1", 9, ["10.0.0.254", "10.0.0.255", "10.0.1.0", "10.0.1.1"]],
		"a block's last": ["10.0.0.255", 9, ["10.0.0.255"]],
		"a block's first": ["10.0.1.0", 9, ["10.0.1.0"]],
		"the highest": ["255.255.255.254/31", 9, ["255.255.255.254", "255.255.255.255"]],
		"IPv6 zero": ["::/0", 3, ["::", "::1", "::2"]],
		"IPv6 across blocks": ["fd00::fffe-fd00::1:1", 9, ["fd00::fffe", "fd00::ffff", "fd00::1:0", "fd00::1:1"]],
		"IPv6 across limbs": ["fd00::ffff:ffff-fd00::1:0:1", 9, ["fd00::ffff:ffff", "fd00::1:0:0", "fd00::1:0:1"]],
		"IPv6 with a longer run elsewhere": ["1:0:0:0:5:6:7:0/127", 9, ["1::5:6:7:0", "1::5:6:7:1"]],
	}
	addresses.first(addresses.range(case[0]), case[1]) == case[2]
}

# The shortcut writes what writing each address would.
test_first_and_offset_agree[entry] if {
	some entry in ["10.0.0.250-10.0.1.5", "fd00::fffa-fd00::1:5", "1:0:0:4::fffa-1:0:0:4::1:5"]
	range := addresses.range(entry)
	addresses.first(range, 99) == [addresses.format(addresses.offset(range.low, i)) |
		some i in numbers.range(0, 11)
	]
}

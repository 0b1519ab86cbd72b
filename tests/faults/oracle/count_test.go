// SPDX-License-Identifier: Apache-2.0

package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lictor-dev/lictor/tests/faults/oracle"
)

func TestCount(t *testing.T) {
	long, short := holding("name-of-m1", 60), holding("name-of-m2", 0)
	got := oracle.Count(history(member("m1"), member("m2"), claimed("waits"), claimed("long", long), claimed("short", short),
		claimed("short", short, going), gone(claimed("short", short, going)), gone(member("m2")),
		claimed("long", long, going), gone(claimed("long", long, going))))
	want := oracle.Counts{States: 10, Claims: 3, Bound: 2, Expired: 1, Released: 2, Members: 2, MembersGone: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

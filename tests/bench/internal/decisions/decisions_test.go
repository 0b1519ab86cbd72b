// SPDX-License-Identifier: Apache-2.0

package decisions

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	got, err := parse(`goos: linux
BenchmarkClaimStep/step=Bind/members=100   	    9000	     80000 ns/op	   40000 B/op	     600 allocs/op
BenchmarkRank                              	   20000	     20000 ns/op	    9000 B/op	     150 allocs/op
PASS
`)
	require.NoError(t, err)
	require.Equal(t, []sample{
		{name: "ClaimStep/step=Bind/members=100", elapsed: 80000, bytes: 40000, allocs: 600},
		{name: "Rank", elapsed: 20000, bytes: 9000, allocs: 150},
	}, got)
	_, err = parse("PASS\n")
	require.ErrorIs(t, err, errNone)
}

func TestSummary(t *testing.T) {
	got := summary("Rank", []sample{{cpu: 3000, elapsed: 9000}, {cpu: 1000, elapsed: 5000}, {cpu: 2000, elapsed: 7000}})
	require.Equal(t, Benchmark{Name: "Rank", CPU: 2, Elapsed: 7}, got)
}

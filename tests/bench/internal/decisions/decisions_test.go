// SPDX-License-Identifier: Apache-2.0

package decisions

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	got, err := parse([]byte(`goos: linux
BenchmarkRank-2                              	   20000	     20000 ns/op	    9000 B/op	     150 allocs/op
BenchmarkClaimStep/step=Bind/members=100-2   	    9000	     80000 ns/op	   40000 B/op	     600 allocs/op
BenchmarkClaimStep/step=Bind/members=100-2   	    9000	     90000 ns/op	   40000 B/op	     600 allocs/op
PASS
`))
	require.NoError(t, err)
	require.Equal(t, &Result{Benchmarks: []Benchmark{
		{Name: "ClaimStep/step=Bind/members=100", Micros: 85, Bytes: 40000, Allocs: 600},
		{Name: "Rank", Micros: 20, Bytes: 9000, Allocs: 150},
	}}, got)
	_, err = parse([]byte("PASS\n"))
	require.Error(t, err)
}

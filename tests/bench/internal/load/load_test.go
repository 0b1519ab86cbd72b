// SPDX-License-Identifier: Apache-2.0

package load

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPoisson(t *testing.T) {
	arrivals := Poisson(45, time.Minute)
	require.InDelta(t, 45*60, len(arrivals), 200) // four standard deviations
	require.True(t, slices.IsSorted(arrivals))
	require.Less(t, arrivals[len(arrivals)-1], time.Minute)
	require.Equal(t, arrivals, Poisson(45, time.Minute), "everybody meets the same arrivals")
}

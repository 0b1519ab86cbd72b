// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	var d []time.Duration
	for i := 100; i > 0; i-- {
		d = append(d, time.Duration(i)*time.Millisecond)
	}
	require.Equal(t, Latency{P50: 50, P90: 90, P99: 99}, Of(d))
	require.Equal(t, Latency{P50: 7, P90: 7, P99: 7}, Of([]time.Duration{7 * time.Millisecond}))
	require.Zero(t, Of(nil))
}

func TestMedian(t *testing.T) {
	require.InDelta(t, 2, Median([]float64{3, 1, 2}), 0)
	require.InDelta(t, 2.5, Median([]float64{4, 1, 3, 2}), 0)
	require.Zero(t, Median(nil))
}

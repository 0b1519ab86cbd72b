// SPDX-License-Identifier: Apache-2.0

// Package stats summarises measurements.
package stats

import (
	"math"
	"slices"
	"time"
)

// Latency is a distribution of durations, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
}

// Of summarises durations; it sorts them.
func Of(d []time.Duration) Latency {
	slices.Sort(d)
	return Latency{P50: rank(d, 0.50), P90: rank(d, 0.90), P99: rank(d, 0.99)}
}

// rank is the nearest-rank percentile: a value that was measured, never one in between.
func rank(sorted []time.Duration, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(p*float64(len(sorted)))) - 1
	return Millis(sorted[max(i, 0)])
}

// Millis is a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Median is the middle value, or the mean of the two middle ones; 0 of nothing.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	half := len(s) / 2
	if len(s)%2 == 1 {
		return s[half]
	}
	return (s[half-1] + s[half]) / 2
}

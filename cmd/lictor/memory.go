// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What a controller allocates is short-lived: answers, events and decisions. Collecting it rarely saves a quarter of the CPU
// of a claim, and costs memory in proportion to what lives. So it is collected rarely while little lives, and as often as
// it takes to stay within half as much again when there is much.
const (
	rareCollection   = 400       // percent of the live heap that may be allocated between collections
	memoryAlwaysUsed = 256 << 20 // bytes below which memory is not worth saving
	memoryAside      = 64 << 20  // bytes besides the heap: stacks, the runtime, and room for one second's garbage
	memoryCheck      = time.Second
)

// tendMemory adapts the garbage collector's memory limit to what lives, until the context ends. It leaves the collector
// alone when $GOGC or $GOMEMLIMIT says what to do.
func tendMemory(ctx context.Context) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(rareCollection)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	tick := time.NewTicker(memoryCheck)
	defer tick.Stop()
	for {
		metrics.Read(live)
		debug.SetMemoryLimit(memoryLimit(int64(live[0].Value.Uint64()))) //nolint:gosec // a heap is far below 2^63 bytes
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func memoryLimit(live int64) int64 { return max(memoryAlwaysUsed, live+live/2+memoryAside) }

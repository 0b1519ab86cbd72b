// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryLimit(t *testing.T) {
	require.EqualValues(t, 256<<20, memoryLimit(10<<20), "little lives: memory is not worth saving")
	require.EqualValues(t, 364<<20, memoryLimit(200<<20), "much lives: half as much again")
	require.Greater(t, memoryLimit(10<<30), int64(10<<30), "the limit is never below what lives")
}

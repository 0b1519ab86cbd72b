// SPDX-License-Identifier: Apache-2.0

package child

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCPUIn(t *testing.T) {
	got, err := cpuIn("42 (a (strange) name) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 9 0 1 2 3")
	require.NoError(t, err)
	require.Equal(t, 2*time.Second, got)
	_, err = cpuIn("42 (short) S 1")
	require.Error(t, err)
}

func TestBusyIn(t *testing.T) {
	got, err := busyIn("cpu  100 10 50 900 7 3 2 0 0 0\ncpu0 1 2 3\n")
	require.NoError(t, err)
	require.Equal(t, 1650*time.Millisecond, got)
	_, err = busyIn("cpu 1")
	require.Error(t, err)
}

func TestBytesIn(t *testing.T) {
	got, err := bytesIn("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n", "VmRSS:")
	require.NoError(t, err)
	require.EqualValues(t, 1<<20, got)
	_, err = bytesIn("Name:\tx\n", "VmRSS:")
	require.Error(t, err)
}

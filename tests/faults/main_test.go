// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"flag"
	"testing"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

// Flags of `go test`. They must be registered before testing parses its own, and tests are given nothing but a *testing.T.
//
//nolint:gochecknoglobals // the reason is given above
var (
	killsFlag = flag.Int("kills", 12, "TestRandomKills: how many times to kill a controller")
	seedFlag  = flag.Uint64("seed", 0, "TestRandomKills: seed of all random choices; 0 takes one from the clock")
)

// The oracle compares what it saw with every object that the API server answered.
func TestMain(m *testing.M) {
	testcluster.Main(m, testcluster.WithFlags("--audit-level=RequestResponse"))
}

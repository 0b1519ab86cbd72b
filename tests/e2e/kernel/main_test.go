// SPDX-License-Identifier: Apache-2.0

package kernel_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

// checks is how many histories a plain run draws, about a second each; -rapid.checks draws more.
const checks = "40"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", checks); err != nil { // before the command line is parsed, which overrides it
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testcluster.Main(m)
}

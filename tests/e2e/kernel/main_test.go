// SPDX-License-Identifier: Apache-2.0

package kernel_test

import (
	"testing"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

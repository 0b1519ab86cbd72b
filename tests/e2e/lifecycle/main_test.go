// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

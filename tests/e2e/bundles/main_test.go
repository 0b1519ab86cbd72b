// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"testing"

	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }

// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lictor-dev/lictor/rego"
)

func TestTellOfBundles(t *testing.T) {
	monday := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	active := rego.Status{Active: map[string]string{"claims": "1", "pools": "1"}, ActiveSince: monday}
	refused := active
	refused.LastError, refused.LastErrorAt = "rank.rego:30: wrong", monday.Add(time.Hour)
	refusedAgain := refused
	refusedAgain.LastErrorAt = monday.Add(2 * time.Hour)
	next := rego.Status{Active: map[string]string{"claims": "2", "pools": "1"}, ActiveSince: monday.Add(time.Hour)}
	cases := map[string]struct {
		reason      string
		before, now rego.Status
		want        string
	}{
		"first":     {"all are new", rego.Status{}, active, "bundles activated: claims 1, pools 1\n"},
		"one":       {"only what changed is of interest", active, next, "bundles activated: claims 2\n"},
		"same":      {"nothing happened", active, active, ""},
		"refused":   {"why, and who decides", active, refused, "bundles REFUSED, those before keep deciding: rank.rego:30: wrong\n"},
		"retried":   {"a retry of the controller is no news", refused, refusedAgain, ""},
		"undone":    {"an edit taken back activates nothing", refused, active, "bundles as they were: what was refused is undone\n"},
		"mended":    {"the activation says it all", refused, next, "bundles activated: claims 2\n"},
		"no bundle": {"a refusal at the start", rego.Status{}, rego.Status{LastError: "a\nb"}, "bundles REFUSED, and nothing decides yet: a\n    b\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			b := &bundles{screen: &screen{out: &out}, seen: c.before}
			b.tell(c.now)
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

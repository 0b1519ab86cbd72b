// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lictor-dev/lictor/rego"
)

// bundles tells what the controller activates and refuses. It is for one goroutine at a time.
type bundles struct {
	screen *screen
	url    string
	seen   rego.Status
}

// watch looks until the context ends.
func (b *bundles) watch(ctx context.Context) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			b.look(ctx)
		}
	}
}

// look asks once. No answer is nothing to tell: whether the controller lives is somebody else's question.
func (b *bundles) look(ctx context.Context) {
	body, err := get(ctx, b.url)
	if err != nil {
		return
	}
	var now rego.Status
	if json.Unmarshal(body, &now) != nil {
		return
	}
	b.tell(now)
	b.seen = now
}

func (b *bundles) refused() bool { return b.seen.LastError != "" }

// tell prints what is new. The same refusal is told once, however often the controller tries.
func (b *bundles) tell(now rego.Status) {
	switch {
	case !now.ActiveSince.Equal(b.seen.ActiveSince):
		b.screen.line("bundles activated: %s", changed(b.seen.Active, now.Active))
	case b.refused() && now.LastError == "":
		b.screen.line("bundles as they were: what was refused is undone")
	}
	switch {
	case now.LastError == "" || now.LastError == b.seen.LastError:
	case len(now.Active) == 0:
		b.screen.line("bundles REFUSED, and nothing decides yet: %s", now.LastError)
	default:
		b.screen.line("bundles REFUSED, those before keep deciding: %s", now.LastError)
	}
}

// changed lists the bundles whose revision is another than before.
func changed(before, now map[string]string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != before[name] {
			out = append(out, name+" "+now[name])
		}
	}
	return strings.Join(out, ", ")
}

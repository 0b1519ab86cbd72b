// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

// Snapshot is a group at one moment.
type Snapshot struct {
	// Value is what a decision sees: for each declared bucket its count and its first items, and, if asked for, what the
	// group holds.
	Value rego.Value
	// Revision is the one that all of the group was ranked in; the active one if the group has no items.
	Revision *rego.Revision
	// Entered counts the items that had become available in the index. Available tells whether another has since.
	Entered uint64
}

// Read returns what a decision sees of a group. Items that somebody other than the reader is about to take are left out of
// the items.
func (ix *Index) Read(ctx context.Context, name Group, heads int, holds bool, reader types.NamespacedName) (Snapshot, error) {
	ix.mu.Lock()
	defer ix.unlock()
	g, ok := ix.groups[name]
	revision := ix.policy.Active()
	if ok {
		ix.refresh(ctx, g)
		if err := g.err(); err != nil {
			return Snapshot{}, fmt.Errorf("view %s, group %s: %w", ix.view.ID(), name, err)
		}
		revision = g.revision
	}
	out := make(map[string]any, len(ix.view.Buckets)+1)
	for _, bucket := range ix.view.Buckets {
		items, err := ix.readBucket(g, bucket, heads, reader)
		if err != nil {
			return Snapshot{}, fmt.Errorf("view %s, group %s: %w", ix.view.ID(), name, err)
		}
		out[bucket] = items
	}
	if holds {
		out["holds"] = g.held()
	}
	return Snapshot{Value: rego.Lazy(out), Revision: revision, Entered: ix.entered}, nil
}

func (ix *Index) readBucket(g *group, bucket string, heads int, reader types.NamespacedName) (rego.Value, error) {
	var items []rego.Value
	var failed error
	count := 0
	if g != nil && g.buckets[bucket] != nil {
		tree := g.buckets[bucket]
		count = tree.Len()
		tree.Ascend(func(it *item) bool {
			if a, ok := ix.assumed[it.uid]; !ok || a.by == reader {
				failed = ix.convert(it)
				items = append(items, it.visible)
			}
			return len(items) < heads && failed == nil
		})
	}
	if failed != nil {
		return rego.Value{}, failed
	}
	list, err := rego.NewValue(items)
	return rego.Lazy(map[string]any{"count": count, "items": list}), err
}

// convert makes what decisions see of an item when one looks at it first. Most items never come near the head of a bucket,
// and converted they take several times the memory of the fields that they show.
func (ix *Index) convert(it *item) (err error) {
	if it.visible.IsZero() {
		it.visible, err = rego.NewValue(registry.Project(it.object.Object, ix.view.Fields))
	}
	return err
}

// err returns why the group cannot be read, nil if it can.
func (g *group) err() error {
	if g.scopeErr != nil {
		return g.scopeErr
	}
	if len(g.due) > 0 && g.halted != nil {
		return g.halted
	}
	for _, err := range g.broken {
		return err
	}
	if len(g.due) > 0 {
		return errors.New("not every item is ranked yet")
	}
	return nil
}

// held copies what the group holds, since the reader keeps it after the lock is gone.
func (g *group) held() map[string]any {
	out := map[string]any{}
	if g != nil {
		for h := range g.holds {
			out[h] = true
		}
	}
	return out
}

// Sizes returns the number of items in each bucket, over all groups.
func (ix *Index) Sizes() map[string]int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	sizes := map[string]int{}
	for _, b := range ix.view.Buckets {
		sizes[b] = 0
	}
	for _, g := range ix.groups {
		for b, tree := range g.buckets {
			sizes[b] += tree.Len()
		}
	}
	return sizes
}

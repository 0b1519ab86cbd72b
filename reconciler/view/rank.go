// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/btree"

	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

// treeDegree is the fan-out of the ordered buckets. 16 keeps nodes within a few cache lines; it is not critical.
const treeDegree = 16

// place asks policy where an item stands and puts it there. An item without an answer is left out; an item whose
// classification failed makes the group unreadable, since deciding on a part of a group is worse than not deciding.
func (ix *Index) place(ctx context.Context, it *item) {
	g := it.group
	var scope any
	if g.scope != nil {
		scope = g.scope
	}
	input := rego.Lazy(map[string]any{"object": it.object.Object, "scope": scope})
	d, defined, err := ix.policy.AskIn(ctx, g.revision, ix.view.Classify, input)
	if err == nil && defined {
		if err = ix.accept(it, d.Result); err != nil {
			err = &rego.NoDecisionError{Entrypoint: ix.view.Classify, Cause: rego.CauseType, Err: err}
		}
	}
	if err != nil {
		g.broken[it.name] = err
		return
	}
	if it.bucket == "" {
		return
	}
	if g.buckets[it.bucket] == nil {
		g.buckets[it.bucket] = btree.NewG(treeDegree, before)
	}
	g.buckets[it.bucket].ReplaceOrInsert(it)
	for _, h := range it.holds {
		g.holds[h]++
	}
}

// accept reads a rank and what decisions see of the item.
func (ix *Index) accept(it *item, rank rego.Value) error {
	bucket, err := text(rank, "bucket")
	if err != nil {
		return err
	}
	if !slices.Contains(ix.view.Buckets, bucket) {
		return fmt.Errorf("view %s: bucket %q is not declared; the buckets are %v", ix.view.ID(), bucket, ix.view.Buckets)
	}
	order, ok := rank.Get("order")
	if !ok {
		return fmt.Errorf("view %s: the rank has no order", ix.view.ID())
	}
	holds, err := texts(rank, "holds")
	if err != nil {
		return err
	}
	visible, err := rego.NewValue(registry.Project(it.object.Object, ix.view.Fields))
	if err != nil {
		return err
	}
	it.bucket, it.order, it.holds, it.visible = bucket, order, holds, visible
	return nil
}

// before orders items by policy's key; namespace and name break ties, so that the order is total.
func before(a, b *item) bool {
	if c := a.order.Compare(b.order); c != 0 {
		return c < 0
	}
	if a.name.Namespace != b.name.Namespace {
		return a.name.Namespace < b.name.Namespace
	}
	return a.name.Name < b.name.Name
}

func text(v rego.Value, key string) (string, error) {
	field, ok := v.Get(key)
	if !ok {
		return "", fmt.Errorf("the rank has no %s", key)
	}
	plain, err := field.Go()
	if err != nil {
		return "", err
	}
	s, ok := plain.(string)
	if !ok {
		return "", fmt.Errorf("the rank's %s is %T, not a string", key, plain)
	}
	return s, nil
}

func texts(v rego.Value, key string) ([]string, error) {
	field, ok := v.Get(key)
	if !ok {
		return nil, nil
	}
	plain, err := field.Go()
	if err != nil {
		return nil, err
	}
	list, ok := plain.([]any)
	if !ok {
		return nil, fmt.Errorf("the rank's %s is %T, not a list", key, plain)
	}
	out := make([]string, 0, len(list))
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return nil, fmt.Errorf("the rank's %s holds %T, not a string", key, x)
		}
		out = append(out, s)
	}
	return out, nil
}

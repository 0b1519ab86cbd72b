// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/btree"

	"github.com/lictor-dev/lictor/rego"
)

// treeDegree is the fan-out of the ordered buckets. 16 keeps nodes within a few cache lines; it is not critical.
const treeDegree = 16

// timeoutPause is how long a group is left alone after a timeout. A timeout takes rego.DefaultTimeout, during which nobody
// can read the view; a shorter pause would leave little time for the other groups.
const timeoutPause = time.Second

// rank ranks what is due in a group, and tries again what was ranked in vain, since a failure may pass. It returns the items
// that it asked about.
//
// A policy that does not come to an end must not hold the index once per item: the first timeout puts everything off for
// timeoutPause. One that fails at once may fail for each item, but then only for one per call.
func (ix *Index) rank(ctx context.Context, g *group) (asked []*item) {
	if g.scopeErr != nil || ix.now().Before(g.retry) {
		return nil
	}
	again := slices.Collect(maps.Keys(g.broken))
	for name, it := range g.due {
		delete(g.due, name)
		asked = append(asked, it)
		if halted := ix.try(ctx, g, it); halted {
			return asked
		}
	}
	for _, name := range again {
		it := g.members[name]
		asked = append(asked, it)
		ix.try(ctx, g, it)
		if g.broken[name] != nil {
			return asked
		}
	}
	return asked
}

// try ranks one item and keeps its failure. It tells whether ranking has to stop.
func (ix *Index) try(ctx context.Context, g *group, it *item) (halted bool) {
	delete(g.broken, it.name)
	err := ix.place(ctx, it)
	if err == nil {
		return false
	}
	g.broken[it.name] = err
	var none *rego.NoDecisionError
	switch {
	case ctx.Err() != nil: // whoever asked has gone away, which says nothing about the policy
		g.halted = err
	case errors.As(err, &none) && none.Cause == rego.CauseTimeout:
		g.halted, g.retry = err, ix.now().Add(timeoutPause)
	default:
		return false
	}
	return true
}

// place asks policy where an item stands and puts it there. An item without an answer is left out; an item whose
// classification failed makes the group unreadable, since deciding on a part of a group is worse than not deciding.
func (ix *Index) place(ctx context.Context, it *item) error {
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
	if err != nil || it.bucket == "" {
		return err
	}
	if g.buckets[it.bucket] == nil {
		g.buckets[it.bucket] = btree.NewG(treeDegree, before)
	}
	g.buckets[it.bucket].ReplaceOrInsert(it)
	for _, h := range it.holds {
		g.holds[h]++
	}
	return nil
}

// accept reads a rank.
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
	it.bucket, it.order, it.holds = bucket, order, holds
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

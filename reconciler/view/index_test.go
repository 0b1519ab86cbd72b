// SPDX-License-Identifier: Apache-2.0

package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

// ranker is a policy function in Go: an object says itself in which bucket it is, the scope may reverse the order.
type ranker struct {
	revision *rego.Revision
	asked    int
	fails    func(name string) error // nil: never
	asking   func(in *rego.Revision) // nil: nothing happens meanwhile
}

func (r *ranker) Active() *rego.Revision { return r.revision }

func (r *ranker) AskIn(_ context.Context, in *rego.Revision, _ string, input rego.Value) (rego.Decision, bool, error) {
	r.asked++
	if r.asking != nil {
		r.asking(in)
	}
	plain, err := input.Go()
	if err != nil {
		return rego.Decision{}, false, err
	}
	object := plain.(map[string]any)["object"].(map[string]any)
	if r.fails != nil {
		if err := r.fails(object["metadata"].(map[string]any)["name"].(string)); err != nil {
			return rego.Decision{}, false, err
		}
	}
	bucket, order := object["bucket"].(string), object["order"].(int64)
	switch bucket {
	case "":
		return rego.Decision{}, false, nil
	case "error":
		return rego.Decision{}, false, errors.New("no decision")
	}
	scope, _ := plain.(map[string]any)["scope"].(map[string]any)
	if scope["reverse"] == true {
		order = -order
	}
	if scope["without"] == bucket {
		return rego.Decision{}, false, nil
	}
	rank := map[string]any{"bucket": bucket, "order": []any{order}}
	if h, ok := object["holds"].(string); ok {
		rank["holds"] = []any{h}
	}
	v, err := rego.NewValue(rank)
	return rego.Decision{Result: v}, true, err
}

type fixture struct {
	index  *Index
	ranker *ranker
	scope  map[string]any
	now    time.Time
}

func newFixture(t require.TestingT) *fixture {
	pointer := func(text string) registry.Pointer {
		p, err := registry.ParsePointer(text)
		require.NoError(t, err)
		return p
	}
	f := &fixture{ranker: &ranker{revision: &rego.Revision{}}}
	v := &registry.View{Bundle: "demo", Name: "members", Group: pointer("/group"), Classify: "c", Buckets: []string{"a", "b"},
		Fields: []registry.Pointer{pointer("/metadata/name")}, Scope: &registry.Scope{Fields: []registry.Pointer{pointer("/reverse"), pointer("/without")}}}
	f.index = New(v, f.ranker, func(context.Context, registry.Kind, types.NamespacedName) (*unstructured.Unstructured, error) {
		if f.scope == nil {
			return nil, nil
		}
		return &unstructured.Unstructured{Object: f.scope}, nil
	})
	f.index.now = func() time.Time { return f.now }
	return f
}

func object(name, group, bucket string, order int64) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"group": group, "bucket": bucket, "order": order}}
	o.SetName(name)
	o.SetNamespace("ns")
	o.SetUID(types.UID("uid-" + name))
	o.SetResourceVersion("1")
	return o
}

// read renders a group as "bucket:count[names]", buckets in order.
func (f *fixture) read(t require.TestingT, group string, heads int, reader string) string {
	s, err := f.index.Read(context.Background(), Group{Namespace: "ns", Name: group}, heads, false, types.NamespacedName{Name: reader})
	require.NoError(t, err)
	plain, err := s.Value.Go()
	require.NoError(t, err)
	var out []string
	for _, b := range []string{"a", "b"} {
		bucket := plain.(map[string]any)[b].(map[string]any)
		var names []string
		for _, item := range bucket["items"].([]any) {
			names = append(names, item.(map[string]any)["metadata"].(map[string]any)["name"].(string))
		}
		out = append(out, fmt.Sprintf("%s:%d%v", b, bucket["count"], names))
	}
	return strings.Join(out, " ")
}

func TestReadOrdersAndCounts(t *testing.T) {
	f := newFixture(t)
	for i, name := range []string{"third", "first", "second"} {
		f.index.Update(t.Context(), object(name, "g", "a", int64((i+2)%3)))
	}
	f.index.Update(t.Context(), object("elsewhere", "h", "a", 0))
	f.index.Update(t.Context(), object("nowhere", "", "a", 0))
	f.index.Update(t.Context(), object("left-out", "g", "", 0))
	require.Equal(t, "a:3[first second] b:0[]", f.read(t, "g", 2, ""))
	require.Equal(t, "a:0[] b:0[]", f.read(t, "none", 2, ""), "an unknown group has empty buckets")
	f.index.Update(t.Context(), object("first", "g", "b", 0))
	require.Equal(t, "a:2[second third] b:1[first]", f.read(t, "g", 2, ""))
	f.index.Delete(object("second", "g", "a", 1))
	require.Equal(t, map[string]int{"a": 2, "b": 1}, f.index.Sizes())
}

func TestScopeAndRevisionRankAgain(t *testing.T) {
	f := newFixture(t)
	f.index.Update(t.Context(), object("x", "g", "a", 1))
	f.index.Update(t.Context(), object("y", "g", "a", 2))
	require.Equal(t, "a:2[x y] b:0[]", f.read(t, "g", 2, ""))
	f.scope = map[string]any{"reverse": true, "unrelated": 1}
	require.Equal(t, "a:2[y x] b:0[]", f.read(t, "g", 2, ""), "a read never mixes two states of the scope")
	asked := f.ranker.asked
	f.scope = map[string]any{"reverse": true, "unrelated": 2}
	f.read(t, "g", 2, "")
	require.Equal(t, asked, f.ranker.asked, "what the view does not list changes nothing")
	f.ranker.revision = &rego.Revision{}
	f.read(t, "g", 2, "")
	require.Equal(t, asked+2, f.ranker.asked, "another revision may rank differently")
}

func TestBrokenGroupIsUnreadable(t *testing.T) {
	f := newFixture(t)
	f.index.Update(t.Context(), object("good", "g", "a", 1))
	for bucket, message := range map[string]string{"error": "no decision", "undeclared": "not declared"} {
		f.index.Update(t.Context(), object("bad", "g", bucket, 1))
		_, err := f.index.Read(t.Context(), Group{Namespace: "ns", Name: "g"}, 1, false, types.NamespacedName{})
		require.ErrorContains(t, err, message, "a part of a group is worse than nothing")
	}
	f.index.Update(t.Context(), object("bad", "g", "b", 1))
	require.Equal(t, "a:1[good] b:1[bad]", f.read(t, "g", 1, ""), "mended")
}

func TestHolds(t *testing.T) {
	f := newFixture(t)
	held := func() any {
		s, err := f.index.Read(t.Context(), Group{Namespace: "ns", Name: "g"}, 1, true, types.NamespacedName{})
		require.NoError(t, err)
		plain, err := s.Value.Go()
		require.NoError(t, err)
		return plain.(map[string]any)["holds"]
	}
	require.Equal(t, map[string]any{}, held())
	for _, name := range []string{"x", "y"} {
		o := object(name, "g", "a", 1)
		o.Object["holds"] = "10.0.0.1"
		f.index.Update(t.Context(), o)
	}
	f.index.Delete(object("x", "g", "a", 1))
	require.Equal(t, map[string]any{"10.0.0.1": true}, held(), "the other one still holds it")
	f.index.Delete(object("y", "g", "a", 1))
	require.Equal(t, map[string]any{}, held())
}

func TestAssume(t *testing.T) {
	f := newFixture(t)
	var entered []string
	f.index.OnEnter(func(g Group) { entered = append(entered, g.Name) })
	me, you := types.NamespacedName{Name: "me"}, types.NamespacedName{Name: "you"}
	x := object("x", "g", "a", 1)
	f.index.Update(t.Context(), x)
	require.Equal(t, []string{"g"}, entered)
	require.True(t, f.index.Assume(x.GetUID(), me))
	require.True(t, f.index.Assume(x.GetUID(), me), "again is no contradiction")
	require.False(t, f.index.Assume(x.GetUID(), you))
	require.Equal(t, "a:1[] b:0[]", f.read(t, "g", 1, "you"))
	require.Equal(t, "a:1[x] b:0[]", f.read(t, "g", 1, "me"))
	f.index.Release(me)
	require.Equal(t, []string{"g", "g"}, entered, "it is to be had again")
	require.Equal(t, "a:1[x] b:0[]", f.read(t, "g", 1, "you"))

	require.True(t, f.index.Assume(x.GetUID(), me))
	f.index.Written(x.GetUID(), me, "7")
	x.SetResourceVersion("6")
	f.index.Update(t.Context(), x)
	require.Equal(t, "a:1[] b:0[]", f.read(t, "g", 1, "you"), "an older state proves nothing")
	x.SetResourceVersion("7")
	f.index.Update(t.Context(), x)
	require.Equal(t, "a:1[x] b:0[]", f.read(t, "g", 1, "you"), "the write has been seen")
}

func TestAssumeAnotherEndsWhatWasNotWritten(t *testing.T) {
	f := newFixture(t)
	me := types.NamespacedName{Name: "me"}
	for i, name := range []string{"x", "y", "z"} {
		f.index.Update(t.Context(), object(name, "g", "a", int64(i)))
	}
	entered := 0
	f.index.OnEnter(func(Group) { entered++ })
	require.True(t, f.index.Assume("uid-x", me))
	require.True(t, f.index.Assume("uid-y", me))
	require.Equal(t, "a:3[x z] b:0[]", f.read(t, "g", 3, "you"), "x was given up")
	require.Equal(t, 1, entered, "x is to be had again")
	f.index.Written("uid-y", me, "7")
	require.True(t, f.index.Assume("uid-y", me))
	require.True(t, f.index.Assume("uid-z", me))
	f.index.Release(me)
	require.Equal(t, "a:3[x z] b:0[]", f.read(t, "g", 3, "you"), "y was written, so it is not to be had")
	require.Equal(t, 2, entered)
}

func TestWrittenAfterItWasSeen(t *testing.T) {
	f := newFixture(t)
	me, x := types.NamespacedName{Name: "me"}, object("x", "g", "a", 1)
	x.SetResourceVersion("7")
	f.index.Update(t.Context(), x)
	require.True(t, f.index.Assume(x.GetUID(), me))
	f.index.Written(x.GetUID(), me, "7")
	require.Equal(t, "a:1[x] b:0[]", f.read(t, "g", 1, "you"), "the answer came after the event, and no other event comes")
}

func TestUnchangedUpdateIsNoNews(t *testing.T) {
	f := newFixture(t)
	entered := 0
	f.index.OnEnter(func(Group) { entered++ })
	for range 3 {
		f.index.Update(t.Context(), object("x", "g", "a", 1))
	}
	require.Equal(t, 1, entered, "a heartbeat wakes nobody")
	f.index.Update(t.Context(), object("x", "g", "a", 2))
	require.Equal(t, 1, entered, "its place in the order changes nothing for who waits")
	again := object("x", "g", "a", 2)
	again.SetUID("another")
	f.index.Update(t.Context(), again)
	require.Equal(t, 2, entered, "another object of that name")
	f.index.Update(t.Context(), object("x", "h", "a", 2))
	require.Equal(t, 3, entered, "another group")
}

func TestScopeOffersEveryItem(t *testing.T) {
	for name, look := range map[string]func(f *fixture){
		"scope changed": func(f *fixture) { f.index.ScopeChanged(t.Context(), Group{Namespace: "ns", Name: "g"}) },
		"update":        func(f *fixture) { f.index.Update(t.Context(), object("other", "g", "", 1)) },
		"read":          func(f *fixture) { f.read(t, "g", 1, "") },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.scope = map[string]any{"without": "a"}
			entered := 0
			f.index.OnEnter(func(Group) {
				entered++
				f.index.Sizes() // would wait for ever if the index were locked
			})
			for i := range 5 {
				f.index.Update(t.Context(), object(fmt.Sprint(i), "g", "a", 1))
			}
			require.Zero(t, entered)
			f.scope = nil
			look(f)
			require.Equal(t, 5, entered, "five items can make five waiters happy")
		})
	}
}

func TestMendedGroupOffersAll(t *testing.T) {
	for name, mend := range map[string]func(f *fixture){
		"changed": func(f *fixture) { f.index.Update(t.Context(), object("bad", "g", "b", 1)) },
		"deleted": func(f *fixture) { f.index.Delete(object("bad", "g", "b", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.index.Update(t.Context(), object("bad", "g", "error", 1))
			entered := 0
			f.index.OnEnter(func(Group) { entered++ })
			f.index.Update(t.Context(), object("x", "g", "a", 1))
			f.index.Update(t.Context(), object("y", "g", "a", 1))
			require.Zero(t, entered, "nobody can read it")
			mend(f)
			require.Equal(t, f.index.Sizes()["a"]+f.index.Sizes()["b"], entered)
		})
	}
}

// failing answers no decision, for one item or, if the name is empty, for all.
func failing(cause rego.Cause, name string) func(string) error {
	return func(asked string) error {
		if name != "" && asked != name {
			return nil
		}
		return &rego.NoDecisionError{Entrypoint: "c", Cause: cause}
	}
}

func (f *fixture) readError(ctx context.Context) error {
	_, err := f.index.Read(ctx, Group{Namespace: "ns", Name: "g"}, 1, false, types.NamespacedName{})
	return err
}

func TestFailureThatPasses(t *testing.T) {
	for cause, wait := range map[rego.Cause]time.Duration{rego.CauseError: 0, rego.CauseTimeout: time.Second} {
		t.Run(string(cause), func(t *testing.T) {
			f := newFixture(t)
			f.index.Update(t.Context(), object("x", "g", "a", 1))
			f.ranker.fails = failing(cause, "y")
			f.index.Update(t.Context(), object("y", "g", "a", 2))
			require.ErrorContains(t, f.readError(t.Context()), string(cause))
			f.ranker.fails = nil
			if wait > 0 {
				f.now = f.now.Add(wait - 1)
				require.ErrorContains(t, f.readError(t.Context()), string(cause), "too early to try again")
			}
			f.now = f.now.Add(1)
			entered := 0
			f.index.OnEnter(func(Group) { entered++ })
			require.Equal(t, "a:2[x y] b:0[]", f.read(t, "g", 2, ""), "one failure must not outlast its reason")
			require.Equal(t, 2, entered)
		})
	}
}

// TestTimeoutStopsRanking counts what a policy is asked that does not come to an end: each answer would take a second.
func TestTimeoutStopsRanking(t *testing.T) {
	f := newFixture(t)
	for i := range 100 {
		f.index.Update(t.Context(), object(fmt.Sprint(i), "g", "a", 1))
	}
	f.index.Update(t.Context(), object("other", "h", "a", 1))
	asked := func(do func()) int {
		before := f.ranker.asked
		do()
		return f.ranker.asked - before
	}
	f.ranker.fails = failing(rego.CauseTimeout, "")
	f.ranker.revision = &rego.Revision{}
	require.Equal(t, 1, asked(func() { require.ErrorContains(t, f.readError(t.Context()), "Timeout") }), "another revision")
	require.Zero(t, asked(func() {
		for i := range 100 {
			f.index.Update(t.Context(), object(fmt.Sprint(i), "g", "b", 1))
		}
		f.scope = map[string]any{"reverse": true}
		f.index.ScopeChanged(t.Context(), Group{Namespace: "ns", Name: "g"})
		require.ErrorContains(t, f.readError(t.Context()), "Timeout")
	}), "updates and the scope within the pause")
	f.now = f.now.Add(time.Second)
	require.Equal(t, 1, asked(func() { require.Error(t, f.readError(t.Context())) }), "once per pause")

	f.ranker.fails = failing(rego.CauseTimeout, "7")
	require.Equal(t, "a:1[other] b:0[]", f.read(t, "h", 1, ""), "the other groups go on")
	for range 3 { // 7 may come before the others, which are then ranked after the pause
		f.now = f.now.Add(time.Second)
		require.Error(t, f.readError(t.Context()), "a part of a group is worse than nothing")
	}
	f.index.Delete(object("7", "g", "b", 1))
	f.now = f.now.Add(time.Second)
	require.Contains(t, f.read(t, "g", 1, ""), "b:99[")

	f.ranker.fails = failing(rego.CauseTimeout, "")
	f.ranker.revision = &rego.Revision{}
	require.Error(t, f.readError(t.Context()))
	f.ranker.fails = nil
	f.ranker.revision = &rego.Revision{}
	require.Contains(t, f.read(t, "g", 1, ""), "b:99[", "a better policy need not wait")
}

func TestManyFailuresCostOneQuestionPerRead(t *testing.T) {
	f := newFixture(t)
	for i := range 100 {
		f.index.Update(t.Context(), object(fmt.Sprint(i), "g", "undeclared", 1))
	}
	asked := f.ranker.asked
	require.Error(t, f.readError(t.Context()))
	require.Equal(t, asked+1, f.ranker.asked)
}

func TestReaderThatGoesAwayBreaksNothing(t *testing.T) {
	f := newFixture(t)
	for i := range 10 {
		f.index.Update(t.Context(), object(fmt.Sprint(i), "g", "a", 1))
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	asked := f.ranker.asked
	f.ranker.fails = failing(rego.CauseCanceled, "")
	f.ranker.revision = &rego.Revision{}
	require.ErrorContains(t, f.readError(gone), "Canceled")
	require.Equal(t, asked+1, f.ranker.asked)
	f.ranker.fails = nil
	require.Contains(t, f.read(t, "g", 1, ""), "a:10[")
}

// TestActivationWhileRanking activates another revision under every question: what a read shows is of one revision, and it
// says of which.
func TestActivationWhileRanking(t *testing.T) {
	f := newFixture(t)
	for i := range 5 {
		f.index.Update(t.Context(), object(fmt.Sprint(i), "g", "a", 1))
	}
	one, two := &rego.Revision{}, &rego.Revision{}
	for name, rank := range map[string]func(){
		"read":          func() { f.read(t, "g", 1, "") },
		"update":        func() { f.index.Update(t.Context(), object("0", "g", "a", 2)) },
		"scope changed": func() { f.index.ScopeChanged(t.Context(), Group{Namespace: "ns", Name: "g"}) },
	} {
		t.Run(name, func(t *testing.T) {
			f.ranker.revision = one
			asked := map[*rego.Revision]int{}
			f.ranker.asking = func(in *rego.Revision) {
				asked[in]++
				f.ranker.revision = two
			}
			rank()
			require.Equal(t, map[*rego.Revision]int{one: 5}, asked, "all in the revision that was active at first")
			clear(asked)
			s, err := f.index.Read(t.Context(), Group{Namespace: "ns", Name: "g"}, 1, false, types.NamespacedName{})
			require.NoError(t, err)
			require.Same(t, two, s.Revision)
			require.Equal(t, map[*rego.Revision]int{two: 5}, asked)
		})
	}
	f.ranker.asking = func(*rego.Revision) { f.ranker.revision = two }
	f.ranker.revision = one
	s, err := f.index.Read(t.Context(), Group{Namespace: "ns", Name: "g"}, 1, false, types.NamespacedName{})
	require.NoError(t, err)
	require.Same(t, one, s.Revision, "not the active one, but the one that ranked")
	s, err = f.index.Read(t.Context(), Group{Namespace: "ns", Name: "none"}, 1, false, types.NamespacedName{})
	require.NoError(t, err)
	require.Same(t, two, s.Revision, "nothing was ranked")
}

func TestEmptyScopeIsNotNone(t *testing.T) {
	f := newFixture(t)
	f.index.Update(t.Context(), object("x", "g", "a", 1))
	f.read(t, "g", 1, "")
	asked := f.ranker.asked
	f.scope = map[string]any{"unrelated": 1}
	f.read(t, "g", 1, "")
	require.Equal(t, asked+1, f.ranker.asked, "policy sees {} instead of null")
}

func TestUnreadableScopeRanksNothing(t *testing.T) {
	f := newFixture(t)
	f.index.Update(t.Context(), object("x", "g", "a", 1))
	scopes, asked := f.index.scopes, f.ranker.asked
	f.index.scopes = func(context.Context, registry.Kind, types.NamespacedName) (*unstructured.Unstructured, error) {
		return nil, errors.New("unreadable")
	}
	f.ranker.revision = &rego.Revision{}
	require.ErrorContains(t, f.readError(t.Context()), "unreadable")
	require.Equal(t, asked, f.ranker.asked, "the new revision is not asked with a scope that may be old")
	f.index.scopes = scopes
	require.Equal(t, "a:1[x] b:0[]", f.read(t, "g", 1, ""))
}

func TestSnapshotTellsWhatEnteredSince(t *testing.T) {
	f := newFixture(t)
	g := Group{Namespace: "ns", Name: "g"}
	since := func() uint64 {
		s, err := f.index.Read(t.Context(), g, 1, false, types.NamespacedName{})
		require.NoError(t, err)
		return s.Entered
	}
	before := since()
	f.index.Update(t.Context(), object("x", "g", "a", 1))
	items, entered := f.index.Available(g)
	require.Equal(t, 1, items)
	require.Greater(t, entered, before)
	before = since()
	require.Equal(t, entered, before, "a read knows of it")
	f.index.Update(t.Context(), object("y", "h", "a", 1))
	_, entered = f.index.Available(g)
	require.LessOrEqual(t, entered, before, "another group's items are no news")
	f.index.Delete(object("x", "g", "a", 1))
	before = since()
	f.index.Update(t.Context(), object("x", "g", "a", 1))
	_, entered = f.index.Available(g)
	require.Greater(t, entered, before, "a group that was empty meanwhile does not count from the start")
	require.True(t, f.index.Assume("uid-x", types.NamespacedName{Name: "me"}))
	items, _ = f.index.Available(g)
	require.Zero(t, items)
	f.index.Update(t.Context(), object("bad", "g", "error", 1))
	f.index.Update(t.Context(), object("z", "g", "a", 1))
	items, _ = f.index.Available(g)
	require.Zero(t, items, "nobody can read it")
}

// model is what the index should show, kept in the plainest way.
type model struct {
	objects map[string]*unstructured.Unstructured
	assumed map[types.UID]assumption
	scope   map[string]any
}

// available maps the name of each available object to what makes it that very item in that very place.
func (m *model) available() map[string]string {
	out := map[string]string{}
	for name, o := range m.objects {
		if _, hidden := m.assumed[o.GetUID()]; hidden || m.bucket(o) == "" || m.broken(o.Object["group"].(string)) {
			continue
		}
		out[name] = fmt.Sprint(o.GetUID(), o.Object["group"], m.bucket(o))
	}
	return out
}

func (m *model) bucket(o *unstructured.Unstructured) string {
	if o.Object["group"] == "" || m.scope["without"] == o.Object["bucket"] {
		return ""
	}
	return o.Object["bucket"].(string)
}

func (m *model) broken(group string) bool {
	for _, o := range m.objects {
		if o.Object["group"] == group && o.Object["bucket"] == "error" {
			return true
		}
	}
	return false
}

func (m *model) settle(o *unstructured.Unstructured) {
	if a := m.assumed[o.GetUID()]; a.until != "" && o.GetResourceVersion() >= a.until {
		delete(m.assumed, o.GetUID())
	}
}

func (m *model) release(by types.NamespacedName, but types.UID) {
	for uid, a := range m.assumed {
		if a.by == by && a.until == "" && uid != but {
			delete(m.assumed, uid)
		}
	}
}

// TestIndexEqualsModel draws histories of changes and compares every read with sorting all objects, and every announcement
// with the items that became available.
func TestIndexEqualsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := newFixture(rt)
		m := &model{objects: map[string]*unstructured.Unstructured{}, assumed: map[types.UID]assumption{}}
		announced := map[string]int{}
		f.index.OnEnter(func(g Group) { announced[g.Name]++ })
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			before := m.available()
			clear(announced)
			step(rt, f, m)
			for _, g := range []string{"g", "h"} {
				if m.broken(g) {
					_, err := f.index.Read(context.Background(), Group{Namespace: "ns", Name: g}, 3, false, types.NamespacedName{})
					require.Error(rt, err)
					continue
				}
				require.Equal(rt, m.expected(g), f.read(rt, g, 3, ""))
			}
			entered, available := map[string]int{}, map[string]int{}
			for name, what := range m.available() {
				group := m.objects[name].Object["group"].(string)
				available[group]++
				if before[name] != what {
					entered[group]++
				}
			}
			require.Equal(rt, entered, announced)
			for _, g := range []string{"g", "h"} {
				items, _ := f.index.Available(Group{Namespace: "ns", Name: g})
				require.Equal(rt, available[g], items)
			}
		}
	})
}

// step changes the index and the model in the same way.
func step(rt *rapid.T, f *fixture, m *model) {
	name := fmt.Sprintf("n%d", rapid.IntRange(0, 8).Draw(rt, "name"))
	who := types.NamespacedName{Name: rapid.SampledFrom([]string{"me", "you"}).Draw(rt, "who")}
	o := m.objects[name]
	switch rapid.SampledFrom([]string{"update", "update", "touch", "delete", "scope", "revision", "assume", "written", "release"}).Draw(rt, "act") {
	case "update":
		next := object(name, rapid.SampledFrom([]string{"g", "h", ""}).Draw(rt, "group"),
			rapid.SampledFrom([]string{"a", "b", "a", "b", "", "error"}).Draw(rt, "bucket"), int64(rapid.IntRange(0, 3).Draw(rt, "order")))
		next.SetResourceVersion(fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "version")))
		if rapid.IntRange(0, 4).Draw(rt, "replaced") == 0 {
			next.SetUID(types.UID("other-" + name))
		}
		if o != nil && o.Object["group"] != "" && o.GetUID() != next.GetUID() {
			delete(m.assumed, o.GetUID())
		}
		f.index.Update(context.Background(), next)
		m.objects[name] = next
		m.settle(next)
	case "touch":
		if o != nil {
			f.index.Update(context.Background(), o.DeepCopy())
			m.settle(o)
		}
	case "delete":
		if o != nil {
			f.index.Delete(o)
			delete(m.objects, name)
			delete(m.assumed, o.GetUID())
		}
	case "scope":
		f.scope = map[string]any{"reverse": rapid.Bool().Draw(rt, "reverse"), "without": rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "without")}
		m.scope = f.scope
		if rapid.Bool().Draw(rt, "noticed") {
			f.index.ScopeChanged(context.Background(), Group{Namespace: "ns", Name: "g"})
		}
	case "revision":
		f.ranker.revision = &rego.Revision{}
	case "assume":
		if o != nil {
			a, taken := m.assumed[o.GetUID()]
			require.Equal(rt, !taken || a.by == who, f.index.Assume(o.GetUID(), who))
			if !taken {
				m.assumed[o.GetUID()] = assumption{by: who}
			}
			if !taken || a.by == who {
				m.release(who, o.GetUID())
			}
		}
	case "written":
		if o != nil {
			until := fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "until"))
			f.index.Written(o.GetUID(), who, until)
			if a, ok := m.assumed[o.GetUID()]; ok && a.by == who {
				m.assumed[o.GetUID()] = assumption{by: who, until: until}
				if o.Object["group"] != "" {
					m.settle(o)
				}
			}
		}
	case "release":
		f.index.Release(who)
		m.release(who, "")
	}
}

func (m *model) expected(group string) string {
	var out []string
	for _, b := range []string{"a", "b"} {
		var in []*unstructured.Unstructured
		for _, o := range m.objects {
			if o.Object["group"] == group && m.bucket(o) == b {
				in = append(in, o)
			}
		}
		slices.SortFunc(in, func(x, y *unstructured.Unstructured) int {
			c := int(x.Object["order"].(int64) - y.Object["order"].(int64))
			if m.scope["reverse"] == true {
				c = -c
			}
			if c == 0 {
				c = strings.Compare(x.GetName(), y.GetName())
			}
			return c
		})
		var names []string
		for _, o := range in {
			if _, hidden := m.assumed[o.GetUID()]; !hidden && len(names) < 3 {
				names = append(names, o.GetName())
			}
		}
		out = append(out, fmt.Sprintf("%s:%d%v", b, len(in), names))
	}
	return strings.Join(out, " ")
}

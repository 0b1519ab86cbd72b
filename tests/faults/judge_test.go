// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/lictor-dev/lictor/tests/faults/oracle"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

const (
	// patience is how long anything here may take; takeovers take seconds, and the machine may be busy.
	patience = 60 * time.Second
	poll     = 50 * time.Millisecond
	// bodyShown is how much of a request a failed test shows: its metadata come first.
	bodyShown = 400
)

// eventually waits until check returns nil.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), poll, patience, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("%s: %v: %v", what, err, last)
	}
}

// await waits for a channel to be closed.
func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s: not within %s", what, patience)
	}
}

// judge is the end of every test: wait until everything has converged, then let the oracle judge the whole history.
func judge(t *testing.T, c *testcluster.Cluster, r *recorder) []oracle.Fact {
	t.Helper()
	eventually(t, "claims and pools converge", func(ctx context.Context) error { return atRest(ctx, c) })
	log, err := c.Audit(testcluster.AuditFilter{Namespace: c.Namespace}).Events()
	if err != nil {
		t.Fatal(err)
	}
	// After the log was read: machines go on talking, and what the log has the recorder must have.
	eventually(t, "the recorder catches up", func(ctx context.Context) error { return r.caughtUp(ctx, c) })
	history, err := r.history()
	if err != nil {
		t.Fatalf("the recorder is broken: %v", err)
	}
	holes, err := oracle.Missing(history, log)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(oracle.Check(history), holes...) {
		t.Errorf("%v\n%s", v, evidence(v, log))
	}
	return history
}

// evidence is what the audit log says about the objects that a violation names.
func evidence(v oracle.Violation, log []auditv1.Event) string {
	names := strings.FieldsFunc(v.Message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' })
	var out strings.Builder
	for i := range log {
		e := &log[i]
		if e.ObjectRef == nil || !slices.Contains(names, e.ObjectRef.Name) || e.Verb == "get" || e.Verb == "watch" {
			continue
		}
		fmt.Fprintf(&out, "%s %s by %s: %s %s/%s %s", e.RequestReceivedTimestamp.UTC().Format("15:04:05.000"),
			e.StageTimestamp.UTC().Format("05.000"), e.UserAgent, e.Verb, e.ObjectRef.Name, e.ObjectRef.Subresource, bodyOf(e.RequestObject))
		if e.ResponseStatus != nil {
			fmt.Fprintf(&out, " -> %d", e.ResponseStatus.Code)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

func bodyOf(o *runtime.Unknown) string {
	if o == nil {
		return ""
	}
	return string(o.Raw[:min(len(o.Raw), bodyShown)])
}

func stateOf(ctx context.Context, c *testcluster.Cluster) (*oracle.State, error) {
	pools, members, claims, err := listAll(ctx, c)
	if err != nil {
		return nil, err
	}
	return &oracle.State{Pools: pools.Items, Members: members.Items, Claims: claims.Items}, nil
}

func atRest(ctx context.Context, c *testcluster.Cluster) error {
	s, err := stateOf(ctx, c)
	if err != nil {
		return err
	}
	if undone := oracle.CheckAtRest(s); len(undone) > 0 {
		return fmt.Errorf("%v", undone)
	}
	return nil
}

// caughtUp compares what the recorder knows to exist with what exists.
func (r *recorder) caughtUp(ctx context.Context, c *testcluster.Cluster) error {
	s, err := stateOf(ctx, c)
	if err != nil {
		return err
	}
	known := r.present()
	check := func(o client.Object) error {
		if known[o.GetUID()] != o.GetResourceVersion() {
			return fmt.Errorf("%s: %q is known, it is %s", o.GetName(), known[o.GetUID()], o.GetResourceVersion())
		}
		return nil
	}
	for i := range s.Members {
		if err := check(&s.Members[i]); err != nil {
			return err
		}
	}
	for i := range s.Claims {
		if err := check(&s.Claims[i]); err != nil {
			return err
		}
	}
	if len(known) != len(s.Members)+len(s.Claims) {
		return fmt.Errorf("%d objects are known, %d exist", len(known), len(s.Members)+len(s.Claims))
	}
	return nil
}

// present maps what exists, as far as the recorder knows, to its resourceVersion.
func (r *recorder) present() map[types.UID]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := map[types.UID]string{}
	for i := range r.facts {
		f := &r.facts[i]
		if f.Gone {
			delete(known, f.UID())
		} else {
			known[f.UID()] = fmt.Sprint(f.Revision)
		}
	}
	return known
}

// SPDX-License-Identifier: Apache-2.0

package proxy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/lictor-dev/lictor/tests/faults/proxy"
)

const member = "/apis/banlieue.io/v1alpha1/namespaces/ns/virtualmachines/m1"

// behind starts a proxy in front of a server that answers every request with its body, and tells executed.
func behind(t *testing.T, executed chan<- string) *proxy.Proxy {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		executed <- r.Method + " " + r.URL.Path
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	p, err := proxy.New(t.Context(), "A", &rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func send(ctx context.Context, p *proxy.Proxy, method, path, body string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }() // only read
	answer, err := io.ReadAll(response.Body)
	return string(answer), err
}

func TestPassesUnchanged(t *testing.T) {
	executed := make(chan string, 1)
	answer, err := send(t.Context(), behind(t, executed), http.MethodPatch, member, "body")
	if err != nil || answer != "body" || <-executed != "PATCH "+member {
		t.Errorf("answer %q, error %v", answer, err)
	}
}

func TestDropsBefore(t *testing.T) {
	executed := make(chan string, 1)
	p, struck := behind(t, executed), false
	armed := p.Arm(proxy.MemberDelete, proxy.Fault{Before: func() { struck = true }, Drop: true})
	if answer, err := send(t.Context(), p, http.MethodDelete, member, ""); err == nil {
		t.Errorf("the client got the answer %q to a write that was dropped", answer)
	}
	<-armed.Done()
	if !struck || len(executed) > 0 || armed.Status() != 0 {
		t.Errorf("struck: %v, executed: %d, status: %d", struck, len(executed), armed.Status())
	}
}

func TestCutsAfter(t *testing.T) {
	executed := make(chan string, 1)
	p, struck := behind(t, executed), 0
	armed := p.Arm(proxy.MemberDelete, proxy.Fault{After: func(status int) { struck = status }, Cut: true})
	if answer, err := send(t.Context(), p, http.MethodDelete, member, ""); err == nil {
		t.Errorf("the client got the answer %q that was cut off", answer)
	}
	<-armed.Done()
	if struck != http.StatusOK || len(executed) != 1 {
		t.Errorf("status: %d, executed: %d", struck, len(executed))
	}
}

func TestSendsHeldWriteOfClientThatIsGone(t *testing.T) {
	executed := make(chan string, 1)
	p, release := behind(t, executed), make(chan struct{})
	armed := p.Arm(proxy.MemberDelete, proxy.Fault{Before: func() { <-release }})
	ctx, die := context.WithCancel(t.Context())
	go func() {
		<-armed.Hit()
		die()
	}()
	if answer, err := send(ctx, p, http.MethodDelete, member, ""); err == nil {
		t.Errorf("the client got the answer %q to a write that was held", answer)
	}
	if len(executed) > 0 {
		t.Error("a held write was sent")
	}
	close(release)
	<-armed.Done()
	if got := <-executed; got != "DELETE "+member || armed.Status() != http.StatusOK {
		t.Errorf("executed %q, status %d", got, armed.Status())
	}
}

func TestStrikesOnce(t *testing.T) {
	executed := make(chan string, 2)
	p := behind(t, executed)
	p.Arm(proxy.MemberDelete, proxy.Fault{Drop: true})
	_, first := send(t.Context(), p, http.MethodDelete, member, "")
	_, second := send(t.Context(), p, http.MethodDelete, member, "")
	if first == nil || second != nil {
		t.Errorf("first: %v, second: %v", first, second)
	}
}

func TestDisarm(t *testing.T) {
	executed := make(chan string, 1)
	p := behind(t, executed)
	armed := p.Arm(proxy.MemberDelete, proxy.Fault{Drop: true})
	if !p.Disarm(armed) || p.Disarm(armed) {
		t.Error("a fault is taken back once")
	}
	if _, err := send(t.Context(), p, http.MethodDelete, member, ""); err != nil {
		t.Errorf("a fault that was taken back strikes: %v", err)
	}
}

func TestPoints(t *testing.T) {
	const (
		members = "/apis/banlieue.io/v1alpha1/namespaces/ns/virtualmachines"
		claim   = "/apis/banlieue.io/v1alpha1/namespaces/ns/virtualmachineclaims/c1"
		pool    = "/apis/banlieue.io/v1alpha1/namespaces/ns/virtualmachinepools/p1"
	)
	cases := map[proxy.Point]struct{ method, path, body string }{
		proxy.MemberCreate:    {http.MethodPost, members, `{"metadata":{"labels":{"banlieue.io/pool":"p1"}}}`},
		proxy.PoolStatus:      {http.MethodPatch, pool + "/status", `{"status":{"available":1}}`},
		proxy.Intent:          {http.MethodPatch, claim, `{"metadata":{"finalizers":["f"],"annotations":{"lictor.dev/bind-intent":"m1"}}}`},
		proxy.MemberBind:      {http.MethodPatch, member, `{"metadata":{"labels":{"banlieue.io/claim":"c1"}}}`},
		proxy.StatusBound:     {http.MethodPatch, claim + "/status", `{"status":{"phase":"Bound"}}`},
		proxy.ClaimStatus:     {http.MethodPatch, claim + "/status", `{"status":{"phase":"Pending"}}`},
		proxy.MemberDelete:    {http.MethodDelete, member, `{}`},
		proxy.StatusReleasing: {http.MethodPatch, claim + "/status", `{"status":{"phase":"Releasing"}}`},
		proxy.ClaimDelete:     {http.MethodDelete, claim, `{}`},
		proxy.Fence:           {http.MethodPatch, member, `{"metadata":{"annotations":{"lictor.dev/released-intent-of":"u"}}}`},
		proxy.FinalizerRemove: {http.MethodPatch, claim, `{"metadata":{"finalizers":[]}}`},
		proxy.Lease:           {http.MethodPut, "/apis/coordination.k8s.io/v1/namespaces/ns/leases/l", `{}`},
		proxy.Event:           {http.MethodPost, "/apis/events.k8s.io/v1/namespaces/ns/events", `{}`},
		proxy.Other:           {http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{}`},
	}
	for want, write := range cases {
		t.Run(string(want), func(t *testing.T) {
			p := behind(t, make(chan string, 1))
			if _, err := send(t.Context(), p, write.method, write.path, write.body); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[proxy.Point]int{want: 1}, p.Counts()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestStallsWatch(t *testing.T) {
	const watch = "/apis/banlieue.io/v1alpha1/namespaces/ns/virtualmachines?watch=true"
	p := behind(t, make(chan string, 2))
	resume := p.Stall("virtualmachines")
	got := make(chan error, 1)
	go func() {
		_, err := send(t.Context(), p, http.MethodGet, watch, "event")
		got <- err
	}()
	if _, err := send(t.Context(), p, http.MethodGet, "/version", "else"); err != nil {
		t.Errorf("another request waits too: %v", err)
	}
	if p.Delivered("virtualmachines") != 0 {
		t.Error("a stalled watch delivered something")
	}
	resume()
	if err := <-got; err != nil || p.Delivered("virtualmachines") == 0 {
		t.Errorf("after the stall: %v, %d pieces", err, p.Delivered("virtualmachines"))
	}
}

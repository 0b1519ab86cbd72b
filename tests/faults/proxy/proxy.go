// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// bodyLimit is the API server's own limit for a request.
	bodyLimit = 3 << 20
	// headerTimeout is generous; the client is on this machine.
	headerTimeout = time.Minute
)

// Proxy forwards plain HTTP on a loopback port to an API server, as the user of a rest.Config.
type Proxy struct {
	// URL is where clients connect.
	URL string

	name      string
	target    *url.URL
	transport http.RoundTripper
	forward   *httputil.ReverseProxy
	server    *http.Server
	served    chan error

	mu      sync.Mutex
	armed   []*Armed
	counts  map[Point]int
	watches map[string]*watches
}

// New starts a proxy that runs until Close. The audit log shows its name at the end of its clients' user agents.
func New(ctx context.Context, name string, config *rest.Config) (*Proxy, error) {
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("API server address: %w", err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("API server transport: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	p := &Proxy{URL: "http://" + listener.Addr().String(), name: name, target: target, transport: transport,
		served: make(chan error, 1), counts: map[Point]int{}, watches: map[string]*watches{}}
	p.forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // a watch's events must not wait for each other
		// The client sees what it would see without a proxy: its connection ends.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headerTimeout, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { p.served <- p.server.Serve(listener) }()
	return p, nil
}

// Close ends all connections. Writes that faults still hold are abandoned when their faults return.
func (p *Proxy) Close() error {
	err := p.server.Close()
	for _, w := range p.allWatches() {
		w.set(false)
	}
	if served := <-p.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (p *Proxy) allWatches() []*watches {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.watches))
}

// Arm lets a fault strike the next write of a point. Of several for one point, the oldest strikes first.
func (p *Proxy) Arm(point Point, fault Fault) *Armed {
	a := &Armed{point: point, fault: fault, hit: make(chan struct{}), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = append(p.armed, a)
	return a
}

// Disarm takes a fault back. It tells whether the fault has not struck, and now never will.
func (p *Proxy) Disarm(a *Armed) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.armed, a)
	if i >= 0 {
		p.armed = slices.Delete(p.armed, i, i+1)
	}
	return i >= 0
}

// Counts is how many writes have come so far, by point.
func (p *Proxy) Counts() map[Point]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// ServeHTTP forwards one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("User-Agent", r.UserAgent()+" "+p.name)
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if r.URL.Query().Get("watch") == "true" {
			resource, _, _ := parse(r.URL.Path)
			w = &stallable{ResponseWriter: w, watches: p.watchesOf(resource)}
		}
		p.forward.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		panic(http.ErrAbortHandler) // the client died while it was sending
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := p.arrived(classify(r.Method, r.URL.Path, body))
	if a == nil {
		p.forward.ServeHTTP(w, r)
		return
	}
	p.strike(w, r, body, a)
}

// arrived counts a write and returns the fault that is meant for it, nil if none is.
func (p *Proxy) arrived(write Write) *Armed {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[write.Point]++
	i := slices.IndexFunc(p.armed, func(a *Armed) bool { return a.point == write.Point })
	if i < 0 {
		return nil
	}
	a := p.armed[i]
	p.armed = slices.Delete(p.armed, i, i+1)
	return a
}

// answer is a response that has been read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (p *Proxy) strike(w http.ResponseWriter, r *http.Request, body []byte, a *Armed) {
	got := p.suffer(r, body, a)
	if got == nil || a.fault.Cut {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), got.header)
	w.WriteHeader(got.status)
	_, _ = w.Write(got.body) // the client may be gone: then there is nobody to tell
}

// suffer runs a fault up to the answer, nil if there is none.
func (p *Proxy) suffer(r *http.Request, body []byte, a *Armed) *answer {
	defer close(a.done)
	close(a.hit)
	if a.fault.Before != nil {
		a.fault.Before()
	}
	if a.fault.Drop {
		return nil
	}
	got, err := p.send(r, body)
	if err != nil {
		return nil // the client sees its connection end, as it would without a proxy
	}
	a.status = got.status
	if a.fault.After != nil {
		a.fault.After(got.status)
	}
	return got
}

// send has the API server execute a request, whether or not the client is still there.
func (p *Proxy) send(r *http.Request, body []byte) (*answer, error) {
	out := r.Clone(context.WithoutCancel(r.Context()))
	out.URL.Scheme, out.URL.Host, out.Host, out.RequestURI = p.target.Scheme, p.target.Host, "", ""
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.Header.Del("Connection")
	response, err := p.transport.RoundTrip(out)
	if err != nil {
		return nil, fmt.Errorf("forwarding: %w", err)
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("forwarding: %w", err)
	}
	return &answer{status: response.StatusCode, header: response.Header, body: content}, nil
}

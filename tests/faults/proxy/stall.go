// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"net/http"
	"sync"
)

// watches are the streams of one resource.
type watches struct {
	mu        sync.Mutex
	moved     *sync.Cond
	stalled   bool
	delivered int
}

func newWatches() *watches {
	w := &watches{}
	w.moved = sync.NewCond(&w.mu)
	return w
}

// Stall has the client's watches of a resource deliver nothing more until the returned function is called, so that its
// cache grows old. A stall ends with the proxy.
func (p *Proxy) Stall(resource string) (resume func()) {
	w := p.watchesOf(resource)
	w.set(true)
	return func() { w.set(false) }
}

// Delivered is how many pieces the client's watches of a resource have delivered. The API server sends one per event.
func (p *Proxy) Delivered(resource string) int {
	w := p.watchesOf(resource)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.delivered
}

func (w *watches) set(stalled bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stalled = stalled
	w.moved.Broadcast()
}

func (p *Proxy) watchesOf(resource string) *watches {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.watches[resource]
	if w == nil {
		w = newWatches()
		p.watches[resource] = w
	}
	return w
}

// stallable delivers a watch's stream unless it is stalled.
type stallable struct {
	http.ResponseWriter
	watches *watches
}

// Unwrap lets the reverse proxy flush.
func (s *stallable) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *stallable) Write(piece []byte) (int, error) {
	s.watches.mu.Lock()
	for s.watches.stalled {
		s.watches.moved.Wait()
	}
	s.watches.delivered++
	s.watches.mu.Unlock()
	return s.ResponseWriter.Write(piece)
}

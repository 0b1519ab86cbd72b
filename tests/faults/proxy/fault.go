// SPDX-License-Identifier: Apache-2.0

package proxy

// Fault is what happens to one write.
type Fault struct {
	// Before is called while the API server has not got the write yet; the write waits until it returns. May be nil.
	Before func()
	// Drop keeps the write from the API server for good. The client sees its connection cut.
	Drop bool
	// After is called when the API server has answered and the client does not know. May be nil.
	After func(status int)
	// Cut ends the connection in place of the answer, so that the client cannot know what became of the write.
	Cut bool
}

// Armed is a fault that waits for its write.
type Armed struct {
	point Point
	fault Fault
	hit   chan struct{}
	done  chan struct{}

	status int // what the API server answered; 0 if it was never asked. Read after done is closed.
}

// Hit is closed when the write has come.
func (a *Armed) Hit() <-chan struct{} { return a.hit }

// Done is closed when the API server has answered the write, or never will get it.
func (a *Armed) Done() <-chan struct{} { return a.done }

// Status is the code that the API server answered, 0 if it did not. It is valid once Done is closed.
func (a *Armed) Status() int { return a.status }

// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// maxAbandoned bounds the evaluations that go on although nobody waits for them any more. Each may keep a core busy, so
// 16, as many as a registration has workers, is already far too many for a healthy process.
const maxAbandoned = 16

var errAbandoned = errors.New("too many evaluations are still going on after their deadline; mend the bundle, or start the process again")

// workerIdle is how long a worker waits for more. A new goroutine's stack grows, by copying, on its first evaluation, which
// costs as much as the evaluation; a minute keeps workers from one resync of a quiet cluster to the next.
const workerIdle = time.Minute

// guard runs evaluations so that nobody waits for one longer than the timeout. OPA looks at its interrupt between
// expressions only, and one call of a builtin can take minutes: at the deadline the evaluation is abandoned.
type guard struct {
	timeout   time.Duration
	metrics   *Metrics
	abandoned atomic.Int64
	workers   chan *evaluation // taken by workers that have nothing to do
}

func newGuard(timeout time.Duration, metrics *Metrics) *guard {
	return &guard{timeout: timeout, metrics: metrics, workers: make(chan *evaluation)}
}

// The states of an evaluation.
const (
	running int32 = iota
	finished
	abandoned
)

// evaluation is one run of a query by a worker.
type evaluation struct {
	run    func() (ast.Value, error)
	state  atomic.Int32
	done   chan struct{} // closed when answer and err are set
	answer ast.Value
	err    error
}

// evaluate asks one prepared entrypoint. Every failure is a NoDecisionError.
func (g *guard) evaluate(ctx context.Context, r *Revision, q *query, input Value) (Value, error) {
	if g.abandoned.Load() >= maxAbandoned {
		return Value{}, &NoDecisionError{Entrypoint: q.entrypoint, Cause: CauseTimeout, Err: errAbandoned}
	}
	start := time.Now()
	deadline := time.NewTimer(g.timeout)
	defer deadline.Stop()
	interrupt := topdown.NewCancel()
	e := &evaluation{done: make(chan struct{}), run: func() (ast.Value, error) { return r.run(ctx, q, input, interrupt) }}
	select {
	case g.workers <- e:
	default:
		go g.work(e)
	}
	select {
	case <-e.done:
	case <-deadline.C:
	case <-ctx.Done():
	}
	late := g.lateness(ctx, start)
	if late == "" {
		return e.result(q.entrypoint)
	}
	interrupt.Cancel()
	g.count(+1)
	if !e.state.CompareAndSwap(running, abandoned) {
		g.count(-1)
	}
	return Value{}, &NoDecisionError{Entrypoint: q.entrypoint, Cause: late, Err: context.Cause(ctx)}
}

// work runs an evaluation, and then others until there are none for a while.
func (g *guard) work(e *evaluation) {
	idle := time.NewTimer(workerIdle)
	defer idle.Stop()
	for {
		e.answer, e.err = e.run()
		close(e.done)
		if !e.state.CompareAndSwap(running, finished) {
			g.count(-1)
		}
		e = nil // while it waits, a worker keeps no revision and no input alive
		idle.Reset(workerIdle)
		select {
		case e = <-g.workers:
		case <-idle.C:
			return
		}
	}
}

// lateness is why an answer that is there now comes too late, empty when it does not. A late answer is no answer: whoever
// asked may have begun something else.
func (g *guard) lateness(ctx context.Context, start time.Time) Cause {
	switch err := ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded), time.Since(start) >= g.timeout:
		return CauseTimeout
	case err != nil:
		return CauseCanceled
	default:
		return ""
	}
}

func (g *guard) count(n int64) {
	g.abandoned.Add(n)
	g.metrics.abandoned.Add(float64(n))
}

// result reads a finished evaluation.
func (e *evaluation) result(entrypoint string) (Value, error) {
	var panicked *panicError
	switch {
	case errors.As(e.err, &panicked):
		return Value{}, &NoDecisionError{Entrypoint: entrypoint, Cause: CausePanic, Err: e.err}
	case e.err != nil:
		return Value{}, &NoDecisionError{Entrypoint: entrypoint, Cause: CauseError, Err: e.err}
	case e.answer == nil:
		return Value{}, &NoDecisionError{Entrypoint: entrypoint, Cause: CauseUndefined}
	default:
		return Value{e.answer}, nil
	}
}

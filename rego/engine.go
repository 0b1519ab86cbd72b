// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	"github.com/open-policy-agent/opa/v1/ast"
)

// DefaultTimeout bounds one decision. Decisions take well under a millisecond; a second means that a bundle loops.
const DefaultTimeout = time.Second

// Check looks at a compiled candidate and returns the entrypoints that it will be asked, or why it must not be activated.
type Check func(*Revision) ([]Entrypoint, error)

// Prepare gets ready for a proven candidate before it takes over, and may still refuse it. The function that it returns is
// called right after the candidate took over.
type Prepare func(ctx context.Context, candidate *Revision) (commit func(), err error)

// Config is what an Engine needs.
type Config struct {
	// Schemas holds the decisions' JSON Schemas: input schemas in folders (claims/step/input.json), output schemas at
	// the top (step.json).
	Schemas fs.FS
	// Required maps each bundle that must be present to the entrypoints that it must define.
	Required map[string][]Entrypoint
	// Check is asked before each activation; nil means no further check.
	Check Check
	// Timeout bounds one decision; 0 means DefaultTimeout.
	Timeout time.Duration
	// Metrics receives counts; required.
	Metrics *Metrics
	// Log receives activations and refusals.
	Log logr.Logger
}

// Engine evaluates decisions in the active revision.
type Engine struct {
	config   Config
	schemas  *ast.SchemaSet
	contract *contract
	active   atomic.Pointer[Revision]
	guard    *guard
	idPrefix string
	idCount  atomic.Uint64

	activating sync.Mutex // one activation at a time; guards prepare
	prepare    Prepare

	mu     sync.Mutex
	status Status
}

// NewEngine returns an engine without a revision. Call Activate before Decide.
func NewEngine(config Config) (*Engine, error) {
	if config.Metrics == nil {
		return nil, errors.New("rego: Config.Metrics is required")
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	schemas, err := loadSchemas(config.Schemas)
	if err != nil {
		return nil, err
	}
	c, err := newContract(config.Schemas)
	if err != nil {
		return nil, err
	}
	return &Engine{
		config: config, schemas: schemas, contract: c, idPrefix: uuid.NewString()[:18] + "-",
		guard: newGuard(config.Timeout, config.Metrics),
	}, nil
}

// Activate proves a set of bundles and, if every check passes, makes it the one that decides. Otherwise the active
// revision stays, and the error, Status, a log line and a metric say why.
func (e *Engine) Activate(ctx context.Context, bundles []*Bundle) error {
	e.activating.Lock()
	defer e.activating.Unlock()
	candidate, err := e.prove(ctx, bundles)
	if err != nil {
		e.Refuse(err)
		return err
	}
	candidate.retire(e.active.Load())
	commit := func() {}
	if e.prepare != nil {
		if commit, err = e.prepare(ctx, candidate); err != nil {
			e.Refuse(err)
			return err
		}
	}
	e.swap(candidate)
	commit()
	return nil
}

// Refuse records that a set of bundles is not activated. The active revision stays. The same refusal again is not logged.
func (e *Engine) Refuse(err error) {
	e.mu.Lock()
	isNews := e.status.LastError != err.Error()
	e.status.LastError, e.status.LastErrorAt = err.Error(), time.Now()
	e.mu.Unlock()
	e.config.Metrics.refused()
	if !isNews {
		return
	}
	active := "none"
	if r := e.active.Load(); r != nil {
		active = r.ID()
	}
	e.config.Log.Error(err, "Bundles not activated, the revision before keeps deciding", "active", active)
}

func (e *Engine) swap(candidate *Revision) {
	previous := e.active.Swap(candidate)
	e.mu.Lock()
	e.status = Status{Active: candidate.Bundles(), ActiveSince: time.Now()}
	e.mu.Unlock()
	e.config.Metrics.activated(previous, candidate)
	e.config.Log.Info("Bundles activated", "revision", candidate.ID())
}

// SetPrepare registers the one who gets ready for candidates from now on.
func (e *Engine) SetPrepare(p Prepare) {
	e.activating.Lock()
	defer e.activating.Unlock()
	e.prepare = p
}

func (e *Engine) prove(ctx context.Context, bundles []*Bundle) (*Revision, error) {
	present := map[string]bool{}
	for _, b := range bundles {
		if present[b.name] {
			return nil, fmt.Errorf("bundle %s is given twice", b.name)
		}
		present[b.name] = true
	}
	entrypoints := []Entrypoint{}
	for name, required := range e.config.Required {
		if !present[name] {
			return nil, &MissingBundleError{Bundle: name}
		}
		entrypoints = append(entrypoints, required...)
	}
	candidate, err := compile(ctx, bundles, e.schemas)
	if err != nil {
		return nil, err
	}
	if e.config.Check != nil {
		more, err := e.config.Check(candidate)
		if err != nil {
			return nil, err
		}
		entrypoints = append(entrypoints, more...)
	}
	for _, ep := range entrypoints {
		if candidate.queries[ep.Path], err = candidate.prepare(ep.Path); err != nil {
			return nil, err
		}
	}
	return candidate, e.contract.prove(ctx, e.guard, candidate, entrypoints)
}

// Active returns the revision that decides now, nil before the first activation.
func (e *Engine) Active() *Revision { return e.active.Load() }

// Decide evaluates an entrypoint in the active revision. The error is always a *NoDecisionError.
func (e *Engine) Decide(ctx context.Context, entrypoint string, input Value) (Decision, error) {
	return e.DecideIn(ctx, e.active.Load(), entrypoint, input)
}

// DecideIn is Decide in a given revision, for a caller whose input was gathered for that revision.
func (e *Engine) DecideIn(ctx context.Context, in *Revision, entrypoint string, input Value) (Decision, error) {
	d, err := e.decide(ctx, in, entrypoint, input)
	e.config.Metrics.decided(&d, err)
	return d, err
}

// AskIn is DecideIn for a question that policy may leave open: an undefined rule is an answer, false, and no failure.
func (e *Engine) AskIn(ctx context.Context, in *Revision, entrypoint string, input Value) (Decision, bool, error) {
	d, err := e.decide(ctx, in, entrypoint, input)
	var missing *NoDecisionError
	if errors.As(err, &missing) && missing.Cause == CauseUndefined && missing.Err == nil {
		e.config.Metrics.decided(&d, nil)
		return d, false, nil
	}
	e.config.Metrics.decided(&d, err)
	return d, err == nil, err
}

func (e *Engine) decide(ctx context.Context, in *Revision, entrypoint string, input Value) (Decision, error) {
	start := time.Now()
	d := Decision{ID: e.nextID(), Entrypoint: entrypoint, EngineVersion: engineVersion(), Revision: in}
	if in == nil {
		return d, &NoDecisionError{Entrypoint: entrypoint, Cause: CauseNotActive}
	}
	q, ok := in.queries[entrypoint]
	if !ok {
		return d, &NoDecisionError{Entrypoint: entrypoint, Cause: CauseUndefined, Err: &EntrypointError{Entrypoint: entrypoint}}
	}
	var err error
	d.Result, err = e.guard.evaluate(ctx, in, q, input)
	d.Duration = time.Since(start)
	return d, err
}

// ValidateResult checks an answer against an output schema, such as step. Activation does so on every contract vector, and
// tests may on any decision; in between, whoever asked reads the answer strictly, which costs less.
func (e *Engine) ValidateResult(output string, d Decision) error {
	return e.contract.validate(output, d.Result)
}

// nextID is a random prefix of this process and a count: as unique as a UUID, without its cost on every decision.
func (e *Engine) nextID() string {
	return e.idPrefix + strconv.FormatUint(e.idCount.Add(1), 16)
}

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
	idPrefix string
	idCount  atomic.Uint64

	mu          sync.Mutex // one activation at a time; guards what follows
	status      Status
	subscribers []func(*Revision)
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
	return &Engine{config: config, schemas: schemas, contract: c, idPrefix: uuid.NewString()[:18] + "-"}, nil
}

// Activate proves a set of bundles and, if every check passes, makes it the one that decides. Otherwise the active
// revision stays, and the error, Status, a log line and a metric say why.
func (e *Engine) Activate(ctx context.Context, bundles []*Bundle) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	candidate, err := e.prove(ctx, bundles)
	if err != nil {
		e.refuse(err)
		return err
	}
	e.swap(candidate)
	for _, notify := range e.subscribers {
		notify(candidate)
	}
	return nil
}

// Refuse records that a set of bundles could not even be loaded. The active revision stays.
func (e *Engine) Refuse(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refuse(err)
}

func (e *Engine) refuse(err error) {
	e.status.LastError, e.status.LastErrorAt = err.Error(), time.Now()
	e.config.Metrics.refused()
	active := "none"
	if r := e.active.Load(); r != nil {
		active = r.ID()
	}
	e.config.Log.Error(err, "Bundles not activated, the revision before keeps deciding", "active", active)
}

func (e *Engine) swap(candidate *Revision) {
	previous := e.active.Swap(candidate)
	e.status = Status{Active: candidate.Bundles(), ActiveSince: time.Now()}
	e.config.Metrics.activated(previous, candidate)
	e.config.Log.Info("Bundles activated", "revision", candidate.ID())
}

// OnActivate registers a function that is called, in order, after each activation, before Activate returns.
func (e *Engine) OnActivate(f func(*Revision)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.subscribers = append(e.subscribers, f)
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
	return candidate, e.contract.prove(ctx, candidate, entrypoints, e.config.Timeout)
}

// Active returns the revision that decides now, nil before the first activation.
func (e *Engine) Active() *Revision { return e.active.Load() }

// Decide evaluates an entrypoint in the active revision. The error is always a *NoDecisionError.
func (e *Engine) Decide(ctx context.Context, entrypoint string, input Value) (Decision, error) {
	start := time.Now()
	d := Decision{ID: e.nextID(), Entrypoint: entrypoint, EngineVersion: engineVersion(), Revision: e.active.Load()}
	err := e.decide(ctx, &d, input)
	d.Duration = time.Since(start)
	e.config.Metrics.decided(&d, err)
	return d, err
}

func (e *Engine) decide(ctx context.Context, d *Decision, input Value) error {
	if d.Revision == nil {
		return &NoDecisionError{Entrypoint: d.Entrypoint, Cause: CauseNotActive}
	}
	q, ok := d.Revision.queries[d.Entrypoint]
	if !ok {
		return &NoDecisionError{Entrypoint: d.Entrypoint, Cause: CauseUndefined, Err: &EntrypointError{Entrypoint: d.Entrypoint}}
	}
	var err error
	d.Result, err = d.Revision.evaluate(ctx, q, input, e.config.Timeout)
	return err
}

// nextID is a random prefix of this process and a count: as unique as a UUID, without its cost on every decision.
func (e *Engine) nextID() string {
	return e.idPrefix + strconv.FormatUint(e.idCount.Add(1), 16)
}

// Ask is Decide for a question that policy may leave open: an undefined rule is an answer, false, and no failure.
func (e *Engine) Ask(ctx context.Context, entrypoint string, input Value) (Decision, bool, error) {
	start := time.Now()
	d := Decision{ID: e.nextID(), Entrypoint: entrypoint, EngineVersion: engineVersion(), Revision: e.active.Load()}
	err := e.decide(ctx, &d, input)
	d.Duration = time.Since(start)
	var missing *NoDecisionError
	if errors.As(err, &missing) && missing.Cause == CauseUndefined && missing.Err == nil {
		e.config.Metrics.decided(&d, nil)
		return d, false, nil
	}
	e.config.Metrics.decided(&d, err)
	return d, err == nil, err
}

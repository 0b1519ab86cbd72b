// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/version"
)

// Decision is one answer of policy, with what is needed to say where it came from.
type Decision struct {
	// ID is unique to this decision.
	ID string
	// Entrypoint is the rule that was asked, such as lictor.claims.step.
	Entrypoint string
	// Result is the answer.
	Result Value
	// Revision is the revision that the decision was evaluated in.
	Revision *Revision
	// EngineVersion is OPA's version.
	EngineVersion string
	// Duration is how long evaluation took.
	Duration time.Duration
}

// BundleRevision is the revision of the bundle that answered.
func (d *Decision) BundleRevision() string { return d.Revision.queries[d.Entrypoint].revision }

// query is one prepared entrypoint.
type query struct {
	entrypoint string
	body       ast.Body
	compiler   ast.QueryCompiler
	result     ast.Var
	// revision is that of the bundle which owns the entrypoint.
	revision string
}

// answerVar is the variable that a prepared query binds the rule's value to.
const answerVar = ast.Var("answer")

func (r *Revision) prepare(entrypoint string) (*query, error) {
	ref := ast.Ref{ast.DefaultRootDocument}
	for _, part := range strings.Split(entrypoint, ".") {
		ref = ref.Append(ast.StringTerm(part))
	}
	if len(r.compiler.GetRulesExact(ref)) == 0 {
		return nil, &EntrypointError{Entrypoint: entrypoint}
	}
	qc := r.compiler.QueryCompiler()
	body, err := qc.Compile(ast.NewBody(ast.Equality.Expr(ast.NewTerm(answerVar), ast.NewTerm(ref))))
	if err != nil {
		return nil, fmt.Errorf("preparing data.%s: %w", entrypoint, err)
	}
	q := &query{entrypoint: entrypoint, body: body, compiler: qc, result: answerVar, revision: r.ownerRevision(entrypoint)}
	for rewritten, original := range qc.RewrittenVars() {
		if original == answerVar {
			q.result = rewritten
		}
	}
	return q, nil
}

// ownerRevision is the revision of the bundle whose root holds the entrypoint.
func (r *Revision) ownerRevision(entrypoint string) string {
	for root, revision := range r.roots {
		if strings.HasPrefix(entrypoint+".", root+".") {
			return revision
		}
	}
	return ""
}

// panicError carries a panic of a builtin out of the evaluation.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

func (r *Revision) run(ctx context.Context, q *query, input Value, interrupt topdown.Cancel) (answer ast.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, &panicError{p}
		}
	}()
	txn, err := r.store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer r.store.Abort(ctx, txn)
	eval := r.newQuery(q, txn).WithCancel(interrupt)
	if !input.IsZero() {
		eval = eval.WithInput(ast.NewTerm(input.v))
	}
	err = eval.Iter(ctx, func(result topdown.QueryResult) error {
		if t := result[q.result]; t != nil {
			answer = t.Value
		}
		return nil
	})
	return answer, err
}

func (r *Revision) newQuery(q *query, txn storage.Transaction) *topdown.Query {
	return topdown.NewQuery(q.body).
		WithQueryCompiler(q.compiler).
		WithCompiler(r.compiler).
		WithStore(r.store).
		WithTransaction(txn).
		WithMetrics(metrics.NoOp()).
		WithBuiltins(r.bounded).
		WithInterQueryBuiltinCache(r.cache).
		WithInterQueryBuiltinValueCache(r.values)
}

// engineVersion is recorded with every decision, since another OPA may answer differently.
func engineVersion() string { return "opa/" + version.Version }

// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

const (
	// maxShift bounds bits.lsh. Shifts over an IPv6 address take 128 bits.
	maxShift = 1024
	// maxRange bounds how many numbers a range has. 65,536 are the last group of an IPv6 address; each takes about 100 B.
	maxRange = 1 << 18
	// maxWidth bounds a verb's width and precision in sprintf, which fmt allows up to a million.
	maxWidth = 1000
	// maxIndexes bounds how often a format of sprintf picks an argument by its index, and so can repeat it.
	maxIndexes = 64
)

// boundedBuiltins are the builtins of which one small call can take any amount of time or memory, each with the check that
// bounds it. Of all others that are left (capabilities.go), a call costs a small power of the size of its operands, and
// OPA itself bounds the exponents of numbers.
//
// A call beyond its bound ends the evaluation: were it merely undefined, as other builtin errors are, a policy would
// answer something else here than in `opa test`.
func boundedBuiltins() map[string]func(operands []*ast.Term) error {
	return map[string]func([]*ast.Term) error{
		ast.BitsShiftLeft.Name:    checkShift,
		ast.NumbersRange.Name:     checkRange,
		ast.NumbersRangeStep.Name: checkRange,
		ast.Sprintf.Name:          checkFormat,
	}
}

// boundedName is what compiled policy calls a bounded builtin. OPA lets nobody replace its own builtins for one query, but
// lets a query bring others.
func boundedName(name string) string { return "bounded." + name }

// boundedFunctions are what a query brings, by their names in compiled policy.
func boundedFunctions() map[string]*topdown.Builtin {
	out := map[string]*topdown.Builtin{}
	for name, check := range boundedBuiltins() {
		declaration := *ast.BuiltinMap[name]
		declaration.Name = boundedName(name)
		unbounded := topdown.GetBuiltin(name)
		out[declaration.Name] = &topdown.Builtin{Decl: &declaration, Func: func(bctx topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
			if err := check(operands); err != nil {
				return topdown.Halt{Err: &topdown.Error{Code: topdown.BuiltinErr, Message: name + ": " + err.Error(), Location: bctx.Location}}
			}
			return unbounded(bctx, operands, iter)
		}}
	}
	return out
}

// bindBounded is a compiler stage that makes policy call the bounded builtins. It runs last, so that everything before it
// knows them by their names.
func bindBounded(c *ast.Compiler) *ast.Error {
	bounded := boundedBuiltins()
	isBounded := func(t *ast.Term) bool {
		ref, ok := t.Value.(ast.Ref)
		return ok && bounded[ref.String()] != nil
	}
	var refused *ast.Error
	for _, m := range c.Modules {
		ast.WalkWiths(m, func(w *ast.With) bool {
			if isBounded(w.Target) || isBounded(w.Value) {
				refused = ast.NewError(ast.CompileErr, w.Location, "with: a bounded builtin cannot be replaced, nor replace another function")
			}
			return false
		})
		ast.WalkExprs(m, func(e *ast.Expr) bool {
			if e.IsCall() && isBounded(e.OperatorTerm()) {
				e.SetOperator(ast.NewTerm(boundedRef(e.Operator())).SetLocation(e.OperatorTerm().Location))
			}
			return false
		})
	}
	return refused
}

func boundedRef(operator ast.Ref) ast.Ref {
	out := ast.Ref{ast.VarTerm("bounded"), ast.StringTerm(string(operator[0].Value.(ast.Var)))}
	return append(out, operator[1:]...)
}

func checkShift(operands []*ast.Term) error {
	n, ok := operands[1].Value.(ast.Number)
	if !ok {
		return nil // the builtin itself says so
	}
	if shift, ok := n.Int(); !ok || shift > maxShift {
		return fmt.Errorf("the shift may have at most %d bits", maxShift)
	}
	return nil
}

func checkRange(operands []*ast.Term) error {
	if first, ok := smallInt(operands[0]); ok {
		if last, ok := smallInt(operands[1]); ok && max(first-last, last-first) < maxRange {
			return nil
		}
	}
	first, err1 := builtins.BigIntOperand(operands[0].Value, 1)
	last, err2 := builtins.BigIntOperand(operands[1].Value, 2)
	if errors.Join(err1, err2) != nil {
		return nil // the builtin itself says so
	}
	numbers := new(big.Int).Sub(last, first)
	numbers.Abs(numbers)
	if len(operands) > 2 {
		if step, err := builtins.BigIntOperand(operands[2].Value, 3); err == nil && step.Sign() > 0 {
			numbers.Div(numbers, step)
		}
	}
	if numbers.Cmp(big.NewInt(maxRange)) >= 0 {
		return fmt.Errorf("a range may have at most %d numbers", maxRange)
	}
	return nil
}

// smallInt leaves out integers of which a difference could overflow.
func smallInt(t *ast.Term) (int64, bool) {
	n, ok := t.Value.(ast.Number)
	if !ok {
		return 0, false
	}
	i, ok := n.Int64()
	return i, ok && i > -1<<62 && i < 1<<62
}

func checkFormat(operands []*ast.Term) error {
	format, ok := operands[0].Value.(ast.String)
	if !ok {
		return nil // the builtin itself says so
	}
	indexes := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		number := 0
		for i++; i < len(format) && strings.IndexByte("0123456789+-# .[]*", format[i]) >= 0; i++ {
			switch c := format[i]; {
			case c == '*':
				return errors.New("a width that is an argument (*) is not supported; write it into the format")
			case c == '[':
				indexes++
				number = 0
			case '0' <= c && c <= '9':
				number = number*10 + int(c-'0')
			default:
				number = 0
			}
			if number > maxWidth {
				return fmt.Errorf("a width or precision may be at most %d", maxWidth)
			}
		}
	}
	if indexes > maxIndexes {
		return fmt.Errorf("a format may pick at most %d arguments by their index", maxIndexes)
	}
	return nil
}

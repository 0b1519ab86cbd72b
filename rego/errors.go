// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"fmt"
	"strings"
)

// RootConflictError says that two bundles claim the same part of the data tree.
type RootConflictError struct {
	// Bundles are the names of the two bundles, in order.
	Bundles [2]string
	// Roots are their overlapping roots, in the same order.
	Roots [2]string
}

func (e *RootConflictError) Error() string {
	return fmt.Sprintf("bundles %s and %s overlap: root %q contains or equals root %q; give each bundle its own root in .manifest",
		e.Bundles[0], e.Bundles[1], e.Roots[0], e.Roots[1])
}

// MissingBundleError says that a bundle which this process needs is not in the set.
type MissingBundleError struct{ Bundle string }

func (e *MissingBundleError) Error() string {
	return fmt.Sprintf("required bundle %s is missing", e.Bundle)
}

// EntrypointError says that a rule which a caller asks is not defined by any bundle.
type EntrypointError struct{ Entrypoint string }

func (e *EntrypointError) Error() string {
	return fmt.Sprintf("entrypoint data.%s is not defined by any bundle; add the rule, or remove what refers to it", e.Entrypoint)
}

// ContractError says that a bundle's contract vectors do not prove an entrypoint.
type ContractError struct {
	Entrypoint string
	// Vector is the name of the vector, empty when the entrypoint has none.
	Vector string
	// Problem says what is wrong.
	Problem string
}

func (e *ContractError) Error() string {
	if e.Vector == "" {
		return fmt.Sprintf("contract of data.%s: %s", e.Entrypoint, e.Problem)
	}
	return fmt.Sprintf("contract of data.%s, vector %q: %s", e.Entrypoint, e.Vector, e.Problem)
}

// Cause is why there is no decision. Its values are the label values of metrics.
type Cause string

// The causes.
const (
	CauseNotActive Cause = "NotActive" // no revision is active
	CauseUndefined Cause = "Undefined" // the rule has no value for this input
	CauseError     Cause = "Error"     // evaluation ended with an error
	CausePanic     Cause = "Panic"     // a builtin panicked
	CauseTimeout   Cause = "Timeout"   // evaluation took longer than allowed
	CauseCanceled  Cause = "Canceled"  // the caller went away
	CauseType      Cause = "Type"      // the answer is not of the decision's type
)

// NoDecisionError says that a decision was asked for and there is none. Whoever asked must do nothing, visibly.
type NoDecisionError struct {
	Entrypoint string
	Cause      Cause
	Err        error
}

func (e *NoDecisionError) Error() string {
	var b strings.Builder
	b.WriteString("no decision")
	if e.Entrypoint != "" {
		fmt.Fprintf(&b, " from data.%s", e.Entrypoint)
	}
	fmt.Fprintf(&b, " (%s)", e.Cause)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *NoDecisionError) Unwrap() error { return e.Err }

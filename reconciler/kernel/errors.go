// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// Rule is the number of a kernel rule in docs/kernel.md.
type Rule int

// The rules.
const (
	RuleOneClaimPerMember  Rule = 1
	RuleOneMemberPerClaim  Rule = 2
	RuleClaimProtection    Rule = 3
	RuleReleaseOnly        Rule = 4
	RuleMachineFinalizer   Rule = 5
	RuleOwnershipMark      Rule = 6
	RuleRegistered         Rule = 7
	RuleNoDecisionNoEffect Rule = 8
	RuleDeadline           Rule = 9
	RuleOwnObjects         Rule = 10
)

// Refusal says that an effect would break a rule. Nothing was written.
type Refusal struct {
	Rule    Rule
	Effect  string
	Message string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("kernel rule %d refuses %s: %s", r.Rule, r.Effect, r.Message)
}

func refuse(rule Rule, effect, format string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Effect: effect, Message: fmt.Sprintf(format, args...)}
}

// Taken says that the member is no longer to be had: another claim has it or is about to, or it is going or gone.
// The decision was made on facts that have changed; decide again.
type Taken struct {
	Member types.NamespacedName
	Why    string
}

func (t *Taken) Error() string { return fmt.Sprintf("member %s is not to be had: %s", t.Member, t.Why) }

// LostLeadership says that this process may not write any more.
type LostLeadership struct{ Err error }

func (l *LostLeadership) Error() string {
	return fmt.Sprintf("not the leader any more, nothing is written: %v", l.Err)
}

func (l *LostLeadership) Unwrap() error { return l.Err }

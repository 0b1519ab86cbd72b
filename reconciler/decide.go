// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"fmt"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/rego"
)

// decide asks policy. The error is a *rego.NoDecisionError when there is no answer, or one that is not a Step.
func (r *runner) decide(ctx context.Context, f *facts) (*decisionv1.Step, *rego.Decision, error) {
	d, err := r.host.config.Engine.DecideIn(ctx, f.revision, r.registration.Decision, f.input)
	if err != nil {
		return nil, nil, err
	}
	step, err := decodeStep(d.Result)
	if err == nil && step.Requeue != nil && step.Requeue.On != "" && r.views[step.Requeue.On] == nil {
		err = fmt.Errorf("requeue.on names %q, which is not a gathered view", step.Requeue.On)
	}
	if err != nil {
		return nil, nil, &rego.NoDecisionError{Entrypoint: d.Entrypoint, Cause: rego.CauseType, Err: err}
	}
	return step, &d, nil
}

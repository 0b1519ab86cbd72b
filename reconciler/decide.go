// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

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

// decodeStep reads an answer strictly: an unknown or mistyped field is an error, since guessing what policy meant is a
// judgement.
func decodeStep(answer rego.Value) (*decisionv1.Step, error) {
	plain, err := answer.Go()
	if err != nil {
		return nil, err
	}
	object, ok := plain.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the answer is %T, not an object", plain)
	}
	if _, ok := object["effects"]; !ok {
		return nil, errors.New("the answer has no effects; answer an empty list for none")
	}
	step := &decisionv1.Step{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object, step, true); err != nil {
		return nil, err
	}
	return step, step.Validate()
}

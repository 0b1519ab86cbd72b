// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"errors"
	"fmt"
	"strings"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/rego"
)

// decodeStep reads an answer strictly: an unknown or mistyped field is an error, since guessing what policy meant is a
// judgement. It is written out, since reflection costs as much as a third of the decision.
func decodeStep(answer rego.Value) (*decisionv1.Step, error) {
	step := &decisionv1.Step{}
	hasEffects := false
	err := answer.Fields(func(key string, v rego.Value) (err error) {
		switch key {
		case "step":
			step.Step, err = v.Text()
		case "effects":
			hasEffects = true
			step.Effects, err = decodeEffects(v)
		case "requeue":
			step.Requeue, err = decodeRequeue(v)
		default:
			err = errUnknown
		}
		return at(key, err)
	})
	if err != nil {
		return nil, err
	}
	if !hasEffects {
		return nil, errors.New("the answer has no effects; answer an empty list for none")
	}
	return step, step.Validate()
}

var errUnknown = errors.New("there is no such field")

// fieldError says where in an answer something is wrong, such as effects[0].status.
type fieldError struct {
	path string
	err  error
}

func (e *fieldError) Error() string { return e.path + ": " + e.err.Error() }

func (e *fieldError) Unwrap() error { return e.err }

// at puts a field's name, or an item's index in brackets, before where an error is.
func at(part string, err error) error {
	var below *fieldError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &below):
		return &fieldError{path: part, err: err}
	case strings.HasPrefix(below.path, "["):
		return &fieldError{path: part + below.path, err: below.err}
	default:
		return &fieldError{path: part + "." + below.path, err: below.err}
	}
}

func decodeEffects(v rego.Value) ([]decisionv1.Effect, error) {
	var effects []decisionv1.Effect
	err := v.Items(func(i int, item rego.Value) error {
		effects = append(effects, decisionv1.Effect{})
		return at(fmt.Sprintf("[%d]", i), decodeEffect(&effects[i], item))
	})
	return effects, err
}

func decodeEffect(e *decisionv1.Effect, v rego.Value) error {
	return v.Fields(func(key string, v rego.Value) (err error) {
		switch key {
		case "type":
			var text string
			text, err = v.Text()
			e.Type = decisionv1.EffectType(text)
		case "finalizer":
			e.Finalizer, err = v.Text()
		case "reason":
			e.Reason, err = v.Text()
		case "message":
			e.Message, err = v.Text()
		case "eventType":
			e.EventType, err = v.Text()
		case "member":
			e.Member = &decisionv1.Member{}
			err = decodeTexts(v, map[string]*string{"name": &e.Member.Name, "uid": &e.Member.UID, "resourceVersion": &e.Member.ResourceVersion})
		case "target":
			e.Target = &decisionv1.Target{}
			err = decodeTexts(v, map[string]*string{"apiVersion": &e.Target.APIVersion, "kind": &e.Target.Kind, "name": &e.Target.Name,
				"uid": &e.Target.UID, "resourceVersion": &e.Target.ResourceVersion})
		case "annotations":
			e.Annotations = map[string]string{}
			err = v.Fields(func(key string, v rego.Value) (err error) {
				e.Annotations[key], err = v.Text()
				return err
			})
		case "object":
			e.Object, err = decodeObject(v)
		case "patch":
			e.Patch, err = decodeObject(v)
		case "status":
			e.Status, err = decodeObject(v)
		default:
			err = errUnknown
		}
		return at(key, err)
	})
}

func decodeTexts(v rego.Value, into map[string]*string) error {
	return v.Fields(func(key string, v rego.Value) (err error) {
		field, ok := into[key]
		if !ok {
			return at(key, errUnknown)
		}
		*field, err = v.Text()
		return at(key, err)
	})
}

func decodeObject(v rego.Value) (map[string]any, error) {
	plain, err := v.Go()
	if err != nil {
		return nil, err
	}
	object, ok := plain.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is not an object", plain)
	}
	return object, nil
}

func decodeRequeue(v rego.Value) (*decisionv1.Requeue, error) {
	r := &decisionv1.Requeue{}
	err := v.Fields(func(key string, v rego.Value) (err error) {
		switch key {
		case "at":
			r.At, err = v.Int64()
		case "on":
			r.On, err = v.Text()
		default:
			err = errUnknown
		}
		return at(key, err)
	})
	return r, err
}

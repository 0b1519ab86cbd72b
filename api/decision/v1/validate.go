// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"errors"
	"fmt"
)

// EffectTypes lists the whole vocabulary.
func EffectTypes() []EffectType {
	return []EffectType{EffectFinalizerAdd, EffectFinalizerRemove, EffectBind, EffectCreate, EffectPatch, EffectApply,
		EffectDelete, EffectStatus, EffectEvent}
}

// Validate checks that the answer is complete: every effect has what its type needs.
func (s *Step) Validate() error {
	if !isStepName(s.Step) {
		return errors.New("step must name the branch that was taken: a word in CamelCase of at most 64 letters and digits")
	}
	for i := range s.Effects {
		if err := s.Effects[i].Validate(); err != nil {
			return fmt.Errorf("effects[%d]: %w", i, err)
		}
	}
	return nil
}

// isStepName keeps names of objects out of a value that metrics carry.
func isStepName(s string) bool {
	for i, r := range s {
		upper, lower, digit := r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9'
		if i == 0 && !upper || !upper && !lower && !digit {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// Validate checks that the effect has the fields that its type needs.
func (e *Effect) Validate() error {
	var missing string
	switch e.Type {
	case EffectFinalizerAdd, EffectFinalizerRemove:
		missing = need("finalizer", e.Finalizer != "")
	case EffectBind:
		missing = need("member.name, member.uid and member.resourceVersion",
			e.Member != nil && e.Member.Name != "" && e.Member.UID != "" && e.Member.ResourceVersion != "")
	case EffectCreate, EffectApply:
		missing = need("object", e.Object != nil)
	case EffectPatch:
		missing = need("target (apiVersion, kind, name, uid) and patch", e.Target.complete() && e.Patch != nil)
	case EffectDelete:
		missing = need("target (apiVersion, kind, name, uid)", e.Target.complete())
	case EffectStatus:
		missing = need("status", e.Status != nil)
	case EffectEvent:
		missing = need("eventType (Normal or Warning), reason and message",
			(e.EventType == "Normal" || e.EventType == "Warning") && e.Reason != "" && e.Message != "")
	default:
		return fmt.Errorf("unknown effect type %q; the types are %v", e.Type, EffectTypes())
	}
	if missing != "" {
		return fmt.Errorf("%s needs %s", e.Type, missing)
	}
	return nil
}

func need(what string, ok bool) string {
	if ok {
		return ""
	}
	return what
}

func (t *Target) complete() bool {
	return t != nil && t.APIVersion != "" && t.Kind != "" && t.Name != "" && t.UID != ""
}

// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"errors"
	"time"
)

// Status says what decides and what was refused last.
type Status struct {
	// Active maps each active bundle's name to its revision; nil before the first activation.
	Active map[string]string `json:"active"`
	// ActiveSince is when the active set took over.
	ActiveSince time.Time `json:"activeSince"`
	// LastError says why the latest activation was refused; empty when the latest one succeeded.
	LastError string `json:"lastError,omitempty"`
	// LastErrorAt is when that was.
	LastErrorAt time.Time `json:"lastErrorAt,omitzero"`
}

// Status returns a copy of the engine's state.
func (e *Engine) Status() Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.status
}

// Ready returns nil iff some revision of every required bundle is active, else what was wrong with the latest attempt.
func (e *Engine) Ready() error {
	if e.active.Load() != nil {
		return nil
	}
	none := &NoDecisionError{Cause: CauseNotActive}
	if last := e.Status().LastError; last != "" {
		none.Err = errors.New(last)
	}
	return none
}

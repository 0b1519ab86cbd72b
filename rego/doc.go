// SPDX-License-Identifier: Apache-2.0

// Package rego is the Rego engine: it loads bundles, proves them, and evaluates decisions. It is the only package that
// imports OPA.
//
// What callers may rely on:
//
//   - An Engine never decides with a bundle set that has not passed every check of Activate. Until the first activation
//     succeeds, Decide answers a NoDecisionError; a failed activation leaves the active revision deciding.
//   - A decision is evaluated wholly in the revision that was active when it began.
//   - Anything but one defined result (undefined, an error, a panic in a builtin, a timeout) is a NoDecisionError.
//   - Nobody waits for a decision longer than the timeout, whatever the policy does (guard.go).
//   - Policy has no clock, no network, no randomness and no environment (capabilities.go), so a decision is a function of
//     its input and its revision.
//   - Values are immutable. All methods are safe for concurrent use.
package rego

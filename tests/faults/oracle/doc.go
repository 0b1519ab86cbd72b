// SPDX-License-Identifier: Apache-2.0

// Package oracle judges what became of claims and members. It is pure: it is given every state that they had, in the
// order in which the API server stored them, and answers with violations.
//
// What callers may rely on: Check needs the whole history from before the first claim on, with no state left out, and
// Missing finds what was left out by comparison with the audit log.
package oracle

// SPDX-License-Identifier: Apache-2.0

// Package kernel performs effects, and is the only code of the reconciler that writes. Before each write it enforces the
// invariants that no bundle can override; docs/kernel.md lists them with the tests that hold them.
//
// What callers may rely on: an effect that breaks a rule is answered with a *Refusal and writes nothing; every write
// carries the preconditions that its rule needs, so a stale cache or a former leader can make a write fail but never
// make it wrong.
package kernel

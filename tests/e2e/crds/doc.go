// SPDX-License-Identifier: Apache-2.0

// Package crds holds the tests of the CRDs in deploy/crds against a real API server: what each kind is called and
// shows, what it defaults to, what it refuses, and that every field explains itself.
package crds

// SPDX-License-Identifier: Apache-2.0

// Package lifecycle tests pools and claims from end to end: the controller's program with the rights that it is given
// in production, a real API server, and a user with kubectl.
package lifecycle

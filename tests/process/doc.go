// SPDX-License-Identifier: Apache-2.0

// Package process runs the project's own programs for tests, as users run them: `lictor controller` as a child process
// with the rights that `lictor render rbac` prints, and kubectl.
package process

// SPDX-License-Identifier: Apache-2.0

package dev

import "syscall"

// attributes give a child a group of its own, so that Ctrl-C reaches it through us and in our order, and end it when
// this process is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

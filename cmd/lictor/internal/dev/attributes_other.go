// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package dev

import "syscall"

// attributes give a child a group of its own, so that Ctrl-C reaches it through us and in our order.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

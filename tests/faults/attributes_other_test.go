// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package faults

import "syscall"

func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

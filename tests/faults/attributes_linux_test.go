// SPDX-License-Identifier: Apache-2.0

package faults

import "syscall"

// childAttributes make a controller end with the test process, however that ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// SPDX-License-Identifier: Apache-2.0

package process

import "syscall"

// attributes make a child end with this process, even if that is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

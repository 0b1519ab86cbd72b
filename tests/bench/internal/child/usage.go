// SPDX-License-Identifier: Apache-2.0

package child

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process has used so far.
type Usage struct {
	// CPU is user and system time.
	CPU time.Duration
	// RSS and Peak are bytes in memory now and at most.
	RSS, Peak int64
}

// tick is the unit of times in /proc: USER_HZ, which is 100 on every Linux architecture that Go runs on.
const tick = 10 * time.Millisecond

// Usage reads /proc, so it needs Linux.
func (p *Process) Usage() (Usage, error) {
	if err := p.Check(); err != nil {
		return Usage{}, err
	}
	return usageOf(fmt.Sprintf("/proc/%d", p.cmd.Process.Pid))
}

// Own is the usage of this process.
func Own() (Usage, error) { return usageOf("/proc/self") }

// MachineBusy is how long the machine's cores have been busy in all, whoever kept them so.
func MachineBusy() (time.Duration, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("machine usage: %w", err)
	}
	return busyIn(string(stat))
}

// busyIn adds user, nice, system, irq and softirq of the line of all cores, which is the first.
func busyIn(stat string) (time.Duration, error) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	busy := []int{1, 2, 3, 6, 7}
	if len(fields) <= slices.Max(busy) {
		return 0, fmt.Errorf("machine usage: %d fields in %q", len(fields), line)
	}
	var total time.Duration
	for _, i := range busy {
		ticks, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("machine usage: %w", err)
		}
		total += time.Duration(ticks) * tick
	}
	return total, nil
}

func usageOf(proc string) (Usage, error) {
	stat, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return Usage{}, fmt.Errorf("process usage: %w", err)
	}
	status, err := os.ReadFile(proc + "/status")
	if err != nil {
		return Usage{}, fmt.Errorf("process usage: %w", err)
	}
	var u Usage
	var errCPU, errRSS, errPeak error
	u.CPU, errCPU = cpuIn(string(stat))
	u.RSS, errRSS = bytesIn(string(status), "VmRSS:")
	u.Peak, errPeak = bytesIn(string(status), "VmHWM:")
	return u, errors.Join(errCPU, errRSS, errPeak)
}

// cpuIn reads utime and stime, the 14th and 15th fields. The 2nd is a name in parentheses that may hold spaces.
func cpuIn(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const utime, stime = 14 - 3, 15 - 3 // the first field here is the 3rd
	if len(fields) <= stime {
		return 0, fmt.Errorf("process usage: %d fields in stat", len(fields))
	}
	user, errUser := strconv.ParseInt(fields[utime], 10, 64)
	system, errSystem := strconv.ParseInt(fields[stime], 10, 64)
	return time.Duration(user+system) * tick, errors.Join(errUser, errSystem)
}

func bytesIn(status, field string) (int64, error) {
	_, rest, ok := strings.Cut(status, "\n"+field)
	if !ok {
		return 0, fmt.Errorf("process usage: no %s", field)
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("process usage: %s is empty", field)
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10, err
}

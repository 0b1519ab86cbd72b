// SPDX-License-Identifier: Apache-2.0

// Package child runs the processes that are measured.
package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// stopTimeout is how long a process may take to end before it is killed.
const stopTimeout = 20 * time.Second

// Process is a running child.
type Process struct {
	name   string
	log    string
	cmd    *exec.Cmd
	stdin  io.Closer
	ready  chan string
	exited chan struct{}
	err    error // read after exited is closed
}

// Start runs a program with its standard error in the file log. Its standard input stays open until Stop.
func Start(ctx context.Context, log, program string, args ...string) (*Process, error) {
	p := &Process{name: program, log: log, ready: make(chan string, 1), exited: make(chan struct{})}
	stderr, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stderr.Close() }() // the child has its own descriptor
	p.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	p.cmd.Stderr = stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal reaches it through us
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	go p.follow(stdout)
	return p, nil
}

// follow passes on the line that says READY, and the end.
func (p *Process) follow(stdout io.Reader) {
	defer close(p.exited)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "READY") {
			select {
			case p.ready <- lines.Text():
			default: // it has been said
			}
		}
	}
	p.err = p.cmd.Wait()
}

// Ready waits for a line that begins with READY, and returns it.
func (p *Process) Ready(ctx context.Context) (string, error) {
	select {
	case line := <-p.ready:
		return line, nil
	case <-p.exited:
		return "", p.ended()
	case <-ctx.Done():
		return "", fmt.Errorf("%s is not ready: %w\n%s", p.name, context.Cause(ctx), p.tail())
	}
}

// Check returns an error when the process has ended.
func (p *Process) Check() error {
	select {
	case <-p.exited:
		return p.ended()
	default:
		return nil
	}
}

func (p *Process) ended() error {
	return fmt.Errorf("%s ended early: %w\n%s", p.name, errors.Join(p.err), p.tail())
}

// Stop ends the process and waits for it.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	timeout := time.NewTimer(stopTimeout)
	defer timeout.Stop()
	select {
	case <-p.exited:
		return nil
	case <-timeout.C:
		return errors.Join(fmt.Errorf("%s does not end\n%s", p.name, p.tail()), p.cmd.Process.Kill())
	}
}

// tail is the end of the process's log.
func (p *Process) tail() string {
	const most = 4 << 10
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-most):])
}

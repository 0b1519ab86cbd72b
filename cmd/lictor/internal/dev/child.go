// SPDX-License-Identifier: Apache-2.0

package dev

import (
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

const (
	// stopTimeout is more than either child grants itself to finish requests and workers.
	stopTimeout = 30 * time.Second
	// tailBytes is how much of a child's log is shown when it ends by itself.
	tailBytes = 2 << 10
)

// child is a process that this one started and ends.
type child struct {
	name    string
	log     string // the path of what it writes
	command *exec.Cmd
	ready   bool // it has finished its start
	exited  chan struct{}
	exit    error // read after exited is closed
}

// startChild starts a program that lives until stop, however long ctx does. What it writes replaces the log of an earlier start.
func startChild(ctx context.Context, name, log, program string, args []string, files ...*os.File) (*child, error) {
	c := &child{name: name, log: log, exited: make(chan struct{})}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("log of the %s: %w", name, err)
	}
	defer func() { _ = out.Close() }() // the child has its own descriptor
	c.command = exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	c.command.Stdout, c.command.Stderr, c.command.ExtraFiles = out, out, files
	c.command.SysProcAttr = attributes()
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("start the %s: %w", name, err)
	}
	go func() {
		defer close(c.exited)
		c.exit = c.command.Wait()
	}()
	return c, nil
}

// stop asks the child to end and waits until it has. One that is stopped while it starts may end as it likes: an
// interrupted start fails, and everything is kept in a way that stands a crash.
func (c *child) stop() error {
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the %s: %w", c.name, err)
	}
	select {
	case <-c.exited:
		if c.exit != nil && c.ready {
			return c.ended()
		}
		return nil
	case <-time.After(stopTimeout):
		err := c.command.Process.Kill()
		<-c.exited
		return errors.Join(fmt.Errorf("the %s did not end within %s and was killed; its log is %s", c.name, stopTimeout, c.log), err)
	}
}

func (c *child) hasEnded() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// ended says that the child has ended, and its last words.
func (c *child) ended() error {
	how := "without an error"
	if c.exit != nil {
		how = c.exit.Error()
	}
	return fmt.Errorf("the %s ended (%s); the end of %s:\n%s", c.name, how, c.log, c.tail())
}

func (c *child) tail() string {
	file, err := os.Open(c.log)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-tailBytes), tailBytes))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

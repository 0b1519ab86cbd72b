// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// startTimeout is more than a controller takes to serve its health, and servingPoll how often that is looked at.
	startTimeout = 30 * time.Second
	servingPoll  = 20 * time.Millisecond
)

// logTail is how much of a controller's log a failed test shows.
const logTail = 8 << 10

// stopTimeout is more than a controller takes to finish its workers and give up its lease.
const stopTimeout = 20 * time.Second

// Options say how a controller is started.
type Options struct {
	// Kubeconfig is whose rights it has.
	Kubeconfig string
	// Namespace is the only one that it looks at; empty means all.
	Namespace string
	// Bundles are folders or tarballs that replace shipped ones or join them.
	Bundles []string
	// Elect makes it take part in leader election.
	Elect bool
	// Args are further flags.
	Args []string
}

// Controller is a running `lictor controller`.
type Controller struct {
	t       testing.TB
	command *exec.Cmd
	log     string
	metrics string
	health  string
	exited  chan struct{}
	exit    error // how it ended; read after exited is closed
	killed  bool
}

// Start starts a controller that ends with the test. It must then end well: with exit code 0, unless it was killed.
func Start(t testing.TB, o Options) *Controller {
	t.Helper()
	c := &Controller{t: t, log: filepath.Join(t.TempDir(), "controller.log"), metrics: freeAddress(t), health: freeAddress(t),
		exited: make(chan struct{})}
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor
	c.command = exec.CommandContext(context.WithoutCancel(t.Context()), Lictor(t), c.args(o)...)
	c.command.Stdout, c.command.Stderr = log, log
	c.command.SysProcAttr = attributes()
	if err := c.command.Start(); err != nil {
		t.Fatalf("start controller: %v", err)
	}
	go func() {
		defer close(c.exited)
		c.exit = c.command.Wait()
	}()
	t.Cleanup(c.end)
	c.awaitServing()
	return c
}

// awaitServing returns when health and metrics can be asked for, ready or not.
func (c *Controller) awaitServing() {
	c.t.Helper()
	err := wait.PollUntilContextTimeout(c.t.Context(), servingPoll, startTimeout, true, func(ctx context.Context) (bool, error) {
		if !c.Running() {
			return false, fmt.Errorf("it has ended: %w", c.exit)
		}
		_, _, healthErr := get(ctx, c.health, "/healthz")
		_, _, metricsErr := get(ctx, c.metrics, "/metrics")
		return healthErr == nil && metricsErr == nil, nil
	})
	if err != nil {
		c.t.Fatalf("the controller does not serve: %v", err)
	}
}

func (c *Controller) args(o Options) []string {
	args := []string{"controller", "--kubeconfig=" + o.Kubeconfig, "--metrics-bind-address=" + c.metrics,
		"--health-probe-bind-address=" + c.health}
	if o.Namespace != "" {
		args = append(args, "--namespace="+o.Namespace)
	}
	for _, b := range o.Bundles {
		args = append(args, "--bundle="+b)
	}
	if o.Elect {
		args = append(args, "--leader-election-namespace="+SystemNamespace)
	} else {
		args = append(args, "--leader-elect=false")
	}
	return append(args, o.Args...)
}

// freeAddress is a loopback address that nobody listens at right now.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // there is nothing to lose
	return l.Addr().String()
}

// Log is everything that the controller has written.
func (c *Controller) Log() string {
	c.t.Helper()
	content, err := os.ReadFile(c.log)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(content)
}

// Kill ends the controller as a power failure does, and waits until it is gone.
func (c *Controller) Kill() {
	c.t.Helper()
	c.killed = true
	if err := c.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Fatalf("kill controller: %v", err)
	}
	<-c.exited
}

// Stop asks the controller to end, and waits until it has. Whatever way the test went on, it must end well.
func (c *Controller) Stop() {
	c.t.Helper()
	if err := c.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		c.t.Errorf("stop controller: %v", err)
	}
	select {
	case <-c.exited:
	case <-time.After(stopTimeout):
		c.t.Errorf("the controller does not end within %s of SIGTERM", stopTimeout)
		c.Kill()
	}
}

// Running tells whether it has not ended.
func (c *Controller) Running() bool {
	select {
	case <-c.exited:
		return false
	default:
		return true
	}
}

func (c *Controller) end() {
	if c.Running() {
		c.Stop()
	}
	if c.exit != nil && !c.killed {
		c.t.Errorf("the controller ended badly: %v", c.exit)
	}
	if log := c.Log(); strings.Contains(log, "DATA RACE") || strings.Contains(log, "panic:") {
		c.t.Error("the controller's log tells of a race or a panic")
	}
	if c.t.Failed() {
		log := c.Log()
		c.t.Logf("the end of the controller's log:\n%s", log[max(0, len(log)-logTail):])
	}
}

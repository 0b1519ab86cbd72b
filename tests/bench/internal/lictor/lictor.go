// SPDX-License-Identifier: Apache-2.0

// Package lictor builds and runs the controller that is measured.
package lictor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/lictor-dev/lictor/tests/bench/internal/child"
	"github.com/lictor-dev/lictor/tests/bench/internal/plane"
)

// Agent is the controller's user agent.
const Agent = "lictor-controller"

const (
	readyPoll    = 50 * time.Millisecond
	readyTimeout = 2 * time.Minute
)

// Build builds the program into a file.
func Build(ctx context.Context, file string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", file, "./cmd/lictor")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building lictor: %w", err)
	}
	return nil
}

// Start runs the controller for one namespace as it runs in production, leader election included, and waits until it
// is ready.
func Start(ctx context.Context, p *plane.Plane, program, namespace string) (*child.Process, error) {
	health, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	c, err := child.Start(ctx, p.File(namespace+"-controller.log"), program, "controller",
		"--kubeconfig="+p.Kubeconfig(), "--namespace="+namespace, "--leader-election-namespace="+namespace,
		"--metrics-bind-address=0", "--health-probe-bind-address="+health)
	if err != nil {
		return nil, err
	}
	err = wait.PollUntilContextTimeout(ctx, readyPoll, readyTimeout, true, func(ctx context.Context) (bool, error) {
		return isReady(ctx, health), c.Check()
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("waiting for the controller: %w", err), c.Stop())
	}
	return c, nil
}

func isReady(ctx context.Context, health string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+health+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false // not yet
	}
	_ = response.Body.Close() // not read
	return response.StatusCode == http.StatusOK
}

// freeAddress is a port on loopback that nobody listens on. Somebody might by the time it is used; nobody does.
func freeAddress(ctx context.Context) (string, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

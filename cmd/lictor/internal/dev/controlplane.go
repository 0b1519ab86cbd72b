// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// poll is how often this process looks at what it waits for: often enough to seem at once.
	poll = 100 * time.Millisecond
	// controlPlaneTimeout is what the control plane grants itself to start, and a little more.
	controlPlaneTimeout = 90 * time.Second
)

// startControlPlane starts etcd and the API server on what they have kept, and returns when they serve.
func (w *world) startControlPlane(ctx context.Context) error {
	port, err := choosePort(ctx, w.config.Port)
	if err != nil {
		return err
	}
	if w.config.Port == 0 && port != DefaultPort {
		w.screen.line("port %d is taken by another program; using %d", DefaultPort, port)
	}
	w.server = fmt.Sprintf("https://127.0.0.1:%d", port)
	return w.screen.step("starting the API server at "+w.server, func() (string, error) {
		args := []string{"--dir=" + w.controlPlaneDir(), fmt.Sprintf("--port=%d", port)}
		w.controlPlane, err = startChild(ctx, "API server", w.config.file("controlplane.log"), w.config.ControlPlane, args, w.lock)
		if err != nil {
			return "", err
		}
		return "ready", w.awaitControlPlane(ctx)
	})
}

// awaitControlPlane waits for the line that the control plane prints when clients may come.
func (w *world) awaitControlPlane(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, poll, controlPlaneTimeout, true, func(context.Context) (bool, error) {
		if w.controlPlane.hasEnded() {
			return false, w.controlPlane.ended()
		}
		log, err := os.ReadFile(w.controlPlane.log)
		w.controlPlane.ready = strings.Contains("\n"+string(log), "\nREADY ")
		return w.controlPlane.ready, err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the API server is not ready after %s; its log is %s", controlPlaneTimeout, w.controlPlane.log)
	}
	return err
}

func (w *world) controlPlaneDir() string { return w.config.file("controlplane") }

// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// controllerPoll is longer than poll, because the controller logs each time that it is asked too early.
	controllerPoll = 250 * time.Millisecond
	// controllerTimeout is many times what a controller takes to get ready.
	controllerTimeout = 60 * time.Second
	// scrapeTimeout is more than any of the controller's own endpoints takes.
	scrapeTimeout = 5 * time.Second
)

// startController starts the controller as its own user and returns when it reconciles. A bundle that is refused at the
// start is waited for: its author is at work.
func (w *world) startController(ctx context.Context) error {
	return w.screen.step("starting the controller", func() (string, error) {
		health, err := tryPort(ctx, 0)
		if err != nil {
			return "", err
		}
		metrics, err := tryPort(ctx, 0)
		if err != nil {
			return "", err
		}
		w.controller, err = startChild(ctx, "controller", w.config.file("controller.log"), w.config.Lictor,
			w.controllerArgs(health, metrics))
		if err != nil {
			return "", err
		}
		w.metrics = fmt.Sprintf("http://127.0.0.1:%d", metrics)
		w.bundles = &bundles{screen: w.screen, url: w.metrics + "/bundles"}
		return "ready", w.awaitController(ctx, fmt.Sprintf("http://127.0.0.1:%d/readyz", health))
	})
}

func (w *world) controllerArgs(health, metrics int) []string {
	args := []string{
		"controller", "--kubeconfig=" + w.config.kubeconfig(controllerUser), "--log-format=console",
		fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", health),
		fmt.Sprintf("--metrics-bind-address=127.0.0.1:%d", metrics),
		"--leader-elect=false", // the folder's lock lets no other one near this API server
	}
	for _, b := range w.config.Bundles {
		args = append(args, "--bundle="+b)
	}
	return args
}

func (w *world) awaitController(ctx context.Context, url string) error {
	deadline := time.Now().Add(controllerTimeout)
	return wait.PollUntilContextCancel(ctx, controllerPoll, true, func(ctx context.Context) (bool, error) {
		if w.controller.hasEnded() {
			return false, w.controller.ended()
		}
		w.bundles.look(ctx)
		_, err := get(ctx, url)
		if err != nil && time.Now().After(deadline) && !w.bundles.refused() {
			return false, fmt.Errorf("the controller is not ready after %s; its log is %s: %w", controllerTimeout, w.controller.log, err)
		}
		w.controller.ready = err == nil
		return w.controller.ready, nil
	})
}

// get returns what an address answers, and an error unless that is 200.
func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", response.Status, body)
	}
	return body, nil
}

// maxAnswer is far more than the longest reason for which bundles are refused.
const maxAnswer = 1 << 20

// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// choosePort returns the wanted port, or without a wish the default one if it is free, else any free one.
func choosePort(ctx context.Context, wanted int) (int, error) {
	if wanted != 0 {
		port, err := tryPort(ctx, wanted)
		if err != nil {
			return 0, fmt.Errorf("port %d cannot be used: choose another with --port, or leave --port out for a free one: %w", wanted, err)
		}
		return port, nil
	}
	port, err := tryPort(ctx, DefaultPort)
	if errors.Is(err, syscall.EADDRINUSE) {
		return tryPort(ctx, 0)
	}
	return port, err
}

// tryPort returns the port if a process can listen on it right now; for 0, one on which it can.
func tryPort(ctx context.Context, port int) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return 0, err
	}
	got := listener.Addr().(*net.TCPAddr).Port
	return got, listener.Close()
}

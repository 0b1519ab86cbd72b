// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// binaryTarget is both a file below the repository's root and the make target that builds it.
const binaryTarget = ".bin/controlplane"

// findBinary returns the control plane's program, built first if it is missing. One that is there is not rebuilt:
// that is the Makefile's business, which knows its sources.
func findBinary(ctx context.Context, root string) (string, error) {
	if named := os.Getenv("LICTOR_CONTROLPLANE"); named != "" {
		if !isFile(named) {
			return "", fmt.Errorf("LICTOR_CONTROLPLANE: no file %s", named)
		}
		return named, nil
	}
	path := filepath.Join(root, filepath.FromSlash(binaryTarget))
	if isFile(path) {
		return path, nil
	}
	unlock, err := lock(path + ".lock")
	if err != nil {
		return "", err
	}
	err = build(ctx, root, path)
	return path, errors.Join(err, unlock())
}

func build(ctx context.Context, root, path string) error {
	if isFile(path) { // another test package was building it while we waited for the lock
		return nil
	}
	fmt.Fprintln(os.Stderr, "testcluster: building the control plane; the first time this takes about ten minutes")
	make := exec.CommandContext(ctx, "make", "-C", root, binaryTarget)
	make.Stdout, make.Stderr = os.Stderr, os.Stderr
	if err := make.Run(); err != nil {
		return fmt.Errorf("build control plane: %w", err)
	}
	return nil
}

// lock takes a lock between processes: several test packages start at once, and one build is enough.
func lock(path string) (unlock func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
	}
	return file.Close, nil
}

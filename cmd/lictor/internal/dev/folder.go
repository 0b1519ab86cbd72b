// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// openFolder makes the folder and takes it for this process. The lock is held until the file and every copy of its
// descriptor are closed: the control plane gets a copy, so that one left behind by a kill still holds its folder.
func openFolder(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	if err := takeFolder(dir, lock); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

func takeFolder(dir string, lock *os.File) error {
	err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		owner, _ := io.ReadAll(lock) // only to be more helpful
		return fmt.Errorf("another `lictor dev` (process %s) runs in %s: stop that one first, or choose another folder with --dir",
			strings.TrimSpace(string(owner)), dir)
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	if err := lock.Truncate(0); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	if _, err := fmt.Fprintln(lock, os.Getpid()); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	// Keys are in here: git must not see the folder, wherever it is.
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	return nil
}

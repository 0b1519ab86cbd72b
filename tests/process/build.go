// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
)

// The programs are the same for every test of a package, and testing gives no place to keep what they share.
//
//nolint:gochecknoglobals // the reason is given above
var (
	lictor  = sync.OnceValues(findLictor)
	kubectl = sync.OnceValues(func() (string, error) { return build(".bin/kubectl", makeMissing) })
)

// Lictor is the path of the lictor program: the one that LICTOR_BINARY names, or else built from the sources as they
// are. Under the race detector it has the race detector too.
func Lictor(t testing.TB) string { return need(t, lictor) }

// Kubectl is the path of kubectl, built if it is missing.
func Kubectl(t testing.TB) string { return need(t, kubectl) }

func need(t testing.TB, program func() (string, error)) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build makes a file below the repository's root. Several test packages may want it at once; they take turns.
func build(target string, with func(root, path string) error) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, filepath.FromSlash(target))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", errors.Join(fmt.Errorf("lock %s: %w", lock.Name(), err), lock.Close())
	}
	return path, errors.Join(with(root, path), lock.Close())
}

func findLictor() (string, error) {
	if named := os.Getenv("LICTOR_BINARY"); named != "" {
		return named, nil
	}
	if RaceDetector() {
		return build(".bin/test/lictor-race", buildLictor)
	}
	return build(".bin/test/lictor", buildLictor)
}

// buildLictor always asks go build, which knows whether there is anything to do.
func buildLictor(root, path string) error {
	args := []string{"build", "-o", path}
	if RaceDetector() {
		args = append(args, "-race")
	}
	return run(root, "go", append(args, "./cmd/lictor")...)
}

// makeMissing leaves a program that is there alone: whether it is up to date is the Makefile's business.
func makeMissing(root, path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return nil
	}
	target, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	return run(root, "make", target)
}

func run(dir, name string, args ...string) error {
	command := exec.CommandContext(context.Background(), name, args...)
	command.Dir = dir
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %v: %w", name, args, err)
	}
	return nil
}

// RaceDetector tells whether this program, and so Lictor, has the race detector, which makes it several times slower.
func RaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}

// Root is the repository's root, above the folder that go test runs the package in.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "lictor")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no folder above %s holds cmd/lictor", start)
		}
	}
}

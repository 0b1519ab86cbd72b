// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// One build serves every test of the package, and testing gives no place to keep what they share.
//
//nolint:gochecknoglobals // the reason is given above
var buildOnce = sync.OnceValues(build)

// binary is the path of the lictor program, built from the sources as they are.
func binary(t *testing.T) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build uses a file of this package's own: other tests may replace theirs while it runs here. Without version control
// stamps, go build finds that there is nothing to do after a commit of something else.
func build() (string, error) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, ".bin", "faults", "lictor")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", errors.Join(err, lock.Close())
	}
	command := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", path, "./cmd/lictor")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("build lictor: %w\n%s", err, out), lock.Close())
	}
	return path, lock.Close()
}

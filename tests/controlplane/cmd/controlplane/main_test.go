// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/lictor-dev/lictor/tests/controlplane"
)

// launch runs the program's body and returns its end once it is up.
func launch(ctx context.Context, t *testing.T, dir string, owner io.Reader) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, controlplane.Options{Dir: dir, NoFsync: true}, owner) }()
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	require.NoError(t, wait.PollUntilContextCancel(waiting, 50*time.Millisecond, true, func(context.Context) (bool, error) {
		_, err := os.Stat(filepath.Join(dir, "kubeconfig"))
		return err == nil, nil
	}))
	return ended
}

func TestStateGoesWithTheOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	read, write := io.Pipe()
	ended := launch(t.Context(), t, dir, read)
	require.NoError(t, write.Close())
	require.NoError(t, <-ended)
	require.NoDirExists(t, dir)
}

func TestStateOutlivesASignal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(t.Context())
	ended := launch(ctx, t, dir, nil)
	cancel()
	require.NoError(t, <-ended)
	require.FileExists(t, filepath.Join(dir, "ca.key"))
}

// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lictor-dev/lictor/tests/process"
)

const (
	// patience is many times what anything here takes on a machine that does nothing else.
	patience = 60 * time.Second
	poll     = 50 * time.Millisecond
)

// session is a running `lictor dev` and its screen.
type session struct {
	t       *testing.T
	dir     string
	command *exec.Cmd
	exited  chan struct{}
	exit    error // read after exited is closed

	mu     sync.Mutex
	screen bytes.Buffer
}

// Write makes the session its program's screen.
func (s *session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.Write(p)
}

func (s *session) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// devCommand is `lictor dev` on a folder, run in the repository's root. Its default port may be a developer's.
func devCommand(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	root, err := process.Root()
	require.NoError(t, err)
	program := filepath.Join(root, ".bin", "controlplane")
	if named := os.Getenv("LICTOR_CONTROLPLANE"); named != "" {
		program = named
	}
	require.FileExists(t, program, "make .bin/controlplane builds it")
	command := exec.CommandContext(context.WithoutCancel(t.Context()), process.Lictor(t), "dev", "--dir="+dir, "--controlplane="+program)
	command.Dir = root
	return command
}

// startDev starts a session and returns when it says that it is ready.
func startDev(t *testing.T, dir string) *session {
	t.Helper()
	s := &session{t: t, dir: dir, command: devCommand(t, dir), exited: make(chan struct{})}
	s.command.Stdout, s.command.Stderr = s, s
	require.NoError(t, s.command.Start())
	go func() {
		defer close(s.exited)
		s.exit = s.command.Wait()
	}()
	t.Cleanup(s.stop)
	s.until("ready; Ctrl-C stops")
	return s
}

// until waits for a text on the screen.
func (s *session) until(pattern string) {
	s.t.Helper()
	expression := regexp.MustCompile(pattern)
	require.Eventually(s.t, func() bool { return expression.MatchString(s.text()) || s.ended() }, patience, poll)
	require.Regexp(s.t, expression, s.text())
}

func (s *session) ended() bool {
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

// stop ends the session by SIGTERM; it must end well, and nothing of it may go on.
func (s *session) stop() {
	if !s.ended() {
		require.NoError(s.t, s.command.Process.Signal(syscall.SIGTERM))
	}
	<-s.exited
	require.NoError(s.t, s.exit, s.text())
	require.NotContains(s.t, s.text(), "DATA RACE")
	require.Empty(s.t, s.processes())
}

// processes are those that name the session's folder on their command line: all that it starts do.
func (s *session) processes() (found []string) {
	s.t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(s.t.Context()), "ps", "-A", "-o", "pid=,args=").Output()
	require.NoError(s.t, err)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, s.dir+"/") || strings.Contains(line, "--dir="+s.dir) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func (s *session) kubectl(user string) *process.CLI {
	s.t.Helper()
	return process.NewCLI(s.t, filepath.Join(s.dir, user+".kubeconfig"))
}

func TestDevFromStartToRestart(t *testing.T) {
	// Directly below the temporary folder: the path of a unix socket in it may have no more than about 100 bytes.
	dir, err := os.MkdirTemp("", "lictor-dev-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	root, err := process.Root()
	require.NoError(t, err)

	first := startDev(t, dir)
	require.Contains(t, first.text(), "3/3 warm")
	require.Len(t, first.processes(), 3, "dev, the API server and the controller")
	alice := first.kubectl("alice")
	alice.Run("create", "-f", filepath.Join(root, "deploy", "dev", "claim.yaml"))
	alice.Run("wait", "vmclaim/alice-1", "--for=condition=Bound", "--timeout="+patience.String())
	boundTo := []string{"get", "vmclaim", "alice-1", "-o", "jsonpath={.status.virtualMachineRef.name}"}
	member := alice.Run(boundTo...)
	first.until(`claim alice-1 +Bound +` + member + ` +until \d\d:\d\d:\d\d`)
	_, err = alice.Try("", "delete", "vm", member)
	require.ErrorContains(t, err, "forbidden", "alice may claim, and no more")

	second, err := devCommand(t, dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(second), fmt.Sprintf("another `lictor dev` (process %d) runs in %s", first.command.Process.Pid, dir))

	first.stop()
	again := startDev(t, dir)
	again.until(`claim alice-1 +Bound +` + member)
	require.Equal(t, member, again.kubectl("bob").Run(boundTo...), "bob sees the same")
}

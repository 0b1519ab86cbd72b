// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/lictor-dev/lictor/tests/faults/proxy"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

// Durations of leader election, short so that a takeover takes seconds. Their order is what matters.
const (
	leaseDuration = 2 * time.Second
	renewDeadline = 1300 * time.Millisecond
	retryPeriod   = 200 * time.Millisecond
)

// leaseName is the controller's default.
const leaseName = "lictor-controller"

// logTail is how much of a controller's log a failed test shows.
const logTail = 16 << 10

// controller is a place where a controller process runs, one after the other, behind one proxy.
type controller struct {
	t       *testing.T
	name    string
	proxy   *proxy.Proxy
	args    []string
	binary  string
	logPath string

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{} // closed when cmd has ended
}

// newController prepares a place. Nothing runs before start.
func newController(t *testing.T, c *testcluster.Cluster, name string, elect bool) *controller {
	t.Helper()
	p, err := proxy.New(t.Context(), name, c.Config)
	if err != nil {
		t.Fatalf("proxy of controller %s: %v", name, err)
	}
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := writeKubeconfig(kubeconfig, p.URL); err != nil {
		t.Fatalf("kubeconfig of controller %s: %v", name, err)
	}
	k := &controller{t: t, name: name, proxy: p, binary: binary(t), logPath: filepath.Join(dir, "controller.log")}
	k.args = arguments(kubeconfig, c.Namespace, elect)
	t.Cleanup(k.close)
	return k
}

func arguments(kubeconfig, namespace string, elect bool) []string {
	args := []string{"controller", "--kubeconfig=" + kubeconfig, "--namespace=" + namespace, "--log-format=console",
		"--metrics-bind-address=0", "--health-probe-bind-address=0"}
	if !elect {
		return append(args, "--leader-elect=false")
	}
	return append(args, "--leader-elect=true", "--leader-election-namespace="+namespace,
		"--leader-election-lease-duration="+leaseDuration.String(),
		"--leader-election-renew-deadline="+renewDeadline.String(),
		"--leader-election-retry-period="+retryPeriod.String())
}

// writeKubeconfig needs no credentials: the proxy has them.
func writeKubeconfig(path, server string) error {
	const name = "proxy"
	k := clientcmdapi.NewConfig()
	k.Clusters[name] = &clientcmdapi.Cluster{Server: server}
	k.Contexts[name] = &clientcmdapi.Context{Cluster: name}
	k.CurrentContext = name
	return clientcmd.WriteToFile(*k, path)
}

// start starts a process. The one before must have ended.
func (k *controller) start() {
	k.t.Helper()
	if err := k.tryStart(); err != nil {
		k.t.Fatalf("start controller %s: %v", k.name, err)
	}
}

func (k *controller) tryStart() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	log, err := os.OpenFile(k.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor
	cmd := exec.CommandContext(context.WithoutCancel(k.t.Context()), k.binary, k.args...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, childAttributes()
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // every process here is killed, or loses its lease: how it ends says nothing
	}()
	k.cmd, k.exited = cmd, exited
	return nil
}

// kill ends the process at once and returns when it is gone. One that has ended already is left alone.
func (k *controller) kill() {
	k.signal(syscall.SIGKILL)
	<-k.ended()
}

// pause stops the process in mid-instruction; its connections stay open.
func (k *controller) pause() { k.signal(syscall.SIGSTOP) }

// resume lets a paused process go on, as if no time had passed.
func (k *controller) resume() { k.signal(syscall.SIGCONT) }

func (k *controller) signal(s syscall.Signal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cmd == nil {
		return
	}
	if err := k.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		k.t.Errorf("controller %s: %v: %v", k.name, s, err)
	}
}

// ended is closed when the present process has ended.
func (k *controller) ended() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.exited == nil {
		never := make(chan struct{})
		close(never)
		return never
	}
	return k.exited
}

func (k *controller) close() {
	k.kill()
	if err := k.proxy.Close(); err != nil {
		k.t.Errorf("proxy of controller %s: %v", k.name, err)
	}
	if !k.t.Failed() {
		return
	}
	log, err := os.ReadFile(k.logPath)
	if err != nil {
		k.t.Logf("log of controller %s: %v", k.name, err)
		return
	}
	k.t.Logf("end of the log of controller %s:\n%s", k.name, log[max(0, len(log)-logTail):])
}

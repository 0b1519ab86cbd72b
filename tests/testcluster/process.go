// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// logTail is how much of the program's log an error about it shows.
const logTail = 4 << 10

// process is a control plane that runs as a child process. The child holds one end of a pipe whose other end is
// ours, so it ends, and removes its folder, also when this process dies with no time to say goodbye.
type process struct {
	binary string
	dir    string
	flags  []string

	config *rest.Config
	port   string

	command *exec.Cmd
	owner   io.Closer
	ready   chan struct{}
	exited  chan struct{}
	exit    error
}

func newProcess(binary string, flags []string) (*process, error) {
	// Directly below the temporary folder: the path of a unix socket in it may have no more than about 100 bytes.
	dir, err := os.MkdirTemp("", "lictor-test-")
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	return &process{binary: binary, dir: dir, flags: flags, port: "0"}, nil
}

func (p *process) start(ctx context.Context) error {
	if err := p.launch(ctx); err != nil {
		return err
	}
	select {
	case <-p.ready:
		return p.connect()
	case <-p.exited:
		return fmt.Errorf("%s ended early: %w\n%s", p.binary, p.exit, p.tail())
	case <-ctx.Done():
		return fmt.Errorf("%s is not ready: %w\n%s", p.binary, context.Cause(ctx), p.tail())
	}
}

// launch starts the child; it lives until stop, however long ctx does.
func (p *process) launch(ctx context.Context) error {
	log, err := os.OpenFile(p.file("controlplane.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the child has its own descriptor
	args := append([]string{"--ephemeral", "--no-fsync", "--dir=" + p.dir, "--port=" + p.port}, p.flags...)
	command := exec.CommandContext(context.WithoutCancel(ctx), p.binary, args...)
	command.Stderr = log
	// A group of its own: an interrupt at the terminal then reaches the child through us, and its folder is removed.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if p.owner, err = command.StdinPipe(); err != nil {
		return err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	p.command, p.ready, p.exited = command, make(chan struct{}), make(chan struct{})
	go p.follow(stdout, p.ready, p.exited)
	return nil
}

// follow reports what the child says and, at last, how it ended.
func (p *process) follow(stdout io.Reader, ready, exited chan<- struct{}) {
	defer close(exited)
	lines := bufio.NewScanner(stdout)
	for announced := false; lines.Scan(); {
		if !announced && strings.HasPrefix(lines.Text(), "READY ") {
			announced = true
			close(ready)
		}
	}
	p.exit = p.command.Wait()
}

// connect reads the kubeconfig that the child wrote, and remembers the port for a restart.
func (p *process) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", p.file("kubeconfig"))
	if err != nil {
		return err
	}
	address, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	p.config, p.port = unthrottled(config), address.Port()
	return nil
}

func (p *process) stop(ctx context.Context) error {
	if p.command == nil {
		return nil
	}
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("%s does not end: %w\n%s", p.binary, context.Cause(ctx), p.tail()), p.command.Process.Kill())
	}
	p.command = nil
	if p.exit != nil {
		return fmt.Errorf("%s: %w\n%s", p.binary, p.exit, p.tail())
	}
	return nil
}

func (p *process) close(ctx context.Context) error {
	return errors.Join(p.stop(ctx), os.RemoveAll(p.dir))
}

func (p *process) admin() *rest.Config { return rest.CopyConfig(p.config) }
func (p *process) auditLog() string    { return p.file("audit.log") }

func (p *process) user(name string, groups []string) (*rest.Config, error) {
	certPEM, keyPEM, err := mintClientCertificate(p.file("ca.crt"), p.file("ca.key"), name, groups)
	if err != nil {
		return nil, err
	}
	config := unthrottled(rest.AnonymousClientConfig(p.config))
	config.CertData, config.KeyData = certPEM, keyPEM
	return config, nil
}

func (p *process) file(name string) string { return filepath.Join(p.dir, name) }

// tail returns the end of the child's log; without one the error that it is meant for is short of it, no more.
func (p *process) tail() string {
	content, err := os.ReadFile(p.file("controlplane.log"))
	if err != nil {
		return err.Error()
	}
	return string(content[max(0, len(content)-logTail):])
}

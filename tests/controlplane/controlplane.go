// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/rest"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver"
)

const (
	// startTimeout is some twenty times what a start takes on two busy cores.
	startTimeout = time.Minute
	// stopTimeout is how long requests in flight may hold up a stop.
	stopTimeout = 20 * time.Second
)

var (
	errStopped      = errors.New("control plane was told to stop")
	errStartTimeout = errors.New("control plane took too long to start")
)

// ControlPlane is a running control plane. Its methods may be called from several goroutines, Stop once.
type ControlPlane struct {
	kubeconfig string
	audit      string

	stopServer  context.CancelCauseFunc
	serverEnded chan struct{}
	serverErr   error
	controllers *controllers
	etcd        *embed.Etcd
}

// Start starts a control plane and returns when it serves and its controllers run. It lives until Stop: ctx bounds
// the start alone.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, errStartTimeout)
	defer cancel()
	cp := &ControlPlane{audit: filepath.Join(o.Dir, auditLog)}
	if err := cp.start(ctx, o); err != nil {
		return nil, errors.Join(err, cp.Stop())
	}
	return cp, nil
}

func (cp *ControlPlane) start(ctx context.Context, o Options) (err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	ca, err := prepareCredentials(o.Dir)
	if err != nil {
		return err
	}
	if err := writeAuditPolicy(o.Dir, o.AuditLevel); err != nil {
		return err
	}
	if cp.etcd, err = startEtcd(ctx, o.Dir, o.NoFsync); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	loopback, err := cp.serve(ctx, o, listener)
	if err != nil {
		// In this order: a server whose listener goes away under it panics.
		return errors.Join(err, cp.stopAPIServer(), ignoreClosed(listener.Close()))
	}
	if cp.controllers, err = startControllers(context.WithoutCancel(ctx), loopback); err != nil {
		return err
	}
	cp.kubeconfig, err = writeKubeconfig(o.Dir, "https://"+listener.Addr().String(), ca)
	return err
}

// serve starts the API server on listener, waits until it is ready, and returns a configuration for its own clients.
func (cp *ControlPlane) serve(ctx context.Context, o Options, listener net.Listener) (*rest.Config, error) {
	address, err := netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		return nil, fmt.Errorf("listener's address: %w", err)
	}
	running, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	cp.stopServer = stop
	server, err := newAPIServer(running, listener, apiServerArgs(o, address.Port()))
	if err != nil {
		return nil, fmt.Errorf("build API server: %w", err)
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return nil, fmt.Errorf("prepare API server: %w", err)
	}
	cp.serverEnded = make(chan struct{})
	go func() {
		defer close(cp.serverEnded)
		cp.serverErr = prepared.Run(running)
	}()
	return cp.awaitServer(ctx, server)
}

func (cp *ControlPlane) awaitServer(ctx context.Context, server *aggregator.APIAggregator) (*rest.Config, error) {
	loopback := rest.CopyConfig(server.GenericAPIServer.LoopbackClientConfig)
	loopback.QPS = -1
	waiting, stopWaiting := context.WithCancelCause(ctx)
	defer stopWaiting(nil)
	go func() {
		select {
		case <-cp.serverEnded:
			stopWaiting(fmt.Errorf("API server ended: %w", cp.serverErr))
		case <-waiting.Done():
		}
	}()
	return loopback, waitReady(waiting, loopback)
}

// Kubeconfig is the path of the administrator's kubeconfig.
func (cp *ControlPlane) Kubeconfig() string { return cp.kubeconfig }

// AuditLog is the path of the audit log: one JSON event a line, written before a request's answer is complete.
func (cp *ControlPlane) AuditLog() string { return cp.audit }

// Ended is closed when the API server has ended, by Stop or by itself.
func (cp *ControlPlane) Ended() <-chan struct{} { return cp.serverEnded }

// Stop stops the controllers, the API server and etcd, in this order, and returns when they have ended. State stays
// in the folder; no socket does.
func (cp *ControlPlane) Stop() error {
	if cp.controllers != nil {
		cp.controllers.stop()
	}
	err := cp.stopAPIServer()
	if cp.etcd != nil {
		cp.etcd.Close()
	}
	return err
}

func (cp *ControlPlane) stopAPIServer() error {
	if cp.stopServer == nil {
		return nil
	}
	cp.stopServer(errStopped)
	if cp.serverEnded == nil {
		return nil
	}
	select {
	case <-cp.serverEnded:
		return cp.serverErr
	case <-time.After(stopTimeout):
		return fmt.Errorf("API server did not end within %s", stopTimeout)
	}
}

// ignoreClosed drops the error of closing a listener that the API server has closed already.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// SPDX-License-Identifier: Apache-2.0

// Package plane runs the control plane that the benchmarks measure on, with this project's CRDs installed.
package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/bench/internal/child"
)

const (
	startTimeout = 2 * time.Minute
	crdTimeout   = time.Minute
	// crdWarmUp is how long the API server delays the first objects of a new CRD.
	crdWarmUp = 2 * time.Second
)

// Plane is a running API server and etcd.
type Plane struct {
	*child.Process
	// Config is the administrator's, without client-side rate limits.
	Config *rest.Config
	// Client reads and writes the API server, with no cache.
	Client client.Client

	dir string
}

// Start runs the program with the state in a new folder. Without fsync, what is measured is not the disk.
func Start(ctx context.Context, program string, fsync bool) (*Plane, error) {
	dir, err := os.MkdirTemp("", "lictor-bench-") // short: the path of a unix socket in it has a limit
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	p := &Plane{dir: dir}
	p.Process, err = child.Start(ctx, filepath.Join(dir, "controlplane.log"), program,
		"--ephemeral", "--dir="+dir, fmt.Sprintf("--no-fsync=%t", !fsync))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := p.connect(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Plane) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if _, err := p.Ready(ctx); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", p.Kubeconfig())
	if err != nil {
		return err
	}
	config.QPS = -1
	config.UserAgent = "lictor-bench-setup"
	p.Config = config
	_, err = envtest.InstallCRDs(config, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join("deploy", "crds")}, ErrorIfPathMissing: true, MaxTime: crdTimeout,
	})
	if err != nil {
		return fmt.Errorf("install CRDs: %w", err)
	}
	s := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(s), banlieue.AddToScheme(s)); err != nil {
		return err
	}
	if p.Client, err = client.New(config, client.Options{Scheme: s}); err != nil {
		return err
	}
	return Pause(ctx, crdWarmUp)
}

// Namespace creates a namespace.
func (p *Plane) Namespace(ctx context.Context, name string) error {
	return p.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// Kubeconfig is the path of the administrator's kubeconfig.
func (p *Plane) Kubeconfig() string { return filepath.Join(p.dir, "kubeconfig") }

// AuditLog is the path of the audit log, which holds every request.
func (p *Plane) AuditLog() string { return filepath.Join(p.dir, "audit.log") }

// File is a path in a folder that is removed with the control plane.
func (p *Plane) File(name string) string { return filepath.Join(p.dir, name) }

// Close stops the control plane and removes its state.
func (p *Plane) Close() error { return errors.Join(p.Stop(), os.RemoveAll(p.dir)) }

// Pause waits, or until the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

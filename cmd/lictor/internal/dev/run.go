// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// Run starts everything, tells on out what happens, and ends everything when ctx ends, which is no error.
func Run(ctx context.Context, out io.Writer, c Config) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	lock, err := openFolder(c.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	log, err := os.Create(c.file("dev.log"))
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	w := &world{config: c, screen: &screen{out: out}, lock: lock, log: log, observed: make(chan error, 1)}
	defer func() { err = errors.Join(err, w.stop()) }()
	err = w.run(ctx)
	if ctx.Err() != nil { // whatever was interrupted has failed because of it
		return nil
	}
	return err
}

// world is what one Run has started.
type world struct {
	config  Config
	screen  *screen
	lock    *os.File
	log     io.Writer
	server  string // the API server's address
	metrics string // the controller's address of metrics and bundles
	client  client.Client

	controlPlane  *child
	controller    *child
	bundles       *bundles
	observers     sync.WaitGroup
	observed      chan error // how observing ended
	stopObserving context.CancelFunc
}

func (w *world) run(ctx context.Context) error {
	w.screen.line("objects, keys and logs are kept in %s", w.config.Dir)
	if err := w.startControlPlane(ctx); err != nil {
		return err
	}
	config, err := w.connect()
	if err != nil {
		return err
	}
	if err := w.installCRDs(ctx); err != nil {
		return err
	}
	if err := w.installSetup(ctx); err != nil {
		return err
	}
	if err := w.startController(ctx); err != nil {
		return err
	}
	if err := w.startObserving(ctx, config); err != nil {
		return err
	}
	if err := w.awaitPool(ctx); err != nil {
		return err
	}
	w.welcome()
	return w.awaitEnd(ctx)
}

// connect writes everybody's kubeconfig, and makes the administrator's client from it.
func (w *world) connect() (*rest.Config, error) {
	if err := w.writeKubeconfigs(); err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", w.config.kubeconfig(admin))
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the API server is ours alone
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	w.client, err = client.New(config, client.Options{Scheme: scheme})
	return config, err
}

// awaitEnd returns when the user has had enough, or when something that should run on has ended.
func (w *world) awaitEnd(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-w.controlPlane.exited:
		return w.controlPlane.ended()
	case <-w.controller.exited:
		return w.controller.ended()
	case err := <-w.observed:
		return fmt.Errorf("watching the API server ended; the log is %s: %w", w.config.file("dev.log"), err)
	}
}

// stop ends what was started, in reverse: whoever uses something ends before it.
func (w *world) stop() error {
	if w.stopObserving != nil {
		w.stopObserving()
		w.observers.Wait()
	}
	var errs []error
	for _, c := range []*child{w.controller, w.controlPlane} {
		if c == nil || c.hasEnded() {
			continue
		}
		errs = append(errs, w.screen.step("stopping the "+c.name, func() (string, error) { return "done", c.stop() }))
	}
	return errors.Join(errs...)
}

// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

const (
	// startTimeout and stopTimeout are what the control plane grants itself, and a little more.
	startTimeout = 90 * time.Second
	stopTimeout  = 30 * time.Second
)

// running is the suite that Main has started. Main is given a *testing.M and tests a *testing.T, and nothing leads
// from one to the other but a variable. It is set before the first test and cleared after the last.
var running *suite //nolint:gochecknoglobals // the reason is given above

// suite is what the tests of one package share.
type suite struct {
	server server
	scheme *runtime.Scheme
	client client.Client
}

// Option changes how Main starts the control plane.
type Option func(*config)

type config struct {
	flags []string
}

// WithFlags passes flags to the control plane's program, for example --audit-level=RequestResponse,
// --authentication-config=FILE or --no-fsync=false. A control plane of another making refuses them.
func WithFlags(flags ...string) Option {
	return func(c *config) { c.flags = append(c.flags, flags...) }
}

// Main starts the control plane, installs the CRDs, runs the package's tests, stops the control plane and ends the
// process with the tests' exit code.
func Main(m *testing.M, options ...Option) {
	code, err := runTests(context.Background(), m, options)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcluster:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func runTests(ctx context.Context, m *testing.M, options []Option) (code int, err error) {
	// controller-runtime has one logger for the process, complains when nobody sets it, and races when tests do.
	log.SetLogger(logr.Discard())
	var c config
	for _, option := range options {
		option(&c)
	}
	s, err := startSuite(ctx, c)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	running = s
	defer func() { running = nil }()
	return m.Run(), nil
}

func startSuite(ctx context.Context, c config) (*suite, error) {
	root, err := repositoryRoot()
	if err != nil {
		return nil, err
	}
	s := &suite{scheme: newScheme()}
	if s.server, err = chooseServer(ctx, root, c); err != nil {
		return nil, err
	}
	if err := s.start(ctx, root); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

func (s *suite) start(ctx context.Context, root string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := s.server.start(ctx); err != nil {
		return fmt.Errorf("start control plane: %w", err)
	}
	if err := installCRDs(s.server.admin(), root); err != nil {
		return err
	}
	var err error
	s.client, err = client.New(s.server.admin(), client.Options{Scheme: s.scheme})
	return err
}

func (s *suite) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if err := s.server.close(ctx); err != nil {
		return fmt.Errorf("stop control plane: %w", err)
	}
	return nil
}

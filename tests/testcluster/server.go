// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"k8s.io/client-go/rest"
)

// server is a control plane, however it is run.
type server interface {
	// start returns when requests are served.
	start(ctx context.Context) error
	// close ends what start began and removes what it wrote.
	close(ctx context.Context) error
	// admin is a configuration for a client that may do anything.
	admin() *rest.Config
	// user is a configuration for a client that is the named user in these groups.
	user(name string, groups []string) (*rest.Config, error)
	// auditLog is the audit log's path, or empty when there is none to read.
	auditLog() string
}

// restarter is a server that can be stopped and, with start, go on with the same state at the same address.
type restarter interface {
	server
	stop(ctx context.Context) error
}

var errFlags = errors.New("this control plane takes no flags")

// chooseServer reads the environment as the package comment says.
func chooseServer(ctx context.Context, root string, c config) (server, error) {
	kubeconfig, assets := os.Getenv("LICTOR_TEST_KUBECONFIG"), os.Getenv("KUBEBUILDER_ASSETS")
	if (kubeconfig != "" || assets != "") && len(c.flags) > 0 {
		return nil, fmt.Errorf("%w: %v", errFlags, c.flags)
	}
	if kubeconfig != "" {
		return newExternal(kubeconfig, os.Getenv("LICTOR_TEST_AUDIT_LOG"))
	}
	if assets != "" {
		return newAssets(assets)
	}
	binary, err := findBinary(ctx, root)
	if err != nil {
		return nil, err
	}
	return newProcess(binary, c.flags)
}

// unthrottled returns a copy of config without client-side rate limits: tests measure the server's limits.
func unthrottled(config *rest.Config) *rest.Config {
	c := rest.CopyConfig(config)
	c.QPS = -1
	return c
}

// impersonating returns a copy of config whose requests are made as the named user.
func impersonating(config *rest.Config, name string, groups []string) *rest.Config {
	c := unthrottled(config)
	c.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: slices.Clone(groups)}
	return c
}

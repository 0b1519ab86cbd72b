// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// external is a control plane that someone else runs.
type external struct {
	config *rest.Config
	audit  string
}

func newExternal(kubeconfig, audit string) (*external, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("LICTOR_TEST_KUBECONFIG: %w", err)
	}
	return &external{config: unthrottled(config), audit: audit}, nil
}

func (e *external) start(context.Context) error { return nil }
func (e *external) close(context.Context) error { return nil }
func (e *external) admin() *rest.Config         { return rest.CopyConfig(e.config) }
func (e *external) auditLog() string            { return e.audit }

func (e *external) user(name string, groups []string) (*rest.Config, error) {
	return impersonating(e.config, name, groups), nil
}

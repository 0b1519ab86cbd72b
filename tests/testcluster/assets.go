// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// metadataPolicy logs every request once, at its completion.
const metadataPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

// assets is a control plane of binaries that envtest runs.
type assets struct {
	env    envtest.Environment
	dir    string
	config *rest.Config
}

func newAssets(binaries string) (*assets, error) {
	dir, err := os.MkdirTemp("", "lictor-test-")
	if err != nil {
		return nil, fmt.Errorf("state folder: %w", err)
	}
	a := &assets{dir: dir, env: envtest.Environment{BinaryAssetsDirectory: binaries}}
	policy := filepath.Join(dir, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(metadataPolicy), 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	a.env.ControlPlane.GetAPIServer().Configure().
		Append("audit-policy-file", policy).
		Append("audit-log-path", a.auditLog()).
		Append("audit-log-mode", "blocking").
		Append("audit-log-maxsize", "0")
	return a, nil
}

// start ignores ctx: envtest has a timeout of its own, 20 s.
func (a *assets) start(context.Context) error {
	config, err := a.env.Start()
	if err != nil {
		return err
	}
	a.config = unthrottled(config)
	return nil
}

func (a *assets) close(context.Context) error {
	return errors.Join(a.env.Stop(), os.RemoveAll(a.dir))
}

func (a *assets) admin() *rest.Config { return rest.CopyConfig(a.config) }
func (a *assets) auditLog() string    { return filepath.Join(a.dir, "audit.log") }

func (a *assets) user(name string, groups []string) (*rest.Config, error) {
	user, err := a.env.AddUser(envtest.User{Name: name, Groups: groups}, a.config)
	if err != nil {
		return nil, err
	}
	return unthrottled(user.Config()), nil
}

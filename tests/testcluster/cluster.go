// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// maxNamePrefix leaves room for the suffix that the API server appends, within a namespace's 63 characters.
const maxNamePrefix = 50

// Cluster is the control plane as one test sees it. Its methods end the test when they fail.
type Cluster struct {
	// Namespace is this test's alone.
	Namespace string
	// Config is the administrator's, without client-side rate limits.
	Config *rest.Config
	// Client is the administrator's and reads from the API server, not from a cache.
	Client client.Client

	t          testing.TB
	suite      *suite
	auditStart int64
}

// New gives t a fresh namespace on the control plane that Main has started.
func New(t testing.TB) *Cluster {
	t.Helper()
	if running == nil {
		t.Fatal("testcluster.New needs a TestMain that calls testcluster.Main")
	}
	c := &Cluster{t: t, suite: running, Config: running.server.admin(), Client: running.client}
	c.auditStart = c.auditSize()
	c.Namespace = c.createNamespace()
	return c
}

func (c *Cluster) createNamespace() string {
	c.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: namePrefix(c.t.Name())}}
	if err := c.Client.Create(c.t.Context(), namespace); err != nil {
		c.t.Fatalf("create namespace: %v", err)
	}
	if _, lasting := c.suite.server.(*external); lasting {
		c.t.Cleanup(func() {
			if err := c.Client.Delete(context.WithoutCancel(c.t.Context()), namespace); err != nil {
				c.t.Errorf("delete namespace: %v", err)
			}
		})
	}
	return namespace.Name
}

// namePrefix turns a test's name into the beginning of a namespace's.
func namePrefix(test string) string {
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(test), "-")
	return strings.Trim(name[:min(len(name), maxNamePrefix)], "-") + "-"
}

// UserConfig is the configuration of a client that is the named user in these groups and has no rights but those
// that the test gives it.
func (c *Cluster) UserConfig(name string, groups ...string) *rest.Config {
	c.t.Helper()
	config, err := c.suite.server.user(name, groups)
	if err != nil {
		c.t.Fatalf("user %s: %v", name, err)
	}
	return config
}

// UserClient is a client with UserConfig.
func (c *Cluster) UserClient(name string, groups ...string) client.Client {
	c.t.Helper()
	user, err := client.New(c.UserConfig(name, groups...), client.Options{Scheme: c.suite.scheme})
	if err != nil {
		c.t.Fatalf("client of user %s: %v", name, err)
	}
	return user
}

// Kubeconfig is the path of a kubeconfig equal to Config, with Namespace as the default, for a child process.
func (c *Cluster) Kubeconfig() string {
	c.t.Helper()
	return c.writeKubeconfig(c.Config)
}

// UserKubeconfig is the path of a kubeconfig equal to UserConfig, with Namespace as the default.
func (c *Cluster) UserKubeconfig(name string, groups ...string) string {
	c.t.Helper()
	return c.writeKubeconfig(c.UserConfig(name, groups...))
}

func (c *Cluster) writeKubeconfig(config *rest.Config) string {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "kubeconfig")
	if err := writeKubeconfig(path, config, c.Namespace); err != nil {
		c.t.Fatalf("write kubeconfig: %v", err)
	}
	return path
}

// StopControlPlane stops etcd and the API server and keeps their data. It takes the control plane from every test of
// the package: one that calls it cannot run in parallel with others. A test whose control plane cannot be restarted
// is skipped.
func (c *Cluster) StopControlPlane() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), stopTimeout)
	defer cancel()
	if err := c.restarter().stop(ctx); err != nil {
		c.t.Fatalf("stop control plane: %v", err)
	}
}

// StartControlPlane starts it again, at the same address, with the same objects and users.
func (c *Cluster) StartControlPlane() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), startTimeout)
	defer cancel()
	if err := c.restarter().start(ctx); err != nil {
		c.t.Fatalf("start control plane: %v", err)
	}
}

func (c *Cluster) restarter() restarter {
	c.t.Helper()
	r, ok := c.suite.server.(restarter)
	if !ok {
		c.t.Skip("this control plane cannot be restarted")
	}
	return r
}

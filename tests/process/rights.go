// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"os/exec"
	"sync"
	"testing"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

// User is who the controller is: the service account that `lictor render rbac` binds its roles to.
const User = "system:serviceaccount:" + SystemNamespace + ":lictor-controller"

// SystemNamespace is where the rendered manifests put the controller and its lease.
const SystemNamespace = "lictor-system"

const systemNamespace = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "` + SystemNamespace + `"}}`

// rights are what the package's control plane was given last: most tests give it the same.
var rights granted //nolint:gochecknoglobals // the control plane is the package's, too

type granted struct {
	mu   sync.Mutex
	last string
}

func (g *granted) apply(admin *CLI, manifests string) {
	admin.t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == manifests {
		return
	}
	admin.Input(systemNamespace, "apply", "-f", "-")
	admin.Input(manifests, "apply", "-f", "-")
	g.last = manifests
}

// GrantRights applies what `lictor render rbac` prints for these bundles, as an administrator does before an
// installation, and returns a kubeconfig of the controller's user. It has those rights and no others.
func GrantRights(t testing.TB, c *testcluster.Cluster, bundles ...string) string {
	t.Helper()
	rights.apply(NewCLI(t, c.Kubeconfig()), RenderRBAC(t, bundles...))
	return c.UserKubeconfig(User, "system:serviceaccounts", "system:serviceaccounts:"+SystemNamespace)
}

// RenderRBAC is what `lictor render rbac` prints.
func RenderRBAC(t testing.TB, bundles ...string) string {
	t.Helper()
	args := []string{"render", "rbac"}
	for _, b := range bundles {
		args = append(args, "--bundle", b)
	}
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), Lictor(t), args...).Output()
	if err != nil {
		t.Fatalf("lictor render rbac: %v", err)
	}
	return string(out)
}

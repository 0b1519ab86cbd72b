// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"os/exec"
	"testing"

	"github.com/lictor-dev/lictor/tests/testcluster"
)

// User is who the controller is: the service account that `lictor render rbac` binds its roles to.
const User = "system:serviceaccount:" + SystemNamespace + ":lictor-controller"

// SystemNamespace is where the rendered manifests put the controller and its lease.
const SystemNamespace = "lictor-system"

const systemNamespace = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "` + SystemNamespace + `"}}`

// GrantRights applies what `lictor render rbac` prints for these bundles, as an administrator does before an
// installation, and returns a kubeconfig of the controller's user. It has those rights and no others.
func GrantRights(t testing.TB, c *testcluster.Cluster, bundles ...string) string {
	t.Helper()
	admin := NewCLI(t, c.Kubeconfig())
	admin.Input(systemNamespace, "apply", "-f", "-")
	admin.Input(RenderRBAC(t, bundles...), "apply", "-f", "-")
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

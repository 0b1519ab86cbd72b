// SPDX-License-Identifier: Apache-2.0

// Package testcluster gives tests a real Kubernetes API server with this project's CRDs installed.
//
// A test package calls Main from its TestMain; the control plane then starts once for the package and ends with it,
// whatever way the test process ends. Each test calls New for a namespace of its own:
//
//	func TestMain(m *testing.M) { testcluster.Main(m) }
//
//	func TestClaim(t *testing.T) {
//		c := testcluster.New(t)
//		require.NoError(t, c.Client.Create(t.Context(), claim(c.Namespace)))
//	}
//
// Namespaces are never waited for and, on a control plane that is thrown away, not deleted: a controller under test
// should watch its test's namespace alone.
//
// Which control plane it is depends on the environment, first match wins:
//
//   - LICTOR_TEST_KUBECONFIG names the kubeconfig of one that runs already. Users are impersonated, and there is an
//     audit log only if LICTOR_TEST_AUDIT_LOG names it.
//   - KUBEBUILDER_ASSETS names a folder with etcd and kube-apiserver, run through controller-runtime's envtest.
//     These have no garbage collector and no namespace controller, and cannot be restarted.
//   - LICTOR_CONTROLPLANE names the program that tests/controlplane builds.
//   - Otherwise that program is .bin/controlplane, built if missing. A first build compiles Kubernetes and takes
//     about ten minutes, more than go test's default timeout; `make test` builds it beforehand.
package testcluster

// SPDX-License-Identifier: Apache-2.0

package testcluster_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieuev1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestEachTestHasItsOwnNamespace(t *testing.T) {
	first, second := testcluster.New(t), testcluster.New(t)
	require.NotEqual(t, first.Namespace, second.Namespace)
	require.NoError(t, first.Client.Create(t.Context(), configMap(first.Namespace, "same-name")))
	require.NoError(t, second.Client.Create(t.Context(), configMap(second.Namespace, "same-name")))
}

func TestCRDsAreServed(t *testing.T) {
	c := testcluster.New(t)
	var claims banlieuev1alpha1.VirtualMachineClaimList
	require.NoError(t, c.Client.List(t.Context(), &claims, client.InNamespace(c.Namespace)))
	require.Empty(t, claims.Items)
}

func TestUserIsWhoItsCertificateSays(t *testing.T) {
	c := testcluster.New(t)
	user := c.UserClient("alice", "developers", "night-shift")

	var review authenticationv1.SelfSubjectReview
	require.NoError(t, user.Create(t.Context(), &review))
	require.Equal(t, "alice", review.Status.UserInfo.Username)
	require.Subset(t, review.Status.UserInfo.Groups, []string{"developers", "night-shift"})

	err := user.Create(t.Context(), configMap(c.Namespace, "not-allowed"))
	require.True(t, apierrors.IsForbidden(err), "a user without a role may do nothing, got: %v", err)
}

func TestKubeconfigsWorkOutsideThisProcess(t *testing.T) {
	c := testcluster.New(t)
	for path, want := range map[string]bool{c.Kubeconfig(): true, c.UserKubeconfig("bob"): false} {
		loaded, err := clientcmd.LoadFromFile(path)
		require.NoError(t, err)
		require.Equal(t, c.Namespace, loaded.Contexts[loaded.CurrentContext].Namespace)

		config, err := clientcmd.BuildConfigFromFlags("", path)
		require.NoError(t, err)
		k, err := client.New(config, client.Options{})
		require.NoError(t, err)
		err = k.Get(t.Context(), client.ObjectKey{Name: c.Namespace}, &corev1.Namespace{})
		require.Equal(t, want, err == nil, "%s: %v", path, err)
	}
}

func TestAuditReaderSelects(t *testing.T) {
	c := testcluster.New(t)
	other := testcluster.New(t)
	creates := c.Audit(testcluster.AuditFilter{Namespace: c.Namespace, Verbs: []string{"create"}, Resource: "configmaps", Name: "mine"})
	refusals := c.Audit(testcluster.AuditFilter{Namespace: c.Namespace, User: "mallory"})

	require.NoError(t, c.Client.Create(t.Context(), configMap(c.Namespace, "mine")))
	require.NoError(t, other.Client.Create(t.Context(), configMap(other.Namespace, "mine")))
	require.Error(t, c.UserClient("mallory").Delete(t.Context(), configMap(c.Namespace, "mine")))

	events, err := creates.Events()
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, int32(201), events[0].ResponseStatus.Code)

	events, err = refusals.Events()
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, "delete", events[0].Verb)
	require.Equal(t, int32(403), events[0].ResponseStatus.Code)

	require.NoError(t, c.Client.Delete(t.Context(), configMap(c.Namespace, "mine")))
	require.NoError(t, c.Client.Create(t.Context(), configMap(c.Namespace, "mine")))
	events, err = creates.Events()
	require.NoError(t, err)
	require.Len(t, events, 2, "a reader goes on where it stopped and keeps what it has read")
}

func TestRestartKeepsObjectsUsersAndAddress(t *testing.T) {
	c := testcluster.New(t)
	user := c.UserClient("carol", "system:masters")
	require.NoError(t, c.Client.Create(t.Context(), configMap(c.Namespace, "kept")))

	c.StopControlPlane()
	require.Error(t, c.Client.Get(t.Context(), client.ObjectKey{Namespace: c.Namespace, Name: "kept"}, &corev1.ConfigMap{}))
	c.StartControlPlane()

	for _, k := range []client.Client{c.Client, user} {
		require.NoError(t, k.Get(t.Context(), client.ObjectKey{Namespace: c.Namespace, Name: "kept"}, &corev1.ConfigMap{}))
	}
}

// SPDX-License-Identifier: Apache-2.0

package controlplane_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lictor-dev/lictor/tests/controlplane"
)

// patience is far more than any wait here takes on a quiet machine.
const patience = time.Minute

// start starts a control plane on dir; the returned function stops it and says that it left nothing but files.
func start(t *testing.T, o controlplane.Options) (*controlplane.ControlPlane, *rest.Config, func()) {
	t.Helper()
	o.NoFsync = true
	cp, err := controlplane.Start(t.Context(), o)
	require.NoError(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", cp.Kubeconfig())
	require.NoError(t, err)
	config.QPS = -1
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		require.NoError(t, cp.Stop())
		requireNothingListens(t, o.Dir, config.Host)
	}
	t.Cleanup(stop)
	return cp, config, stop
}

func requireNothingListens(t *testing.T, dir, host string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type()&fs.ModeSocket != 0 {
			t.Errorf("socket left behind: %s", path)
		}
		return err
	}))
	connection, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp", strings.TrimPrefix(host, "https://"))
	if err == nil {
		_ = connection.Close()
		t.Errorf("someone still listens on %s", host)
	}
}

func clientset(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func eventually(t *testing.T, condition wait.ConditionWithContextFunc) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, condition))
}

func TestControllersGiveObjectsTheirLife(t *testing.T) {
	_, config, stop := start(t, controlplane.Options{Dir: t.TempDir()})
	client := clientset(t, config)

	version, err := client.ServerVersion()
	require.NoError(t, err)
	require.NotEmpty(t, version.Major, "built without the version that Kubernetes needs to know of itself")

	t.Run("service account of a new namespace", func(t *testing.T) {
		eventually(t, func(ctx context.Context) (bool, error) {
			_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
			return err == nil, nil
		})
	})
	t.Run("garbage collection", func(t *testing.T) {
		maps := client.CoreV1().ConfigMaps("default")
		owner, err := maps.Create(t.Context(), configMap("owner"), metav1.CreateOptions{})
		require.NoError(t, err)
		owned := configMap("owned")
		owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}
		_, err = maps.Create(t.Context(), owned, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, maps.Delete(t.Context(), owner.Name, metav1.DeleteOptions{}))
		eventually(t, func(ctx context.Context) (bool, error) {
			_, err := maps.Get(ctx, owned.Name, metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		})
	})
	t.Run("namespace deletion", func(t *testing.T) {
		namespaces := client.CoreV1().Namespaces()
		_, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, namespaces.Delete(t.Context(), "gone", metav1.DeleteOptions{}))
		eventually(t, func(ctx context.Context) (bool, error) {
			_, err := namespaces.Get(ctx, "gone", metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		})
	})
	stop()
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestRestartKeepsDataCertificatesAndTokens(t *testing.T) {
	dir := t.TempDir()
	_, before, stop := start(t, controlplane.Options{Dir: dir})
	client := clientset(t, before)
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("kept"), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().ServiceAccounts("default").Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "robot",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	stop()

	_, after, _ := start(t, controlplane.Options{Dir: dir})
	require.Equal(t, before.CAData, after.CAData)
	// The client certificate of before, at the address of now.
	old := rest.CopyConfig(before)
	old.Host = after.Host
	_, err = clientset(t, old).CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)

	robot := rest.AnonymousClientConfig(after)
	robot.BearerToken = token.Status.Token
	review, err := clientset(t, robot).AuthenticationV1().SelfSubjectReviews().Create(t.Context(),
		&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, "system:serviceaccount:default:robot", review.Status.UserInfo.Username)
}

func TestStopDoesNotWaitForWatches(t *testing.T) {
	_, config, stop := start(t, controlplane.Options{Dir: t.TempDir()})
	watch, err := clientset(t, config).CoreV1().ConfigMaps("").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer watch.Stop()
	begin := time.Now()
	stop()
	require.Less(t, time.Since(begin), 10*time.Second)
}

func TestAuditLogHoldsARequestWhenItsAnswerEnds(t *testing.T) {
	cp, config, _ := start(t, controlplane.Options{Dir: t.TempDir(), AuditLevel: auditv1.LevelRequestResponse})
	_, err := clientset(t, config).CoreV1().ConfigMaps("default").Create(t.Context(), configMap("seen"), metav1.CreateOptions{})
	require.NoError(t, err)

	file, err := os.Open(cp.AuditLog())
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	found := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var event auditv1.Event
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event))
		if event.ObjectRef != nil && event.ObjectRef.Name == "seen" {
			found = true
			require.Equal(t, "create", event.Verb)
			require.Equal(t, auditv1.StageResponseComplete, event.Stage)
			require.Equal(t, auditv1.LevelMetadata, event.Level, "bodies are logged for our own groups alone")
		}
	}
	require.True(t, found)
}

func TestOnlyTheOwnerReadsTheKeys(t *testing.T) {
	dir := t.TempDir()
	start(t, controlplane.Options{Dir: dir})
	for _, name := range []string{"ca.key", "sa.key", "front-proxy-ca.key", "apiserver.key", "kubeconfig", "audit.log"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), name)
	}
}

func TestRefusesBadOptions(t *testing.T) {
	for name, c := range map[string]struct {
		reason  string
		options controlplane.Options
		want    error
	}{
		"long path": {
			reason:  "a unix socket's address would be cut off",
			options: controlplane.Options{Dir: filepath.Join(t.TempDir(), strings.Repeat("long", 40))},
			want:    controlplane.ErrPathTooLong,
		},
		"audit level": {
			reason:  "level None would leave tests without the log that they judge by",
			options: controlplane.Options{Dir: t.TempDir(), AuditLevel: auditv1.LevelNone},
			want:    controlplane.ErrAuditLevel,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := controlplane.Start(t.Context(), c.options)
			require.ErrorIs(t, err, c.want, c.reason)
		})
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := controlplane.Start(t.Context(), controlplane.Options{Dir: dir, NoFsync: true, APIServerArgs: []string{"--no-such-flag"}})
	require.ErrorContains(t, err, "no-such-flag")
	_, config, stop := start(t, controlplane.Options{Dir: dir})
	require.NotEmpty(t, config.Host, "the folder of a failed start is usable")
	stop()
}

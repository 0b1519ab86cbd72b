// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	logsapi "k8s.io/component-base/logs/api/v1"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// readyPoll is short, because a suite waits for it before its first test.
const readyPoll = 20 * time.Millisecond

// newAPIServer builds the API server that will serve on listener. It uses the parts of upstream's command, not the
// command itself: that one installs signal handlers of its own.
func newAPIServer(ctx context.Context, listener net.Listener, args []string) (*aggregator.APIAggregator, error) {
	opts, err := parseAPIServerArgs(args)
	if err != nil {
		return nil, err
	}
	opts.SecureServing.Listener = listener
	completed, err := opts.Complete(ctx)
	if err != nil {
		return nil, fmt.Errorf("complete options: %w", err)
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return nil, fmt.Errorf("validate options: %w", utilerrors.NewAggregate(errs))
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, fmt.Errorf("configure: %w", err)
	}
	complete, err := config.Complete()
	if err != nil {
		return nil, fmt.Errorf("complete configuration: %w", err)
	}
	return app.CreateServerChain(complete)
}

func parseAPIServerArgs(args []string) (*options.ServerRunOptions, error) {
	opts := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range opts.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(args); err != nil {
		return nil, fmt.Errorf("parse flags: %w", err)
	}
	// Feature gates and versions are process-wide upstream and must be set before options are completed.
	if err := opts.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, fmt.Errorf("set feature gates: %w", err)
	}
	// So is logging, which refuses to be applied twice unless told otherwise: a process may start again after a stop.
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	if err := logsapi.ValidateAndApply(opts.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return nil, fmt.Errorf("set up logging: %w", err)
	}
	return opts, nil
}

func apiServerArgs(o Options, port uint16) []string {
	file := func(name string) string { return filepath.Join(o.Dir, name) }
	etcd := socketURL(o.Dir, clientSocket)
	args := []string{
		"--etcd-servers=" + etcd.String(),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		// Nobody reaches this server through the Service network: do not keep its Endpoints.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + file(serverPair+".crt"),
		"--tls-private-key-file=" + file(serverPair+".key"),
		"--client-ca-file=" + file(clientCA+".crt"),
		"--requestheader-client-ca-file=" + file(frontProxyCA+".crt"),
		"--requestheader-allowed-names=" + frontProxyPair,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + file(frontProxyPair+".crt"),
		"--proxy-client-key-file=" + file(frontProxyPair+".key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + file(serviceAccount+".key"),
		"--service-account-signing-key-file=" + file(serviceAccount+".key"),
		"--authorization-mode=RBAC",
		"--profiling=false",
		// A positive value makes a stop end watches at once, whose clients would otherwise hold it up for a minute.
		"--shutdown-watch-termination-grace-period=5s",
	}
	args = append(args, auditArgs(o.Dir)...)
	if o.AuthenticationConfig != "" {
		args = append(args, "--authentication-config="+o.AuthenticationConfig)
	}
	return append(args, o.APIServerArgs...)
}

// waitReady returns once /readyz says so, or with the cause of ctx's end.
func waitReady(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextCancel(ctx, readyPoll, true, func(ctx context.Context) (bool, error) {
		_, last = client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("API server did not become ready: %w (last answer: %w)", context.Cause(ctx), last)
	}
	return nil
}

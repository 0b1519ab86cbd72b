// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"go.uber.org/zap/zapcore"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	decisionv1 "github.com/lictor-dev/lictor/api/decision/v1"
	"github.com/lictor-dev/lictor/bundles"
	"github.com/lictor-dev/lictor/reconciler"
	"github.com/lictor-dev/lictor/reconciler/kernel"
	"github.com/lictor-dev/lictor/rego"
)

// requestTimeout bounds every request but watches. The API server itself gives up after 60 s.
const requestTimeout = 30 * time.Second

// controllerOptions are the flags of `lictor controller`.
type controllerOptions struct {
	kubeconfig      string
	bundles         []string
	namespace       string
	decisionTimeout time.Duration
	metricsAddress  string
	healthAddress   string
	logFormat       string
	logLevel        int
	leaderElect     bool
	leader          reconciler.LeaderConfig
}

func controllerCommand() *cobra.Command {
	o := &controllerOptions{}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Reconcile what the active bundles register",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; default: $KUBECONFIG, then in-cluster")
	f.StringArrayVar(&o.bundles, "bundle", nil, "bundle folder or .tar.gz that replaces the shipped bundle of its name, or joins the others; watched (repeatable)")
	f.StringVar(&o.namespace, "namespace", "", "only this namespace; default: all")
	f.DurationVar(&o.decisionTimeout, "decision-timeout", rego.DefaultTimeout, "longest time for one decision")
	f.StringVar(&o.metricsAddress, "metrics-bind-address", ":8080", "address of /metrics and /bundles; 0 for none")
	f.StringVar(&o.healthAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz; 0 for none")
	f.StringVar(&o.logFormat, "log-format", "json", "json or console")
	f.IntVar(&o.logLevel, "v", 0, "log verbosity")
	f.BoolVar(&o.leaderElect, "leader-elect", true, "take part in leader election; false only for a process that is the only one")
	f.StringVar(&o.leader.Namespace, "leader-election-namespace", "", "namespace of the Lease; default: the pod's own, then default")
	f.StringVar(&o.leader.Name, "leader-election-id", "lictor-controller", "name of the Lease")
	f.DurationVar(&o.leader.LeaseDuration, "leader-election-lease-duration", 15*time.Second, "how long others wait after the leader's last renewal")
	f.DurationVar(&o.leader.RenewDeadline, "leader-election-renew-deadline", 10*time.Second, "how long the leader acts after its last renewal")
	f.DurationVar(&o.leader.RetryPeriod, "leader-election-retry-period", 2*time.Second, "how often renewal is tried")
	return cmd
}

func (o *controllerOptions) run(ctx context.Context) error {
	useOneProcessor()
	go tendMemory(ctx)
	log, err := o.logger()
	if err != nil {
		return err
	}
	ctrl.SetLogger(log)
	cfg, err := o.restConfig()
	if err != nil {
		return err
	}
	mgr, err := o.manager(cfg, log)
	if err != nil {
		return err
	}
	c, err := o.assemble(cfg, mgr, log)
	if err != nil {
		return err
	}
	if err := mgr.Add(manager.RunnableFunc(c.start)); err != nil {
		return err
	}
	log.Info("Starting", "apiServer", cfg.Host, "bundleOverrides", o.bundles)
	return mgr.Start(ctx)
}

// useOneProcessor limits Go to one processor unless $GOMAXPROCS says otherwise. A controller waits for the API server most of
// the time; a second processor is spent on looking for work, and taken from the API server where they share a machine: with
// one, a claim costs a third less CPU (docs/benchmarks.md).
func useOneProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

func (o *controllerOptions) logger() (logr.Logger, error) {
	level := zap.Level(zapcore.Level(-o.logLevel))
	switch o.logFormat {
	case "json":
		return zap.New(level, zap.UseDevMode(false), zap.StacktraceLevel(zapcore.DPanicLevel)), nil
	case "console":
		return zap.New(level, zap.ConsoleEncoder(), zap.StacktraceLevel(zapcore.DPanicLevel)), nil
	default:
		return logr.Logger{}, fmt.Errorf("--log-format must be json or console, not %q", o.logFormat)
	}
}

func (o *controllerOptions) restConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no usable cluster configuration (--kubeconfig, $KUBECONFIG, in-cluster): %w", err)
	}
	cfg.QPS = -1 // the API server's priority and fairness limits us better than a guess here
	cfg.UserAgent = "lictor-controller"
	return cfg, nil
}

func (o *controllerOptions) manager(cfg *rest.Config, log logr.Logger) (ctrl.Manager, error) {
	scheme := apiruntime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	cacheOptions := cache.Options{
		DefaultTransform:             cache.TransformStripManagedFields(),
		ReaderFailOnMissingInformer:  true,      // a read never starts a watch: registrations say what is watched
		DefaultUnsafeDisableDeepCopy: new(true), // nothing changes cached objects; copying them costs more than a decision
	}
	if o.namespace != "" {
		cacheOptions.DefaultNamespaces = map[string]cache.Config{o.namespace: {}}
	}
	return ctrl.NewManager(cfg, ctrl.Options{
		Scheme: scheme, Cache: cacheOptions, Logger: log, MapperProvider: newMapper,
		Metrics:                server.Options{BindAddress: o.metricsAddress},
		HealthProbeBindAddress: o.healthAddress,
	})
}

// controller is the assembled process.
type controller struct {
	engine *rego.Engine
	source *rego.Source
	host   *reconciler.Host
	log    logr.Logger
}

func (o *controllerOptions) assemble(cfg *rest.Config, mgr ctrl.Manager, log logr.Logger) (*controller, error) {
	direct := rest.CopyConfig(cfg)
	direct.Timeout = o.requestTimeout()
	apiClient, err := client.New(direct, client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, err
	}
	engine, err := o.engine(mgr, log)
	if err != nil {
		return nil, err
	}
	leader, err := o.newLeader(direct)
	if err != nil {
		return nil, err
	}
	reconcilerMetrics, err := reconciler.NewMetrics(metrics.Registry)
	if err != nil {
		return nil, err
	}
	c := &controller{engine: engine, log: log}
	c.source = &rego.Source{Shipped: bundles.FS(), Names: bundles.Names(), Overrides: o.bundles}
	c.host = reconciler.NewHost(reconciler.Config{
		Engine: engine, Cache: mgr.GetCache(), Client: apiClient, Namespace: o.namespace, Leader: leader,
		Metrics: reconcilerMetrics, Now: time.Now, Log: log,
		Kernel: &kernel.Kernel{Client: apiClient, Cache: mgr.GetCache(), Fence: leader.Fence,
			Events: &eventRecorder{recorder: mgr.GetEventRecorder("lictor")}},
	})
	return c, c.serve(mgr)
}

// requestTimeout ends every request before another process could lead.
func (o *controllerOptions) requestTimeout() time.Duration {
	if !o.leaderElect {
		return requestTimeout
	}
	return min(requestTimeout, o.leader.LeaseDuration-o.leader.RenewDeadline)
}

func (o *controllerOptions) engine(mgr ctrl.Manager, log logr.Logger) (*rego.Engine, error) {
	schemas, err := bundles.Schemas()
	if err != nil {
		return nil, err
	}
	var registry prometheus.Registerer = metrics.Registry
	engineMetrics, err := rego.NewMetrics(registry)
	if err != nil {
		return nil, err
	}
	return rego.NewEngine(rego.Config{
		Schemas: schemas, Check: reconciler.CheckBundles(mgr.GetRESTMapper()), Timeout: o.decisionTimeout,
		Metrics: engineMetrics, Log: log.WithName("bundles"), Required: requiredBundles(),
	})
}

// requiredBundles are the bundles and entrypoints without which this role has nothing to do.
func requiredBundles() map[string][]rego.Entrypoint {
	return map[string][]rego.Entrypoint{
		"lib": nil,
		"claims": {
			{Path: "lictor.claims.step", Output: decisionv1.SchemaStep},
			{Path: "lictor.claims.rank", Output: decisionv1.SchemaRank},
		},
		"pools": {
			{Path: "lictor.pools.plan", Output: decisionv1.SchemaStep},
			{Path: "lictor.pools.rank", Output: decisionv1.SchemaRank},
		},
	}
}

func (o *controllerOptions) newLeader(cfg *rest.Config) (*reconciler.Leader, error) {
	if !o.leaderElect {
		return reconciler.NoElection(), nil
	}
	l := o.leader
	if l.Namespace == "" {
		l.Namespace = podNamespace()
	}
	hostname, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	l.Identity = hostname + "_" + uuid.NewString()
	return reconciler.NewLeader(cfg, l)
}

// podNamespace is the namespace of the pod that this process runs in, or default outside of one.
func podNamespace() string {
	b, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
	if err != nil {
		return "default"
	}
	return strings.TrimSpace(string(b))
}

// serve adds the health checks, and what /bundles tells.
func (c *controller) serve(mgr ctrl.Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("ready", func(*http.Request) error { return c.host.Ready() }); err != nil {
		return err
	}
	return mgr.AddMetricsServerExtraHandler("/bundles", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(c.engine.Status()) // the reader went away: nobody to tell
	}))
}

// activationRetry is how soon a failed first activation is tried again, such as before the CRDs are installed.
const activationRetry = 2 * time.Second

// start activates the bundles, then reconciles until the context ends. Without active bundles it never gets further.
func (c *controller) start(ctx context.Context) error {
	for !c.activate(ctx) {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(activationRetry):
		}
	}
	watching := make(chan error, 1)
	go func() { watching <- c.source.Watch(ctx, c.engine, c.log.WithName("bundles")) }()
	go func() {
		if err := <-watching; err != nil {
			c.log.Error(err, "Bundles are not watched any more; restart to take up changes")
		}
	}()
	return c.host.Start(ctx)
}

func (c *controller) activate(ctx context.Context) bool {
	loaded, err := c.source.Load()
	if err != nil {
		c.engine.Refuse(err)
		return false
	}
	return c.engine.Activate(ctx, loaded) == nil // Activate logs why not
}

// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

const (
	// gcDiscovery is how soon the garbage collector learns of a new kind. Upstream takes 30 s, too long to wait for
	// in a test that has just installed CRDs.
	gcDiscovery = 5 * time.Second
	// gcInitialSync and the two periods below are upstream's.
	gcInitialSync   = 30 * time.Second
	informerResync  = 10 * time.Hour
	namespaceResync = 5 * time.Minute

	gcWorkers        = 10
	namespaceWorkers = 5
)

// controllers are the loops of kube-controller-manager that this control plane needs, in this process.
type controllers struct {
	client   *kubernetes.Clientset
	metadata metadata.Interface
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	typed    informers.SharedInformerFactory
	partial  metadatainformer.SharedInformerFactory

	cancel context.CancelFunc
	loops  sync.WaitGroup
}

// startControllers starts all loops. They end when stop is called, not before.
func startControllers(ctx context.Context, config *rest.Config) (*controllers, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &controllers{
		client:   client,
		metadata: meta,
		mapper:   restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery())),
		typed:    informers.NewSharedInformerFactory(client, informerResync),
		partial:  metadatainformer.NewSharedInformerFactory(meta, informerResync),
		cancel:   cancel,
	}
	if err := c.run(ctx); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

// stop ends all loops and returns when they have ended.
func (c *controllers) stop() {
	c.cancel()
	c.loops.Wait()
	c.typed.Shutdown()
	c.partial.Shutdown()
}

func (c *controllers) run(ctx context.Context) error {
	accounts, err := c.serviceAccounts(ctx)
	if err != nil {
		return fmt.Errorf("service account controller: %w", err)
	}
	policies, err := c.policyStatus()
	if err != nil {
		return fmt.Errorf("policy status controller: %w", err)
	}
	informersStarted := make(chan struct{})
	collector, err := c.garbageCollector(ctx, informersStarted)
	if err != nil {
		return fmt.Errorf("garbage collector: %w", err)
	}
	namespaces := c.namespaces(ctx)
	roles := clusterroleaggregation.NewClusterRoleAggregation(c.typed.Rbac().V1().ClusterRoles(), c.client.RbacV1())

	c.typed.Start(ctx.Done())
	c.partial.Start(ctx.Done())
	close(informersStarted)
	c.loops.Go(func() { accounts.Run(ctx, 1) })
	c.loops.Go(func() { policies.Run(ctx, 1) })
	c.loops.Go(func() { roles.Run(ctx, 1) })
	c.loops.Go(func() { namespaces.Run(ctx, namespaceWorkers) })
	c.loops.Go(func() { collector.Run(ctx, gcWorkers, gcInitialSync) })
	c.loops.Go(func() { collector.Sync(ctx, c.client.Discovery(), gcDiscovery) })
	return nil
}

func (c *controllers) namespaces(ctx context.Context) *namespace.NamespaceController {
	return namespace.NewNamespaceController(ctx, c.client, c.metadata,
		c.client.Discovery().ServerPreferredNamespacedResources,
		c.typed.Core().V1().Namespaces(), namespaceResync, corev1.FinalizerKubernetes)
}

func (c *controllers) serviceAccounts(ctx context.Context) (*serviceaccount.ServiceAccountsController, error) {
	return serviceaccount.NewServiceAccountsController(klog.FromContext(ctx),
		c.typed.Core().V1().ServiceAccounts(), c.typed.Core().V1().Namespaces(), c.client,
		serviceaccount.DefaultServiceAccountsControllerOptions())
}

func (c *controllers) policyStatus() (*validatingadmissionpolicystatus.Controller, error) {
	schemas := resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, scheme.Scheme, apiextensionsscheme.Scheme).
		Combine(&resolver.ClientDiscoveryResolver{Discovery: c.client.Discovery()})
	return validatingadmissionpolicystatus.NewController(
		c.typed.Admissionregistration().V1().ValidatingAdmissionPolicies(),
		c.client.AdmissionregistrationV1().ValidatingAdmissionPolicies(),
		&validating.TypeChecker{SchemaResolver: schemas, RestMapper: c.mapper})
}

func (c *controllers) garbageCollector(ctx context.Context, informersStarted chan struct{}) (*garbagecollector.GarbageCollector, error) {
	return garbagecollector.NewGarbageCollector(ctx, c.client, c.metadata, c.mapper,
		garbagecollector.DefaultIgnoredResources(), informerfactory.NewInformerFactory(c.typed, c.partial), informersStarted)
}

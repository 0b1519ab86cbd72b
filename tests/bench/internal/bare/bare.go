// SPDX-License-Identifier: Apache-2.0

// Package bare is the client that the controller is compared with: it watches claims and makes the three writes of a
// bind for each, and decides nothing.
package bare

import (
	"context"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lictor-dev/lictor/tests/bench/internal/api"
)

// Agent is the client's user agent.
const Agent = "lictor-bench-bare"

// Options say where to bind, and with how many workers.
type Options struct {
	Kubeconfig string
	Namespace  string
	Workers    int
}

// pending is more claims than ever wait at once.
const pending = 1 << 14

// binder hands members out in the order in which they were listed.
type binder struct {
	client    *api.Client
	namespace string

	mu   sync.Mutex
	free map[string][]api.Metadata // by pool
}

// Run binds every claim that is created from now on, until the context ends. It says READY when it watches.
func Run(ctx context.Context, o Options, out io.Writer) error {
	config, err := clientcmd.BuildConfigFromFlags("", o.Kubeconfig)
	if err != nil {
		return err
	}
	b := &binder{namespace: o.Namespace, free: map[string][]api.Metadata{}}
	if b.client, err = api.New(config, Agent); err != nil {
		return err
	}
	if err := b.listMembers(ctx); err != nil {
		return err
	}
	path := api.Path(o.Namespace, api.Claims)
	_, from, err := b.client.List(ctx, path+"?limit=1")
	if err != nil {
		return err
	}
	claims := make(chan *api.Object, pending)
	group, ctx := errgroup.WithContext(ctx)
	for range o.Workers {
		group.Go(func() error { return b.work(ctx, claims) })
	}
	group.Go(func() error {
		return b.client.Watch(ctx, path, from, func(kind string, claim *api.Object) {
			if kind == "ADDED" {
				claims <- claim
			}
		})
	})
	if _, err := fmt.Fprintln(out, "READY"); err != nil {
		return err
	}
	return group.Wait()
}

func (b *binder) listMembers(ctx context.Context) error {
	members, _, err := b.client.List(ctx, api.Path(b.namespace, api.Machines))
	if err != nil {
		return err
	}
	for i := range members {
		pool := members[i].Metadata.Labels["banlieue.io/pool"]
		b.free[pool] = append(b.free[pool], members[i].Metadata)
	}
	return nil
}

func (b *binder) work(ctx context.Context, claims <-chan *api.Object) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case claim := <-claims:
			member, err := b.take(claim.Spec.PoolRef.Name)
			if err != nil {
				return err
			}
			if err := b.client.Bind(ctx, b.namespace, claim, member); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

func (b *binder) take(pool string) (api.Metadata, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	free := b.free[pool]
	if len(free) == 0 {
		return api.Metadata{}, fmt.Errorf("pool %s has no member left", pool)
	}
	b.free[pool] = free[1:]
	return free[0], nil
}

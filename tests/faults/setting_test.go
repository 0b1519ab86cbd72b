// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

// imageName is an image that every pool of this package is built from; images belong to the whole cluster.
const imageName = "faults"

// setting is a namespace under fault: a cluster, a recorder and a machine simulator.
type setting struct {
	*testcluster.Cluster
	t        *testing.T
	recorder *recorder
}

func newSetting(t *testing.T, behaviour simulation) *setting {
	t.Helper()
	c := testcluster.New(t)
	s := &setting{Cluster: c, t: t, recorder: record(t, c)}
	if err := c.Client.Create(t.Context(), builders.VMImage(imageName)); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatalf("create image: %v", err)
	}
	simulate(t, c.Client, s.recorder, behaviour)
	return s
}

func (s *setting) create(o client.Object) {
	s.t.Helper()
	if err := s.Client.Create(s.t.Context(), o); err != nil {
		s.t.Fatalf("create %s: %v", o.GetName(), err)
	}
}

func (s *setting) delete(o client.Object) {
	s.t.Helper()
	if err := client.IgnoreNotFound(s.Client.Delete(s.t.Context(), o)); err != nil {
		s.t.Fatalf("delete %s: %v", o.GetName(), err)
	}
}

func (s *setting) pool(name string, warm, most int32, options ...builders.Option[banlieue.VirtualMachinePool]) {
	s.t.Helper()
	options = append([]builders.Option[banlieue.VirtualMachinePool]{
		builders.PoolSize(warm, most), builders.PoolSurge(most), builders.PoolImage(imageName),
	}, options...)
	s.create(builders.Pool(s.Namespace, name, options...))
}

// filled waits until the pools are warm.
func (s *setting) filled() {
	s.t.Helper()
	eventually(s.t, "pools are warm", func(ctx context.Context) error { return atRest(ctx, s.Cluster) })
}

// bound waits until a claim is bound.
func (s *setting) bound(name string) {
	s.t.Helper()
	eventually(s.t, "claim "+name+" is bound", func(ctx context.Context) error {
		var claim banlieue.VirtualMachineClaim
		if err := s.Client.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: name}, &claim); err != nil {
			return err
		}
		if claim.Status.Phase != banlieue.ClaimBound {
			return fmt.Errorf("phase %s, conditions %v", claim.Status.Phase, claim.Status.Conditions)
		}
		return nil
	})
}

// gone waits until a claim does not exist.
func (s *setting) gone(name string) {
	s.t.Helper()
	eventually(s.t, "claim "+name+" is gone", func(ctx context.Context) error {
		var claim banlieue.VirtualMachineClaim
		err := s.Client.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: name}, &claim)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("phase %s, deleted %v, finalizers %v: %w", claim.Status.Phase, claim.DeletionTimestamp, claim.Finalizers, err)
	})
}

func listAll(ctx context.Context, c *testcluster.Cluster) (
	pools banlieue.VirtualMachinePoolList, members banlieue.VirtualMachineList, claims banlieue.VirtualMachineClaimList, err error,
) {
	in := client.InNamespace(c.Namespace)
	for _, list := range []client.ObjectList{&pools, &members, &claims} {
		if err = c.Client.List(ctx, list, in); err != nil {
			return pools, members, claims, fmt.Errorf("list: %w", err)
		}
	}
	return pools, members, claims, nil
}

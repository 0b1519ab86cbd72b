// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/cmd/lictor/internal/dev/pretend"
)

// startObserving begins to tell of claims and bundles and, if so asked, to pretend machines. It goes on until
// stopObserving.
func (w *world) startObserving(ctx context.Context, config *rest.Config) error {
	log := zap.New(zap.ConsoleEncoder(), zap.WriteTo(w.log))
	ctrl.SetLogger(log)
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: w.client.Scheme(), Logger: log, Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return fmt.Errorf("watch the API server: %w", err)
	}
	claims, err := mgr.GetCache().GetInformer(ctx, &v1alpha1.VirtualMachineClaim{})
	if err != nil {
		return fmt.Errorf("watch claims: %w", err)
	}
	if _, err := claims.AddEventHandler(claimLines(w.screen)); err != nil {
		return fmt.Errorf("watch claims: %w", err)
	}
	if w.config.Machines == MachinesPretend {
		if err := pretend.AddTo(mgr); err != nil {
			return fmt.Errorf("pretend machines: %w", err)
		}
	}
	observing, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stopObserving = stop
	w.observers.Go(func() { w.bundles.watch(observing) })
	w.observers.Go(func() { w.observed <- mgr.Start(observing) })
	return nil
}

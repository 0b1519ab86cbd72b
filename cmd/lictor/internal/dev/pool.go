// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// warmTimeout is many times what pretended members take. Policy may have reasons to take longer, so the start then goes on.
const warmTimeout = 20 * time.Second

// awaitPool waits until the demo's pool is warm, or until it is clear that this is somebody else's to bring about.
func (w *world) awaitPool(ctx context.Context) error {
	if w.config.Machines == MachinesNone {
		w.screen.line("--machines=none: members get ready when you set their condition, GuestReady")
		return nil
	}
	w.screen.line("no hypervisor yet: members are only pretended to run (--machines=pretend)")
	return w.screen.step("filling the pool "+demoPool, func() (string, error) {
		var pool v1alpha1.VirtualMachinePool
		waiting, cancel := context.WithTimeout(ctx, warmTimeout)
		defer cancel()
		// The time being up is no error: the pool's own words follow.
		_ = wait.PollUntilContextCancel(waiting, poll, true, func(ctx context.Context) (bool, error) {
			err := w.client.Get(ctx, client.ObjectKey{Namespace: demoNamespace, Name: demoPool}, &pool)
			return err == nil && meta.IsStatusConditionTrue(pool.Status.Conditions, v1alpha1.ConditionWarm), nil
		})
		return describePool(&pool), ctx.Err()
	})
}

func describePool(pool *v1alpha1.VirtualMachinePool) string {
	text := fmt.Sprintf("%d/%d warm", pool.Status.Available, pool.Spec.WarmReplicas)
	warm := meta.FindStatusCondition(pool.Status.Conditions, v1alpha1.ConditionWarm)
	switch {
	case warm == nil:
		return text + ", and it says nothing about itself"
	case warm.Status != "True":
		return text + ", going on: " + warm.Message
	default:
		return text
	}
}

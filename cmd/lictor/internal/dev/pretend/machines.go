// SPDX-License-Identifier: Apache-2.0

// Package pretend stands in for a hypervisor where there is none: a moment after a VirtualMachine was created, its
// status says that it runs. Nothing runs. It needs the rights to watch VirtualMachines and to apply their status.
package pretend

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// bootTime is short enough not to keep anybody waiting, and long enough to be seen.
const bootTime = time.Second

type machines struct{ client client.Client }

// AddTo lets the manager pretend machines.
func AddTo(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1alpha1.VirtualMachine{}).Complete(&machines{client: mgr.GetClient()})
}

// Reconcile makes a machine ready, once.
func (m *machines) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var vm v1alpha1.VirtualMachine
	if err := m.client.Get(ctx, request.NamespacedName, &vm); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if vm.DeletionTimestamp != nil || meta.FindStatusCondition(vm.Status.Conditions, v1alpha1.ConditionGuestReady) != nil {
		return ctrl.Result{}, nil
	}
	if left := time.Until(vm.CreationTimestamp.Add(bootTime)); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	err := m.client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(running(&vm, time.Now())),
		client.FieldOwner("lictor-dev-pretend"), client.ForceOwnership)
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

// running is the status of a machine that runs.
func running(vm *v1alpha1.VirtualMachine, now time.Time) *unstructured.Unstructured {
	condition := func(kind, reason string) any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "message": "Pretended: there is no hypervisor.",
			"lastTransitionTime": now.UTC().Format(time.RFC3339)}
	}
	object := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"observedPowerState": string(v1alpha1.PoweredOn),
		"conditions": []any{
			condition(v1alpha1.ConditionInfrastructureReady, v1alpha1.ReasonReconciled),
			condition(v1alpha1.ConditionGuestReady, v1alpha1.ReasonGuestAnnounced),
			condition(v1alpha1.ConditionReady, v1alpha1.ReasonReconciled),
		},
	}}}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("VirtualMachine"))
	object.SetNamespace(vm.Namespace)
	object.SetName(vm.Name)
	object.SetUID(vm.UID) // not a namesake that came after it
	return object
}

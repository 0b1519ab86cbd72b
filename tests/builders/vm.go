// SPDX-License-Identifier: Apache-2.0

package builders

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// VM is a machine of the class "class" and the image "image".
func VM(namespace, name string, options ...Option[v1alpha1.VirtualMachine]) *v1alpha1.VirtualMachine {
	return build(&v1alpha1.VirtualMachine{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VirtualMachine"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.VirtualMachineSpec{
			ClassRef: v1alpha1.LocalObjectReference{Name: "class"},
			ImageRef: v1alpha1.LocalObjectReference{Name: "image"},
		},
	}, options)
}

// VMMemberOf makes the machine an unclaimed member of a pool, built from an image revision: the pool's template,
// labels and controller owner reference. The pool needs its UID.
func VMMemberOf(pool *v1alpha1.VirtualMachinePool, revision string) Option[v1alpha1.VirtualMachine] {
	return func(vm *v1alpha1.VirtualMachine) {
		vm.Spec = *pool.Spec.Template.Spec.DeepCopy()
		VMLabel(v1alpha1.LabelPool, pool.Name)(vm)
		VMLabel(v1alpha1.LabelPoolImageRevision, revision)(vm)
		vm.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pool,
			v1alpha1.GroupVersion.WithKind("VirtualMachinePool"))}
	}
}

// VMLabel sets a label.
func VMLabel(key, value string) Option[v1alpha1.VirtualMachine] {
	return func(vm *v1alpha1.VirtualMachine) { metav1.SetMetaDataLabel(&vm.ObjectMeta, key, value) }
}

// VMCondition sets a condition in the status.
func VMCondition(
	conditionType string, status metav1.ConditionStatus, reason string, since time.Time,
) Option[v1alpha1.VirtualMachine] {
	return func(vm *v1alpha1.VirtualMachine) {
		vm.Status.Conditions = putCondition(vm.Status.Conditions, Condition(conditionType, status, reason, since))
	}
}

// VMGuestReady says in the status that the guest announced itself at the given time.
func VMGuestReady(since time.Time) Option[v1alpha1.VirtualMachine] {
	return VMCondition(v1alpha1.ConditionGuestReady, metav1.ConditionTrue, v1alpha1.ReasonGuestAnnounced, since)
}

// VMAddress adds an internal IP address to the status.
func VMAddress(address string) Option[v1alpha1.VirtualMachine] {
	return func(vm *v1alpha1.VirtualMachine) {
		vm.Status.Addresses = append(vm.Status.Addresses,
			v1alpha1.MachineAddress{Type: v1alpha1.MachineInternalIP, Address: address})
	}
}

// VMStaticAddress gives an interface a fixed IPv4 address with the prefix length 24.
func VMStaticAddress(nic string, address v1alpha1.IPAddress) Option[v1alpha1.VirtualMachine] {
	return func(vm *v1alpha1.VirtualMachine) {
		vm.Spec.NetworkOverrides = append(vm.Spec.NetworkOverrides, v1alpha1.NetworkOverride{
			Name: nic, Static: v1alpha1.StaticIpamConfig{Address: address, Prefix: 24},
		})
	}
}

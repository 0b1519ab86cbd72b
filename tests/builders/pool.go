// SPDX-License-Identifier: Apache-2.0

package builders

import v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"

// Pool is a pool of one warm and at most three members of the class "class" and the image "image", claimable when
// their guest is ready. Members are never migrated.
func Pool(
	namespace, name string, options ...Option[v1alpha1.VirtualMachinePool],
) *v1alpha1.VirtualMachinePool {
	return build(&v1alpha1.VirtualMachinePool{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VirtualMachinePool"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.VirtualMachinePoolSpec{
			WarmReplicas: 1,
			MaxReplicas:  3,
			Readiness:    v1alpha1.ReadinessGuestReady,
			Template: v1alpha1.PoolTemplate{Spec: v1alpha1.VirtualMachineSpec{
				ClassRef:        v1alpha1.LocalObjectReference{Name: "class"},
				ImageRef:        v1alpha1.LocalObjectReference{Name: "image"},
				MigrationPolicy: v1alpha1.MigrationNever,
			}},
		},
	}, options)
}

// PoolSize sets how many members to keep warm and how many there may be.
func PoolSize(warm, most int32) Option[v1alpha1.VirtualMachinePool] {
	return func(p *v1alpha1.VirtualMachinePool) { p.Spec.WarmReplicas, p.Spec.MaxReplicas = warm, most }
}

// PoolSurge sets how many members may be provisioning at once.
func PoolSurge(most int32) Option[v1alpha1.VirtualMachinePool] {
	return func(p *v1alpha1.VirtualMachinePool) { p.Spec.MaxSurge = most }
}

// PoolReadiness sets the condition that makes a member claimable.
func PoolReadiness(readiness v1alpha1.PoolReadiness) Option[v1alpha1.VirtualMachinePool] {
	return func(p *v1alpha1.VirtualMachinePool) { p.Spec.Readiness = readiness }
}

// PoolImage sets the image that members are built from.
func PoolImage(image string) Option[v1alpha1.VirtualMachinePool] {
	return func(p *v1alpha1.VirtualMachinePool) { p.Spec.Template.Spec.ImageRef.Name = image }
}

// PoolAddresses gives members addresses from these entries on the interface "nic0", with the prefix length 24.
func PoolAddresses(entries ...v1alpha1.AddressEntry) Option[v1alpha1.VirtualMachinePool] {
	return func(p *v1alpha1.VirtualMachinePool) {
		p.Spec.Addressing = &v1alpha1.PoolAddressing{Interface: "nic0", Pool: entries, Prefix: 24}
	}
}

// SPDX-License-Identifier: Apache-2.0

package builders

import v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"

// Claim is a claim for one hour on the pool "pool", for a subject of issuer.example.com.
func Claim(
	namespace, name string, options ...Option[v1alpha1.VirtualMachineClaim],
) *v1alpha1.VirtualMachineClaim {
	return build(&v1alpha1.VirtualMachineClaim{
		TypeMeta:   typeMeta(v1alpha1.GroupVersion, "VirtualMachineClaim"),
		ObjectMeta: objectMeta(namespace, name),
		Spec: v1alpha1.VirtualMachineClaimSpec{
			PoolRef:    v1alpha1.LocalObjectReference{Name: "pool"},
			Subject:    v1alpha1.ClaimSubject{Issuer: "https://issuer.example.com", ID: "248289761001"},
			TTLSeconds: 3600,
		},
	}, options)
}

// ClaimPool sets the pool to draw from.
func ClaimPool(pool string) Option[v1alpha1.VirtualMachineClaim] {
	return func(c *v1alpha1.VirtualMachineClaim) { c.Spec.PoolRef.Name = pool }
}

// ClaimSubject sets the person that the claim is for.
func ClaimSubject(issuer, id string) Option[v1alpha1.VirtualMachineClaim] {
	return func(c *v1alpha1.VirtualMachineClaim) { c.Spec.Subject = v1alpha1.ClaimSubject{Issuer: issuer, ID: id} }
}

// ClaimTTL sets the time to live in seconds.
func ClaimTTL(seconds int64) Option[v1alpha1.VirtualMachineClaim] {
	return func(c *v1alpha1.VirtualMachineClaim) { c.Spec.TTLSeconds = seconds }
}

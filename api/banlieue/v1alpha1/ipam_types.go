// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// IPAddress is one IPv4 or IPv6 address in text form, without a prefix
// length or zone. 45 characters hold the longest text form of an IPv6
// address.
// +kubebuilder:validation:MaxLength=45
// +kubebuilder:validation:XValidation:rule="isIP(self)",message="must be one IPv4 or IPv6 address such as 192.0.2.10 or 2001:db8::10, without a prefix length"
type IPAddress string

// StaticIpamConfig is the complete fixed network configuration of one
// interface.
// +kubebuilder:validation:XValidation:rule="!isIP(self.address) || ip(self.address).family() == 6 || self.prefix <= 32",message="prefix must be at most 32 for an IPv4 address; lower prefix or use an IPv6 address"
// +kubebuilder:validation:XValidation:rule="!has(self.gateway) || !isIP(self.address) || !isIP(self.gateway) || ip(self.address).family() == ip(self.gateway).family()",message="gateway must be of the same IP family as address; use an IPv4 gateway for an IPv4 address and an IPv6 gateway for an IPv6 address"
type StaticIpamConfig struct {
	// address is the IP address of the interface, without its prefix length.
	Address IPAddress `json:"address"`

	// prefix is the prefix length of the interface's subnet, in bits: 0 to 32
	// for IPv4, 0 to 128 for IPv6.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	Prefix int32 `json:"prefix"`

	// gateway is the address of the default router. Left out, it falls back to
	// the subnet that the Provider states for the chosen zone.
	Gateway *IPAddress `json:"gateway,omitempty"`

	// nameservers are the DNS servers of the guest, in order of preference. Left
	// out, they fall back to the subnet that the Provider states for the chosen
	// zone.
	// +kubebuilder:validation:MaxItems=16
	Nameservers []IPAddress `json:"nameservers,omitempty"`

	// domain is the DNS search domain of the guest. Left out, it falls back to
	// the subnet that the Provider states for the chosen zone.
	// +kubebuilder:validation:MaxLength=253
	Domain string `json:"domain,omitempty"`
}

// IpamPool draws an address from a Cluster API IPAM pool.
type IpamPool struct {
	// poolRef names the IPAM pool that hands out the address.
	PoolRef TypedObjectReference `json:"poolRef"`
}

// IpamSpec says where one interface of one machine gets its address from.
// static wins over pool; an empty object means DHCP.
type IpamSpec struct {
	// static is a fixed configuration; when set, pool is ignored.
	Static *StaticIpamConfig `json:"static,omitempty"`

	// pool draws the address from an IPAM pool.
	Pool *IpamPool `json:"pool,omitempty"`
}

// IpamShape says where the interfaces built from a class get their addresses
// from. static wins over pool; an empty object means DHCP.
type IpamShape struct {
	// static holds what machines of the class share when their address is fixed.
	// It has no address: a class is shared, so each machine states its own in
	// networkOverrides.
	Static *StaticIpamShape `json:"static,omitempty"`

	// pool draws each machine's address from an IPAM pool.
	Pool *IpamPool `json:"pool,omitempty"`
}

// StaticIpamShape is a fixed network configuration without the address.
// +kubebuilder:validation:XValidation:rule="!has(self.prefix) || !has(self.gateway) || !isIP(self.gateway) || ip(self.gateway).family() == 6 || self.prefix <= 32",message="prefix must be at most 32 with an IPv4 gateway; lower prefix or use an IPv6 gateway"
type StaticIpamShape struct {
	// prefix is the prefix length of the subnet, in bits: 0 to 32 for IPv4, 0 to
	// 128 for IPv6.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=128
	Prefix *int32 `json:"prefix,omitempty"`

	// gateway is the address of the default router.
	Gateway *IPAddress `json:"gateway,omitempty"`

	// nameservers are the DNS servers of the guest, in order of preference.
	// +kubebuilder:validation:MaxItems=16
	Nameservers []IPAddress `json:"nameservers,omitempty"`

	// domain is the DNS search domain of the guest.
	// +kubebuilder:validation:MaxLength=253
	Domain string `json:"domain,omitempty"`
}

// SubnetShape holds what is common to a subnet; each field is a fallback for
// machines that leave it out.
type SubnetShape struct {
	// gateway is the address of the default router.
	Gateway *IPAddress `json:"gateway,omitempty"`

	// nameservers are the DNS servers of the guest, in order of preference.
	// +kubebuilder:validation:MaxItems=16
	Nameservers []IPAddress `json:"nameservers,omitempty"`

	// domain is the DNS search domain of the guest.
	// +kubebuilder:validation:MaxLength=253
	Domain string `json:"domain,omitempty"`
}

// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs a real Kubernetes control plane in the calling process: etcd, the API server (RBAC,
// default admission plugins, ValidatingAdmissionPolicy, audit log) and the controllers that give its objects their
// usual life (garbage collection, namespace deletion, default service accounts, cluster role aggregation, policy
// status). There is no scheduler and no node.
//
// Everything listens on loopback or on unix sockets inside Options.Dir, and all state lives in that folder: starting
// again on the same folder gives back the same objects, the same certificate authority and the same service account
// keys, so client certificates and tokens issued before stay valid.
//
// It is a module of its own, because the Kubernetes server is no library: it pins its dependencies by replacement,
// which would reach into every package of the main module.
package controlplane

// SPDX-License-Identifier: Apache-2.0

// Package builders makes valid objects of every kind for tests, so that a test states only what matters to it:
//
//	pool := builders.Pool(c.Namespace, "warm", builders.PoolSize(2, 4))
//	claim := builders.Claim(c.Namespace, "mine", builders.ClaimPool(pool.Name), builders.ClaimTTL(60))
//
// Options are plain functions on the object, so a test can write one of its own in place. They run in the order
// given. Each call returns a new object that shares nothing with any other. Objects carry their kind and API
// version. Statuses are set on the object only: the API server takes them through the status subresource.
package builders

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Option changes an object that is being built.
type Option[T any] func(*T)

func build[T any](object *T, options []Option[T]) *T {
	for _, option := range options {
		option(object)
	}
	return object
}

func typeMeta(group schema.GroupVersion, kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: group.String(), Kind: kind}
}

func objectMeta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

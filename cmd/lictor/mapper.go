// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// rememberingMapper remembers mappings that were found: a cache that is limited to namespaces looks one up at every
// read, and finding one takes longer than a decision. What a kind's resource is never changes while it exists.
type rememberingMapper struct {
	meta.RESTMapper
	found sync.Map // schema.GroupVersionKind to *meta.RESTMapping
}

func newMapper(cfg *rest.Config, client *http.Client) (meta.RESTMapper, error) {
	m, err := apiutil.NewDynamicRESTMapper(cfg, client)
	if err != nil {
		return nil, err
	}
	return &rememberingMapper{RESTMapper: m}, nil
}

// RESTMapping implements meta.RESTMapper.
func (m *rememberingMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if len(versions) != 1 {
		return m.RESTMapper.RESTMapping(kind, versions...)
	}
	gvk := kind.WithVersion(versions[0])
	if found, ok := m.found.Load(gvk); ok {
		return found.(*meta.RESTMapping), nil
	}
	mapping, err := m.RESTMapper.RESTMapping(kind, versions...)
	if err == nil {
		m.found.Store(gvk, mapping)
	}
	return mapping, err
}

// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	infrastructure "github.com/lictor-dev/lictor/api/infrastructure/v1alpha1"
	"github.com/lictor-dev/lictor/tests/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

// installed reads this project's CRDs back from the API server, by kind.
func installed(t *testing.T, c client.Reader) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var list apiextensionsv1.CustomResourceDefinitionList
	if err := c.List(t.Context(), &list); err != nil {
		t.Fatalf("list CRDs: %v", err)
	}
	crds := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for i := range list.Items {
		switch crd := &list.Items[i]; crd.Spec.Group {
		case banlieue.GroupName, infrastructure.GroupName:
			crds[crd.Spec.Names.Kind] = crd
		}
	}
	return crds
}

func schemaOf(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.JSONSchemaProps {
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

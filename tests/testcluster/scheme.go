// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	banlieuev1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	infrastructurev1alpha1 "github.com/lictor-dev/lictor/api/infrastructure/v1alpha1"
)

// newScheme knows Kubernetes' own kinds, CRDs and this project's kinds.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(s))
	utilruntime.Must(apiextensionsv1.AddToScheme(s))
	utilruntime.Must(banlieuev1alpha1.AddToScheme(s))
	utilruntime.Must(infrastructurev1alpha1.AddToScheme(s))
	return s
}

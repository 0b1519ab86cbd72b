// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"fmt"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	crdTimeout = 30 * time.Second
	crdPoll    = 50 * time.Millisecond
)

// installCRDs creates or updates the CRDs of deploy/crds and returns when the API server serves them all.
func installCRDs(admin *rest.Config, root string) error {
	_, err := envtest.InstallCRDs(admin, envtest.CRDInstallOptions{
		Paths:              []string{filepath.Join(root, "deploy", "crds")},
		ErrorIfPathMissing: true,
		MaxTime:            crdTimeout,
		PollInterval:       crdPoll,
	})
	if err != nil {
		return fmt.Errorf("install CRDs: %w", err)
	}
	return nil
}

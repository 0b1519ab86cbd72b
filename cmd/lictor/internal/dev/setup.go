// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"fmt"
)

// installCRDs teaches the API server this project's kinds.
func (w *world) installCRDs(ctx context.Context) error {
	crds, err := readFolder(w.config.crds())
	if err != nil {
		return err
	}
	return w.screen.step(fmt.Sprintf("installing %d CRDs from %s", len(crds), w.config.crds()), func() (string, error) {
		if err := apply(ctx, w.client, crds); err != nil {
			return "", err
		}
		return "done", awaitEstablished(ctx, w.client, crds)
	})
}

// installSetup creates the demo's namespaces, users' rights, catalog and pool, and gives the controller its rights.
func (w *world) installSetup(ctx context.Context) error {
	objects, err := readFolder(w.config.setup())
	if err != nil {
		return err
	}
	rights, err := parse(w.config.ControllerRBAC)
	if err != nil {
		return fmt.Errorf("the controller's rights: %w", err)
	}
	return w.screen.step("giving the controller, alice and bob their rights, and making the pool "+demoPool, func() (string, error) {
		return "done", apply(ctx, w.client, append(objects, rights...))
	})
}

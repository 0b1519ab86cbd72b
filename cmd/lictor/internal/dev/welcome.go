// SPDX-License-Identifier: Apache-2.0

package dev

import "path/filepath"

// welcome says where things are and what to try.
func (w *world) welcome() {
	c := w.config
	w.screen.line("logs: %s, controlplane.log; metrics and bundles: %s", c.file("controller.log"), w.metrics)
	w.screen.line("kubeconfigs: %s, %s.kubeconfig, %s.kubeconfig", c.kubeconfig(admin), alice, bob)
	if len(c.Bundles) == 0 {
		w.screen.line(`the shipped policy decides; to edit it live: make dev ARGS="--bundle ./bundles/claims"`)
	}
	w.screen.line("ready; Ctrl-C stops. In another terminal, in this folder, try:\n"+
		"export KUBECONFIG=%s\n%s create -f %s\n%s get vmclaim -w",
		c.kubeconfig(alice), w.kubectl(), filepath.Join(c.Deploy, "dev", "claim.yaml"), w.kubectl())
}

// kubectl is how to call the kubectl that make builds beside the control plane.
func (w *world) kubectl() string {
	return filepath.Join(filepath.Dir(w.config.ControlPlane), "kubectl")
}

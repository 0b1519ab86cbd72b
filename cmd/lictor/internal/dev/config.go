// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"fmt"
	"os"
	"path/filepath"
)

// DefaultPort is the API server's unless another is asked for: the same at every start, so that a kubeconfig copied
// elsewhere stays good, and below the ports that systems hand out by themselves.
const DefaultPort = 26443

// Machines says who makes members ready, as long as there is no hypervisor.
type Machines string

// The choices.
const (
	MachinesPretend Machines = "pretend"
	MachinesNone    Machines = "none"
)

// Config is what Run needs. All fields but Port and Bundles are required.
type Config struct {
	// Dir is the absolute path of the folder that everything is kept in.
	Dir string
	// Port of the API server; 0 means DefaultPort, or a free one if that is taken.
	Port int
	// ControlPlane and Lictor are the two programs that are run.
	ControlPlane, Lictor string
	// Deploy is the folder with the manifests.
	Deploy string
	// Bundles are passed to the controller.
	Bundles []string
	// Machines says who makes members ready.
	Machines Machines
	// ControllerRBAC are the manifests of the controller's rights.
	ControllerRBAC []byte
}

// check finds what is wrong before anything is started or written.
func (c *Config) check() error {
	if c.Machines != MachinesPretend && c.Machines != MachinesNone {
		return fmt.Errorf("--machines must be %s or %s, not %q", MachinesPretend, MachinesNone, c.Machines)
	}
	if _, err := os.Stat(c.ControlPlane); err != nil {
		return fmt.Errorf("there is no control plane to run: build it with `make dev`, or name it with --controlplane: %w", err)
	}
	for _, folder := range []string{c.crds(), c.setup()} {
		if found, err := filepath.Glob(filepath.Join(folder, "*.yaml")); err != nil || len(found) == 0 {
			return fmt.Errorf("there are no manifests in %s: run this in the repository's root, or name its deploy folder with --deploy", folder)
		}
	}
	return nil
}

func (c *Config) crds() string                 { return filepath.Join(c.Deploy, "crds") }
func (c *Config) setup() string                { return filepath.Join(c.Deploy, "dev", "setup") }
func (c *Config) file(name string) string      { return filepath.Join(c.Dir, name) }
func (c *Config) kubeconfig(who string) string { return c.file(who + ".kubeconfig") }

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lictor-dev/lictor/cmd/lictor/internal/dev"
)

func devCommand() *cobra.Command {
	var c dev.Config
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run a whole Lictor on this machine: API server, controller, a warm pool and two users",
		Long: "Run an API server, the controller and a warm pool on this machine until Ctrl-C, for trying things out and for\n" +
			"writing policy. Objects and the certificate authority are kept in --dir: the next start goes on where this one ended.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDev(cmd.Context(), cmd.OutOrStdout(), c) },
	}
	f := cmd.Flags()
	f.StringVar(&c.Dir, "dir", ".lictor-dev", "folder for everything that is kept: objects, certificates, kubeconfigs, logs")
	f.IntVar(&c.Port, "port", 0, fmt.Sprintf("port of the API server; default: %d, or a free one if that is taken", dev.DefaultPort))
	f.StringArrayVar(&c.Bundles, "bundle", nil, "bundle folder or .tar.gz, as for the controller; watched (repeatable)")
	f.StringVar((*string)(&c.Machines), "machines", string(dev.MachinesPretend),
		"pretend: members become ready by themselves; none: set their conditions yourself")
	f.StringVar(&c.ControlPlane, "controlplane", ".bin/controlplane", "the control plane's program, which make dev builds")
	f.StringVar(&c.Deploy, "deploy", "deploy", "folder with the manifests: crds/ and dev/")
	return cmd
}

// runDev adds to the flags what only this process knows: itself, and what its bundles need.
func runDev(ctx context.Context, out io.Writer, c dev.Config) error {
	var err error
	if c.Lictor, err = os.Executable(); err != nil {
		return fmt.Errorf("find this program, to run it as the controller: %w", err)
	}
	// The controller and hints to the user get it, wherever they are then.
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	var rights bytes.Buffer
	if err := renderRBAC(&rights, c.Bundles); err != nil {
		return err
	}
	c.ControllerRBAC = rights.Bytes()
	return dev.Run(ctx, out, c)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/lictor-dev/lictor/bundles"
	"github.com/lictor-dev/lictor/reconciler/registry"
	"github.com/lictor-dev/lictor/rego"
)

func renderCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "render", Short: "Write manifests that follow from the bundles"}
	var overrides []string
	rbac := &cobra.Command{
		Use:   "rbac",
		Short: "Write the RBAC that the controller needs, and no more",
		Long: "Write the ClusterRole, Role and bindings that the controller needs for what the bundles register.\n" +
			"Run it again, with the same --bundle flags as the controller, when a bundle registers more.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return renderRBAC(cmd.OutOrStdout(), overrides) },
	}
	rbac.Flags().StringArrayVar(&overrides, "bundle", nil, "bundle folder or .tar.gz, as for the controller (repeatable)")
	cmd.AddCommand(rbac)
	return cmd
}

func renderRBAC(out io.Writer, overrides []string) error {
	source := rego.Source{Shipped: bundles.FS(), Names: bundles.Names(), Overrides: overrides}
	loaded, err := source.Load()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(loaded))
	for _, b := range loaded {
		names = append(names, b.Name())
	}
	reg, err := registry.Load(names, rego.MergedData(loaded))
	if err != nil {
		return err
	}
	for _, object := range registry.RBAC(reg) {
		text, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

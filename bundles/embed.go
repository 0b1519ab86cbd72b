// SPDX-License-Identifier: Apache-2.0

// Package bundles embeds the shipped policy bundles, which decide unless others are given.
package bundles

import (
	"embed"
	"io/fs"
)

// A package variable is what go:embed takes; all: brings the .manifest files.
//
//go:embed all:lib all:claims all:pools schemas
var files embed.FS

// FS returns the shipped bundles, one folder each.
func FS() fs.FS { return files }

// Names lists the shipped bundles.
func Names() []string { return []string{"lib", "claims", "pools"} }

// Schemas returns the JSON Schemas of every decision.
func Schemas() (fs.FS, error) { return fs.Sub(files, "schemas") }

// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// maxBundleFileBytes bounds one file of a bundle. Shipped policy files are under 50 KiB; 16 MiB leaves room for data and
// keeps a hostile tarball from filling memory.
const maxBundleFileBytes = 16 << 20

// Bundle is one loaded OPA bundle: policy, data and its manifest. It is not proven until an Engine activates it.
type Bundle struct {
	name     string
	revision string
	raw      bundle.Bundle
}

// Name is the bundle's name, such as claims.
func (b *Bundle) Name() string { return b.name }

// Revision is the manifest's revision, "+", and the first 12 hex digits of the SHA-256 of the content, so that two
// different contents never show the same revision.
func (b *Bundle) Revision() string { return b.revision }

// Roots are the parts of the data tree that the bundle owns, from its manifest.
func (b *Bundle) Roots() []string {
	if b.raw.Manifest.Roots == nil {
		return nil
	}
	return *b.raw.Manifest.Roots
}

// LoadDir loads a bundle from a folder. Symbolic links are followed, as ConfigMap mounts need.
func LoadDir(name, dir string) (*Bundle, error) {
	dir, err := filepath.EvalSymlinks(dir) // OPA's loader follows links in the folder, but not to it
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("bundle %s: %s is not a folder", name, dir)
	}
	return load(name, bundle.NewDirectoryLoader(dir).WithFollowSymlinks(true))
}

// LoadFS loads a bundle from a folder of a file system.
func LoadFS(name string, fsys fs.FS, root string) (*Bundle, error) {
	if _, err := fs.Stat(fsys, root); err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	return load(name, bundle.NewFSLoaderWithRoot(fsys, root))
}

// LoadTarball loads a bundle from a gzipped tarball as `opa build` makes it.
func LoadTarball(name string, r io.Reader) (*Bundle, error) {
	return load(name, bundle.NewTarballLoaderWithBaseURL(r, ""))
}

func load(name string, loader bundle.DirectoryLoader) (*Bundle, error) {
	loader = loader.WithSizeLimitBytes(maxBundleFileBytes).WithFilter(isIgnored)
	caps := capabilities()
	raw, err := bundle.NewCustomReader(loader).
		WithBundleName(name).
		WithSkipBundleVerification(true).
		WithProcessAnnotations(true).
		WithCapabilities(caps).
		WithRegoVersion(ast.RegoV1).
		WithSizeLimitBytes(maxBundleFileBytes).
		Read()
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	if raw.Type() != bundle.SnapshotBundleType {
		return nil, fmt.Errorf("bundle %s: delta bundles are not supported; build a complete bundle", name)
	}
	if len(raw.Modules) == 0 && len(raw.Data) == 0 {
		return nil, fmt.Errorf("bundle %s holds no policy and no data", name)
	}
	b := &Bundle{name: name, raw: raw}
	if err := b.checkRoots(); err != nil {
		return nil, err
	}
	b.revision, err = revisionOf(&raw)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	return b, nil
}

// checkRoots refuses the implied root "", which owns the whole tree and so can stand beside no other bundle.
func (b *Bundle) checkRoots() error {
	for _, r := range b.Roots() {
		if strings.Trim(r, "/") == "" {
			return fmt.Errorf("bundle %s: .manifest must name the bundle's roots, such as {\"roots\": [\"lictor/%s\"]}", b.name, b.name)
		}
	}
	if len(b.Roots()) == 0 {
		return errors.New("bundle " + b.name + ": .manifest has an empty list of roots")
	}
	return nil
}

// isIgnored keeps tests, hidden files other than the manifest, and documents out of what is activated.
func isIgnored(p string, info fs.FileInfo, _ int) bool {
	base := path.Base(strings.ReplaceAll(p, "\\", "/"))
	if info.IsDir() {
		return strings.HasPrefix(base, "..") && len(base) > 2 // a ConfigMap mount's data folders: reached through links
	}
	if strings.HasSuffix(base, "_test.rego") {
		return true
	}
	switch {
	case base == ".manifest", base == ".signatures.json":
		return false
	case strings.HasPrefix(base, "."), strings.HasSuffix(base, ".md"):
		return true
	default:
		return false
	}
}

func revisionOf(b *bundle.Bundle) (string, error) {
	h := sha256.New()
	modules := append([]bundle.ModuleFile(nil), b.Modules...)
	sort.Slice(modules, func(i, j int) bool { return modules[i].Path < modules[j].Path })
	for _, m := range modules {
		_, _ = fmt.Fprintf(h, "%s %d\n", m.Path, len(m.Raw)) // a hash never fails
		h.Write(m.Raw)
	}
	// What the bundle owns and how it is parsed is content too; signatures and etags are not part of the manifest.
	for _, part := range []any{b.Data, b.Manifest} {
		text, err := json.Marshal(part) // encoding/json sorts keys
		if err != nil {
			return "", fmt.Errorf("hashing data and manifest: %w", err)
		}
		_, _ = fmt.Fprintf(h, "%d\n", len(text))
		h.Write(text)
	}
	revision := b.Manifest.Revision
	if revision == "" {
		revision = "0"
	}
	return revision + "+" + hex.EncodeToString(h.Sum(nil))[:12], nil
}

// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/cache"
	"github.com/open-policy-agent/opa/v1/util"
)

// Revision is one compiled set of bundles. It never changes.
type Revision struct {
	id       string
	bundles  map[string]string
	roots    map[string]string // root, with dots, to the revision of the bundle that owns it
	compiler *ast.Compiler
	store    storage.Store
	data     map[string]any
	queries  map[string]*query
	replaced []string // revisions of the set that this one took over from
	retired  []string // of the sets before that one
	bounded  map[string]*topdown.Builtin
	values   cache.InterQueryValueCache
	cache    cache.InterQueryCache
}

// ID names the set: every bundle with its revision, in the order of names.
func (r *Revision) ID() string { return r.id }

// Bundles maps each bundle's name to its revision.
func (r *Revision) Bundles() map[string]string { return r.bundles }

// Retired are the revisions of bundles that decided before the revision that this one took over from, the latest ones
// first. Whoever counts by revision drops them after a takeover. The revision in between is kept, for decisions that began
// in it and for the last scrape.
func (r *Revision) Retired() []string { return r.retired }

// maxRetired bounds Retired. One takeover's would do, were there no decision that began before the last two.
const maxRetired = 64

// retire fills in Retired when r takes over.
func (r *Revision) retire(previous *Revision) {
	if previous == nil {
		return
	}
	kept := map[string]bool{}
	for _, live := range []*Revision{previous, r} {
		for _, revision := range live.bundles {
			kept[revision] = true
		}
	}
	for _, revision := range slices.Concat(previous.replaced, previous.retired) {
		if !kept[revision] && !slices.Contains(r.retired, revision) && len(r.retired) < maxRetired {
			r.retired = append(r.retired, revision)
		}
	}
	r.replaced = slices.Sorted(maps.Values(previous.bundles))
}

// Data returns a part of the bundles' data, such as ("lictor", "claims", "views"). The caller must not change it.
func (r *Revision) Data(keys ...string) (any, bool) {
	var node any = r.data
	for _, k := range keys {
		m, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		if node, ok = m[k]; !ok {
			return nil, false
		}
	}
	return node, true
}

// compile parses nothing and proves nothing: it links loaded bundles into one revision, type-checked against schemas.
func compile(ctx context.Context, bundles []*Bundle, schemas *ast.SchemaSet) (*Revision, error) {
	if err := checkRootConflicts(bundles); err != nil {
		return nil, err
	}
	r := &Revision{bundles: map[string]string{}, roots: map[string]string{}, queries: map[string]*query{}, data: map[string]any{}, bounded: boundedFunctions()}
	raw := map[string]*bundle.Bundle{}
	var names []string
	for _, b := range bundles {
		raw[b.name], r.bundles[b.name] = copyBundle(&b.raw), b.revision
		names = append(names, b.name+"@"+b.revision)
		for _, root := range b.Roots() {
			r.roots[strings.ReplaceAll(strings.Trim(root, "/"), "/", ".")] = b.revision
		}
		mergeData(r.data, b.raw.Data)
	}
	sort.Strings(names)
	r.id = strings.Join(names, " ")
	r.store = inmem.NewWithOpts(inmem.OptReturnASTValuesOnRead(true))
	r.compiler = ast.NewCompiler().
		WithCapabilities(capabilities()).
		WithStrict(true).
		WithUseTypeCheckAnnotations(true).
		WithSchemas(schemas).
		WithDefaultRegoVersion(ast.RegoV1).
		WithStageAfterID(ast.StageBuildRequiredCapabilities, ast.CompilerStageDefinition{Name: "BindBounded", MetricName: "bind_bounded", Stage: bindBounded})
	if err := r.activateInStore(ctx, raw); err != nil {
		return nil, err
	}
	r.values = cache.NewInterQueryValueCache(ctx, nil)
	config, err := cache.ParseCachingConfig(nil)
	if err != nil {
		return nil, fmt.Errorf("builtin cache: %w", err)
	}
	r.cache = cache.NewInterQueryCache(config)
	return r, nil
}

func (r *Revision) activateInStore(ctx context.Context, raw map[string]*bundle.Bundle) error {
	err := storage.Txn(ctx, r.store, storage.WriteParams, func(txn storage.Transaction) error {
		return bundle.Activate(&bundle.ActivateOpts{
			Ctx: ctx, Store: r.store, Txn: txn, Compiler: r.compiler, Metrics: metrics.NoOp(), Bundles: raw,
			ParserOptions: ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1},
		})
	})
	var compileErrors ast.Errors
	if errors.As(err, &compileErrors) {
		return fmt.Errorf("policy does not compile: %w", compileErrors)
	}
	if err != nil {
		return fmt.Errorf("activating bundles: %w", err)
	}
	return nil
}

// copyBundle gives OPA a bundle that it may change, since one loaded Bundle can take part in several activations.
func copyBundle(b *bundle.Bundle) *bundle.Bundle {
	c := b.Copy()
	return &c
}

func mergeData(into, from map[string]any) {
	for k, v := range from {
		sub, isMap := v.(map[string]any)
		if !isMap {
			into[k] = v
			continue
		}
		dst, ok := into[k].(map[string]any)
		if !ok {
			dst = map[string]any{}
			into[k] = dst
		}
		mergeData(dst, sub)
	}
}

func checkRootConflicts(bundles []*Bundle) error {
	for i, a := range bundles {
		for _, b := range bundles[i+1:] {
			for _, ra := range a.Roots() {
				for _, rb := range b.Roots() {
					if bundle.RootPathsOverlap(ra, rb) {
						return &RootConflictError{Bundles: [2]string{a.name, b.name}, Roots: [2]string{ra, rb}}
					}
				}
			}
		}
	}
	return nil
}

// loadSchemas reads every *.json of a file system; claims/step/input.json becomes schema.claims.step.input, as with
// `opa check --schema`.
func loadSchemas(fsys fs.FS) (*ast.SchemaSet, error) {
	set := ast.NewSchemaSet()
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".json" {
			return err
		}
		content, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		var schema any
		if err := util.Unmarshal(content, &schema); err != nil {
			return fmt.Errorf("schema %s: %w", p, err)
		}
		ref := ast.Ref{ast.SchemaRootDocument}
		for _, part := range strings.Split(strings.TrimSuffix(p, ".json"), "/") {
			ref = ref.Append(ast.StringTerm(part))
		}
		set.Put(ref, schema)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("loading schemas: %w", err)
	}
	return set, nil
}

// MergedData reads the data of loaded bundles that are not activated, like Revision.Data.
func MergedData(bundles []*Bundle) func(keys ...string) (any, bool) {
	r := &Revision{data: map[string]any{}}
	for _, b := range bundles {
		mergeData(r.data, b.raw.Data)
	}
	return r.Data
}

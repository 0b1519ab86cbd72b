// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/go-logr/logr"
)

// settleTime is how long a folder must be quiet before it is read: editors write a file in several steps.
const settleTime = 100 * time.Millisecond

// retryTime is how long a refused set waits for its next attempt: what refused it may have been the API server's absence,
// which no file tells of. Proving takes a fraction of a second.
const retryTime = 5 * time.Second

// Source loads the set of bundles that should be active: the shipped ones, some of them replaced or joined by folders or
// tarballs.
type Source struct {
	// Shipped holds one folder per bundle, named like the bundle.
	Shipped fs.FS
	// Names are the shipped bundles to load.
	Names []string
	// Overrides are folders or .tar.gz files. One named like a shipped bundle (claims, claims.tar.gz) replaces it.
	Overrides []string
}

// Load reads every bundle of the set. It activates nothing.
func (s *Source) Load() ([]*Bundle, error) {
	var bundles []*Bundle
	replaced := map[string]bool{}
	for _, o := range s.Overrides {
		b, err := loadPath(o)
		if err != nil {
			return nil, err
		}
		replaced[b.name] = true
		bundles = append(bundles, b)
	}
	for _, n := range s.Names {
		if replaced[n] {
			continue
		}
		b, err := LoadFS(n, s.Shipped, n)
		if err != nil {
			return nil, err
		}
		bundles = append(bundles, b)
	}
	return bundles, nil
}

func loadPath(p string) (*Bundle, error) {
	name, isTarball := strings.CutSuffix(filepath.Base(filepath.Clean(p)), ".tar.gz")
	if !isTarball {
		return LoadDir(name, p)
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", name, err)
	}
	b, err := LoadTarball(name, f)
	return b, errors.Join(err, f.Close())
}

// Watch activates the set again whenever an override changes, and every few seconds while the latest attempt is refused,
// until the context ends. A set that cannot be loaded or is refused changes nothing but Status, the log and a metric.
func (s *Source) Watch(ctx context.Context, engine *Engine, log logr.Logger) error {
	watcher := &fsnotify.Watcher{} // of nothing: shipped bundles do not change
	if len(s.Overrides) > 0 {
		var err error
		if watcher, err = fsnotify.NewWatcher(); err != nil {
			return fmt.Errorf("watching bundles: %w", err)
		}
		defer func() { _ = watcher.Close() }() // nothing is lost: the process is ending
	}
	if err := s.addFolders(watcher); err != nil {
		return err
	}
	// What changed between Load and here would otherwise be missed.
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	retry := time.NewTicker(retryTime)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-watcher.Events:
			if s.concerns(e.Name) {
				settled.Reset(settleTime)
			}
		case err := <-watcher.Errors:
			log.Error(err, "Watching bundles")
			settled.Reset(settleTime)
		case <-settled.C:
			if err := s.addFolders(watcher); err != nil {
				log.Error(err, "Watching bundles")
			}
			s.reload(ctx, engine)
		case <-retry.C:
			if engine.Status().LastError != "" {
				s.reload(ctx, engine)
			}
		}
	}
}

// addFolders watches each override's folders, and where the override itself is: it may be replaced as a whole.
func (s *Source) addFolders(watcher *fsnotify.Watcher) error {
	var failed error
	for _, o := range s.Overrides {
		failed = errors.Join(failed, addFolders(watcher, filepath.Clean(o)))
	}
	return failed
}

func addFolders(watcher *fsnotify.Watcher, override string) error {
	if err := watcher.Add(filepath.Dir(override)); err != nil {
		return fmt.Errorf("watching %s: %w", filepath.Dir(override), err)
	}
	if strings.HasSuffix(override, ".tar.gz") {
		return nil
	}
	// The separator makes a link to a folder that folder.
	err := filepath.WalkDir(override+string(filepath.Separator), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return watcher.Add(p)
	})
	if err != nil {
		return fmt.Errorf("watching %s: %w", override, err)
	}
	return nil
}

// concerns tells whether a changed path is an override's or in one. What else changes beside an override may never be
// quiet.
func (s *Source) concerns(changed string) bool {
	return slices.ContainsFunc(s.Overrides, func(o string) bool {
		rest, ok := strings.CutPrefix(filepath.Clean(changed), filepath.Clean(o))
		return ok && (rest == "" || rest[0] == filepath.Separator)
	})
}

func (s *Source) reload(ctx context.Context, engine *Engine) {
	bundles, err := s.Load()
	if err != nil {
		engine.Refuse(err)
		return
	}
	if engine.isActive(bundles) {
		engine.mended()
		return
	}
	_ = engine.Activate(ctx, bundles) // Activate itself reports the error: in Status, the log and a metric
}

// mended forgets a refusal after the active revision turned out to be what is wanted.
func (e *Engine) mended() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status.LastError, e.status.LastErrorAt = "", time.Time{}
	e.config.Metrics.mended()
}

// isActive tells whether exactly these revisions decide already.
func (e *Engine) isActive(bundles []*Bundle) bool {
	active := e.active.Load()
	if active == nil || len(active.bundles) != len(bundles) {
		return false
	}
	for _, b := range bundles {
		if active.bundles[b.name] != b.revision {
			return false
		}
	}
	return true
}

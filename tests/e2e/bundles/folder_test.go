// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lictor-dev/lictor/bundles"
)

// folder is a bundle on disk that a person edits.
type folder struct {
	t   testing.TB
	dir string
}

// shipped copies a shipped bundle into a folder of its name.
func shipped(t testing.TB, name string) *folder {
	t.Helper()
	f := newFolder(t, name)
	f.restore()
	return f
}

func newFolder(t testing.TB, name string) *folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.Mkdir(dir, 0o755))
	return &folder{t: t, dir: dir}
}

// restore brings the folder back to what is shipped, file by file.
func (f *folder) restore() {
	f.t.Helper()
	source, err := fs.Sub(bundles.FS(), filepath.Base(f.dir))
	require.NoError(f.t, err)
	files, err := fs.Glob(source, "*")
	require.NoError(f.t, err)
	for _, name := range files {
		content, err := fs.ReadFile(source, name)
		require.NoError(f.t, err)
		if now, err := os.ReadFile(f.path(name)); err != nil || string(now) != string(content) {
			f.write(name, string(content))
		}
	}
	present, err := os.ReadDir(f.dir)
	require.NoError(f.t, err)
	for _, entry := range present {
		if _, err := fs.Stat(source, entry.Name()); err != nil {
			f.remove(entry.Name())
		}
	}
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *folder) write(name, content string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(f.path(name), []byte(content), 0o600))
}

func (f *folder) remove(name string) {
	f.t.Helper()
	require.NoError(f.t, os.Remove(f.path(name)))
}

func (f *folder) read(name string) string {
	f.t.Helper()
	content, err := os.ReadFile(f.path(name))
	require.NoError(f.t, err)
	return string(content)
}

func (f *folder) append(name, text string) {
	f.t.Helper()
	f.write(name, f.read(name)+"\n"+text+"\n")
}

// replace edits what must be there exactly once.
func (f *folder) replace(name, old, with string) {
	f.t.Helper()
	before := f.read(name)
	require.Equal(f.t, 1, strings.Count(before, old), "%s has %q once", name, old)
	f.write(name, strings.Replace(before, old, with, 1))
}

func (f *folder) names() (out []string) {
	f.t.Helper()
	entries, err := os.ReadDir(f.dir)
	require.NoError(f.t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

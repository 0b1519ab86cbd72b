// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

// TestBundlesAreTakenUpHoweverTheyArrive replaces a bundle in the ways in which files are delivered.
func TestBundlesAreTakenUpHoweverTheyArrive(t *testing.T) {
	for name, deliver := range map[string]func(t *testing.T, f *folder, at string) string{
		"as the volume of a ConfigMap":         deliverVolume,
		"as a tarball":                         deliverTarball,
		"as a link to a folder":                deliverLink,
		"as a folder that is away for a while": deliverSlowly,
	} {
		t.Run(name, func(t *testing.T) {
			source, at := shipped(t, "claims"), t.TempDir()
			path := deliver(t, source, at)
			w := fixture.New(t, path)
			w.StartController(path)
			oldest, newest := threeAges(w)
			w.Apply(w.NewClaim("first", "pool"))
			require.Equal(t, oldest, w.UntilBound("first").Status.VirtualMachineRef.Name)

			before := w.Controller.Bundles().Active["claims"]
			source.replace("rank.rego", "[_ready_since, input.object.metadata.name]", "[-_ready_since, input.object.metadata.name]")
			deliver(t, source, at)
			w.Within(promptly(), "the new content is in force", func() error {
				if now := w.Controller.Bundles(); now.Active["claims"] == before || now.LastError != "" {
					return fmt.Errorf("it is not: %q", now.LastError)
				}
				return nil
			})
			w.Apply(w.NewClaim("second", "pool"))
			require.Equal(t, newest, w.UntilBound("second").Status.VirtualMachineRef.Name)
		})
	}
}

// deliverVolume writes a folder as the kubelet does: files are links into ..data, which is a link to a folder that holds
// one version and is exchanged for another at once.
func deliverVolume(t *testing.T, f *folder, at string) string {
	t.Helper()
	mount := filepath.Join(at, "claims")
	require.NoError(t, os.MkdirAll(mount, 0o755))
	version, err := os.MkdirTemp(mount, "..2026_")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(version, os.DirFS(f.dir)))
	previous, err := os.Readlink(filepath.Join(mount, "..data"))
	isFirst := os.IsNotExist(err)
	require.True(t, isFirst || err == nil, "%v", err)

	require.NoError(t, os.Symlink(filepath.Base(version), filepath.Join(mount, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(mount, "..data_tmp"), filepath.Join(mount, "..data")))
	if !isFirst {
		require.NoError(t, os.RemoveAll(filepath.Join(mount, previous)))
		return mount
	}
	for _, name := range f.names() {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(mount, name)))
	}
	return mount
}

func deliverTarball(t *testing.T, f *folder, at string) string {
	t.Helper()
	path := filepath.Join(at, "claims.tar.gz")
	file, err := os.CreateTemp(at, "new-*")
	require.NoError(t, err)
	zipped := gzip.NewWriter(file)
	archive := tar.NewWriter(zipped)
	require.NoError(t, archive.AddFS(os.DirFS(f.dir)))
	require.NoError(t, archive.Close())
	require.NoError(t, zipped.Close())
	require.NoError(t, file.Close())
	require.NoError(t, os.Rename(file.Name(), path))
	return path
}

// deliverLink exchanges a link, as tools do that keep every version.
func deliverLink(t *testing.T, f *folder, at string) string {
	t.Helper()
	version, err := os.MkdirTemp(at, "version-")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(version, os.DirFS(f.dir)))
	path := filepath.Join(at, "claims")
	require.NoError(t, os.Symlink(version, path+"-new"))
	require.NoError(t, os.Rename(path+"-new", path))
	return path
}

// deliverSlowly removes a folder, and makes it anew when its absence has been noticed.
func deliverSlowly(t *testing.T, f *folder, at string) string {
	t.Helper()
	path := filepath.Join(at, "claims")
	if _, err := os.Stat(path); err == nil {
		require.NoError(t, os.RemoveAll(path))
		<-time.After(time.Second / 2) // longer than any pause between two steps of one change
	}
	require.NoError(t, os.CopyFS(path, os.DirFS(f.dir)))
	return path
}

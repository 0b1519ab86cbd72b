// SPDX-License-Identifier: Apache-2.0

package rego

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/require"
)

// write puts the bundle's files into a folder.
func (f files) write(t *testing.T, dir string) {
	t.Helper()
	for p, content := range f {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(dir, p), []byte(content), 0o600))
	}
}

// tarball packs the bundle as `opa build` does.
func (f files) tarball(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for p, content := range f {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: "/" + p, Mode: 0o600, Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := archive.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, zip.Close())
	return out.Bytes()
}

func TestTarballEqualsFolder(t *testing.T) {
	fromTarball, err := LoadTarball("demo", bytes.NewReader(greeting().tarball(t)))
	require.NoError(t, err)
	e := demoEngine(t, nil)
	require.NoError(t, e.Activate(t.Context(), []*Bundle{fromTarball}))
	require.Equal(t, greeting().load(t).Roots(), fromTarball.Roots())
}

func TestSourceOverrides(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	greeting().with(files{"data.yaml": "lictor: {demo: {greeting: hallo}}"}).write(t, dir)
	s := Source{Shipped: greeting().fs(), Names: []string{"demo"}, Overrides: []string{dir}}
	loaded, err := s.Load()
	require.NoError(t, err)
	require.Len(t, loaded, 1, "an override replaces the shipped bundle of its name")
	require.NotEqual(t, greeting().load(t).Revision(), loaded[0].Revision())

	s.Overrides = []string{filepath.Join(t.TempDir(), "none")}
	_, err = s.Load()
	require.ErrorContains(t, err, "none")
}

// TestWatch edits a folder under a running engine: a good edit takes over, a broken one changes nothing but says so, and
// mending it recovers.
func TestWatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	word := func(w string) files {
		return greeting().with(files{"data.yaml": "lictor: {demo: {greeting: " + w + "}}",
			"contract.rego": "package lictor.demo.contract\n\nvectors := {\"v\": {\"decision\": \"lictor.demo.step\", \"input\": {\"object\": {\"name\": \"you\"}}}}\n"})
	}
	word("one").write(t, dir)
	s := Source{Overrides: []string{dir}}
	e := demoEngine(t, nil)
	loaded, err := s.Load()
	require.NoError(t, err)
	require.NoError(t, e.Activate(t.Context(), loaded))
	ctx, cancel := context.WithCancel(t.Context())
	watching := make(chan error, 1)
	go func() { watching <- s.Watch(ctx, e, logr.Discard()) }()
	t.Cleanup(func() { cancel(); require.NoError(t, <-watching) })

	answers := func(want string) func() bool {
		return func() bool {
			d, err := e.Decide(t.Context(), "lictor.demo.step", Lazy(map[string]any{"object": map[string]any{"name": "you"}}))
			text, _ := d.Result.Get("text")
			return err == nil && text.String() == `"`+want+` you"`
		}
	}
	word("two").write(t, dir)
	require.Eventually(t, answers("two"), 5*time.Second, 10*time.Millisecond)
	files{"step.rego": "package lictor.demo\n\nstep := {"}.write(t, dir)
	require.Eventually(t, func() bool { return e.Status().LastError != "" }, 5*time.Second, 10*time.Millisecond)
	require.True(t, answers("two")(), "a broken edit changes nothing")
	word("two").write(t, dir)
	require.Eventually(t, func() bool { return e.Status().LastError == "" }, 5*time.Second, 10*time.Millisecond, "taking the edit back is no failure any more")
	files{"more/new.rego": "package lictor.demo.more\n\nx := 1\n"}.write(t, dir)
	require.Eventually(t, func() bool { _, has := e.Status().Active["demo"]; return has && len(e.Active().compiler.Modules) == 3 },
		5*time.Second, 10*time.Millisecond, "a new folder is watched too")
}

// TestWatchTriesAgain refuses a sound set for a reason that no file tells of: it takes over when the reason is gone, and
// is logged once. Time is the test's own.
func TestWatchTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged atomic.Int64
		e := demoEngine(t, func(c *Config) {
			c.Log = funcr.New(func(string, string) { logged.Add(1) }, funcr.Options{})
		})
		var why atomic.Value
		why.Store("the API server is away")
		e.SetPrepare(func(context.Context, *Revision) (func(), error) {
			if problem := why.Load(); problem != "" {
				return nil, fmt.Errorf("%s", problem)
			}
			return func() {}, nil
		})
		s := Source{Shipped: greeting().fs(), Names: []string{"demo"}}
		loaded, err := s.Load()
		require.NoError(t, err)
		require.ErrorContains(t, e.Activate(t.Context(), loaded), "away")
		ctx, cancel := context.WithCancel(t.Context())
		watching := make(chan error, 1)
		go func() { watching <- s.Watch(ctx, e, logr.Discard()) }()
		<-time.After(time.Minute)
		synctest.Wait()
		require.Error(t, e.Ready())
		require.EqualValues(t, 1, logged.Load(), "an error that says nothing new is not logged")
		why.Store("the API server is slow")
		<-time.After(retryTime + time.Second)
		synctest.Wait()
		require.EqualValues(t, 2, logged.Load(), "another one is")
		why.Store("")
		<-time.After(retryTime)
		synctest.Wait()
		require.NoError(t, e.Ready())
		require.Empty(t, e.Status().LastError)
		active := e.Active()
		<-time.After(time.Minute)
		synctest.Wait()
		require.Same(t, active, e.Active(), "nothing is proven again after it took over")
		cancel()
		require.NoError(t, <-watching)
	})
}

// FuzzLoadTarball feeds the parser of outside bytes: whatever comes, it answers with a bundle or an error.
func FuzzLoadTarball(f *testing.F) {
	f.Add(greeting().tarball(f))
	f.Add(files{".manifest": `{"roots": ["a"]}`, "data.json": `{"a": 1}`}.tarball(f))
	f.Add([]byte("not a tarball"))
	f.Fuzz(func(t *testing.T, content []byte) {
		b, err := LoadTarball("demo", bytes.NewReader(content))
		if err == nil && (b.Revision() == "" || len(b.Roots()) == 0) {
			t.Fatalf("a bundle without revision or roots was accepted")
		}
	})
}

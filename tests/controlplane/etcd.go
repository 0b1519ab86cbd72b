// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

const (
	clientSocket = "etcd.sock"
	peerSocket   = "etcd-peer.sock"

	// A lone member has no one to wait for: it elects itself at once (etcd's own defaults are 100 and 1000).
	tickMillis, electionMillis = 10, 100

	// quotaBytes is enough for a benchmark's objects with all their history; etcd's own default is 2 GiB.
	quotaBytes = 4 << 30
)

// startEtcd starts a one-member etcd on unix sockets in dir and returns it once it serves.
func startEtcd(ctx context.Context, dir string, noFsync bool) (*embed.Etcd, error) {
	if err := removeSockets(dir); err != nil {
		return nil, err
	}
	server, err := embed.StartEtcd(etcdConfig(dir, noFsync))
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-server.Server.ReadyNotify():
		return server, nil
	case err = <-server.Err():
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	server.Close()
	return nil, fmt.Errorf("etcd did not become ready: %w", err)
}

func etcdConfig(dir string, noFsync bool) *embed.Config {
	cfg := embed.NewConfig()
	cfg.Dir = filepath.Join(dir, "etcd")
	cfg.ListenClientUrls = []url.URL{socketURL(dir, clientSocket)}
	cfg.AdvertiseClientUrls = cfg.ListenClientUrls
	cfg.ListenPeerUrls = []url.URL{socketURL(dir, peerSocket)}
	cfg.AdvertisePeerUrls = cfg.ListenPeerUrls
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = tickMillis, electionMillis
	cfg.QuotaBackendBytes = quotaBytes
	cfg.UnsafeNoFsync = noFsync
	cfg.LogLevel = "warn"
	cfg.LogOutputs = []string{filepath.Join(dir, "etcd.log")}
	return cfg
}

func socketURL(dir, name string) url.URL {
	return url.URL{Scheme: "unix", Path: filepath.Join(dir, name)}
}

// removeSockets clears what a killed predecessor left; a clean stop leaves none.
func removeSockets(dir string) error {
	for _, name := range []string{clientSocket, peerSocket} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove stale socket: %w", err)
		}
	}
	return nil
}

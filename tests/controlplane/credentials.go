// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
)

// Names, without extension, of the key pairs in the state folder. The first three are kept across restarts.
const (
	clientCA       = "ca"
	frontProxyCA   = "front-proxy-ca"
	serviceAccount = "sa"
	serverPair     = "apiserver"
	frontProxyPair = "front-proxy-client"
)

// prepareCredentials writes everything that the API server needs to prove who it is and to know its clients, and
// returns the authority that signs both.
func prepareCredentials(dir string) (*authority, error) {
	ca, err := loadOrCreateAuthority(dir, clientCA)
	if err != nil {
		return nil, err
	}
	frontProxy, err := loadOrCreateAuthority(dir, frontProxyCA)
	if err != nil {
		return nil, err
	}
	if err := keepServiceAccountKey(dir); err != nil {
		return nil, err
	}
	if err := issuePair(dir, serverPair, ca, serverSubject()); err != nil {
		return nil, err
	}
	return ca, issuePair(dir, frontProxyPair, frontProxy, subject{name: frontProxyPair})
}

// serverSubject lists the names by which a client on this machine, or a webhook's client, reaches the API server.
func serverSubject() subject {
	return subject{
		name:      "kube-apiserver",
		dnsNames:  []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		addresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.IPv4(10, 0, 0, 1)},
	}
}

func issuePair(dir, name string, ca *authority, s subject) error {
	certPEM, keyPEM, err := ca.issue(s)
	if err != nil {
		return err
	}
	if err := writePrivate(dir, name+".key", keyPEM); err != nil {
		return err
	}
	return writePrivate(dir, name+".crt", certPEM)
}

// keepServiceAccountKey makes the key that signs service account tokens, unless one is there: tokens outlive restarts.
func keepServiceAccountKey(dir string) error {
	_, err := os.Stat(filepath.Join(dir, serviceAccount+".key"))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("service account key: %w", err)
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return fmt.Errorf("service account key: %w", err)
	}
	return writePrivate(dir, serviceAccount+".key", keyPEM)
}

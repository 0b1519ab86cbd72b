// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// clockSlack backdates certificates, so that a clock set back a little does not make them invalid.
const clockSlack = time.Hour

// authority signs certificates; its key is kept in the state folder.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	pem  []byte
}

// subject is what a certificate is to say about its holder; a server certificate has names or addresses.
type subject struct {
	name      string
	groups    []string
	dnsNames  []string
	addresses []net.IP
}

// loadOrCreateAuthority returns the authority kept as NAME.crt and NAME.key in dir, made there when it is missing.
func loadOrCreateAuthority(dir, name string) (*authority, error) {
	ca, err := loadAuthority(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		ca, err = createAuthority(dir, name)
	}
	if err != nil {
		return nil, fmt.Errorf("certificate authority %s: %w", name, err)
	}
	return ca, nil
}

func loadAuthority(dir, name string) (*authority, error) {
	certPEM, err := os.ReadFile(filepath.Join(dir, name+".crt"))
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(filepath.Join(dir, name+".key"))
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, err
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("key of type %T cannot sign", pair.PrivateKey)
	}
	return &authority{cert: pair.Leaf, key: signer, pem: certPEM}, nil
}

func createAuthority(dir, name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "lictor-" + name},
		NotBefore:             time.Now().Add(-clockSlack),
		NotAfter:              time.Now().AddDate(10, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	certPEM, err := sign(template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	// The key first: a certificate on disk then always has its key.
	if err := writePrivate(dir, name+".key", keyPEM); err != nil {
		return nil, err
	}
	if err := writePrivate(dir, name+".crt", certPEM); err != nil {
		return nil, err
	}
	return loadAuthority(dir, name)
}

// issue returns a certificate for s and its new key, both PEM.
func (ca *authority) issue(s subject) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	usage := x509.ExtKeyUsageClientAuth
	if len(s.dnsNames)+len(s.addresses) > 0 {
		usage = x509.ExtKeyUsageServerAuth
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: s.name, Organization: s.groups},
		NotBefore:   time.Now().Add(-clockSlack),
		NotAfter:    time.Now().AddDate(1, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{usage},
		DNSNames:    s.dnsNames,
		IPAddresses: s.addresses,
	}
	if certPEM, err = sign(template, ca.cert, key.Public(), ca.key); err != nil {
		return nil, nil, fmt.Errorf("issue certificate for %s: %w", s.name, err)
	}
	keyPEM, err = encodeKey(key)
	return certPEM, keyPEM, err
}

func sign(template, parent *x509.Certificate, public crypto.PublicKey, key crypto.Signer) ([]byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func writePrivate(dir, name string, content []byte) error {
	return os.WriteFile(filepath.Join(dir, name), content, 0o600)
}

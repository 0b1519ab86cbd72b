// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"path/filepath"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// maxSocketPath is the longest path that a unix socket address holds on Linux and macOS, the shorter one.
const maxSocketPath = 103

// ErrPathTooLong says that the state folder's path leaves no room for the name of a unix socket in it.
var ErrPathTooLong = errors.New("state folder's path is too long for a unix socket")

// ErrAuditLevel says that an audit level is none of those that Options accept.
var ErrAuditLevel = errors.New("audit level must be Metadata or RequestResponse")

// Options are what a caller may choose. The zero value of every field but Dir is usable.
type Options struct {
	// Dir holds all state; it is created when missing.
	Dir string
	// Port of the API server on 127.0.0.1; 0 picks a free one.
	Port int
	// NoFsync lets etcd answer before data is on disk: faster, and still safe against a kill of this process, not
	// against a crash of the machine.
	NoFsync bool
	// AuditLevel for requests to this project's API groups; everything else is logged at level Metadata.
	AuditLevel auditv1.Level
	// AuthenticationConfig is the path of an AuthenticationConfiguration file (OIDC issuers), or empty.
	AuthenticationConfig string
	// APIServerArgs are further flags of kube-apiserver; they win over those set here.
	APIServerArgs []string
}

func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("no state folder given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, fmt.Errorf("state folder: %w", err)
	}
	o.Dir = dir
	if socket := filepath.Join(dir, peerSocket); len(socket) > maxSocketPath {
		return o, fmt.Errorf("%w: %s has %d bytes, at most %d", ErrPathTooLong, socket, len(socket), maxSocketPath)
	}
	switch o.AuditLevel {
	case "":
		o.AuditLevel = auditv1.LevelMetadata
	case auditv1.LevelMetadata, auditv1.LevelRequestResponse:
	default:
		return o, fmt.Errorf("%w, got %q", ErrAuditLevel, o.AuditLevel)
	}
	return o, nil
}

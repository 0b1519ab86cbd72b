// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// AuditFilter selects requests. An empty field selects all; Verbs are audit verbs: get, list, watch, create, update,
// patch, delete, deletecollection.
type AuditFilter struct {
	Namespace string
	Verbs     []string
	Resource  string
	// Subresource selects requests for one subresource; "-" selects those for none.
	Subresource string
	Name        string
	// User is who the request was made as: the impersonated user, if one was.
	User string
	// UserAgent is a prefix.
	UserAgent string
}

// AuditReader reads the audit log from the moment that New made its Cluster. It is for one goroutine.
type AuditReader struct {
	path   string
	filter AuditFilter
	offset int64
	// cut says that offset may be within a line, which is then not ours.
	cut    bool
	events []auditv1.Event
}

// Audit returns a reader of the completed requests that filter selects. A test without an audit log is skipped.
//
// A request is in the log before its answer ends, so one's own requests are there once they have returned. What
// others did may be seen by a watch a moment earlier than in the log.
func (c *Cluster) Audit(filter AuditFilter) *AuditReader {
	c.t.Helper()
	path := c.suite.server.auditLog()
	if path == "" {
		c.t.Skip("this control plane has no audit log to read")
	}
	// One byte earlier, so that the cut is at a line's end if the log's end was.
	return &AuditReader{path: path, filter: filter, offset: max(0, c.auditStart-1), cut: c.auditStart > 0}
}

// Events returns all selected events so far, oldest first. It parses only what was logged since the last call.
func (r *AuditReader) Events() ([]auditv1.Event, error) {
	fresh, err := r.readLines()
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	for line := range bytes.Lines(fresh) {
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("read audit log: %w: %s", err, line)
		}
		if event.Stage == auditv1.StageResponseComplete && r.filter.selects(&event) {
			r.events = append(r.events, event)
		}
	}
	return slices.Clone(r.events), nil
}

// readLines returns the complete lines behind offset and moves it behind them.
func (r *AuditReader) readLines() ([]byte, error) {
	file, err := os.Open(r.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	if _, err := file.Seek(r.offset, io.SeekStart); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	r.offset += int64(len(content))
	if r.cut && len(content) > 0 {
		_, content, _ = bytes.Cut(content, []byte{'\n'})
		r.cut = false
	}
	return content, nil
}

func (f *AuditFilter) selects(event *auditv1.Event) bool {
	ref := event.ObjectRef
	if ref == nil {
		ref = &auditv1.ObjectReference{}
	}
	user := event.User.Username
	if event.ImpersonatedUser != nil {
		user = event.ImpersonatedUser.Username
	}
	return matches(f.Namespace, ref.Namespace) &&
		(len(f.Verbs) == 0 || slices.Contains(f.Verbs, event.Verb)) &&
		matches(f.Resource, ref.Resource) &&
		(matches(f.Subresource, ref.Subresource) || f.Subresource == "-" && ref.Subresource == "") &&
		matches(f.Name, ref.Name) &&
		matches(f.User, user) &&
		strings.HasPrefix(event.UserAgent, f.UserAgent)
}

func matches(wanted, got string) bool { return wanted == "" || wanted == got }

// auditSize is the log's length now. An event that is being written may be in it by half.
func (c *Cluster) auditSize() int64 {
	c.t.Helper()
	path := c.suite.server.auditLog()
	if path == "" {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		c.t.Fatalf("audit log: %v", err)
	}
	return info.Size()
}

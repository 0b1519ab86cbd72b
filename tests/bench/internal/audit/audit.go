// SPDX-License-Identifier: Apache-2.0

// Package audit counts writes in the API server's audit log.
package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Counts are requests by what they did, such as "patch virtualmachineclaims/status".
type Counts map[string]int

// Log is an audit log.
type Log struct{ Path string }

// Mark is the log's present end.
func (l Log) Mark() (int64, error) {
	info, err := os.Stat(l.Path)
	if err != nil {
		return 0, fmt.Errorf("audit log: %w", err)
	}
	return info.Size(), nil
}

// Writes counts the writes that a client made since a mark, by its user agent's beginning.
func (l Log) Writes(since int64, agent string) (Counts, error) {
	file, err := os.Open(l.Path)
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	if _, err := file.Seek(since, io.SeekStart); err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	content, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("audit log: %w", err)
	}
	return count(content[:bytes.LastIndexByte(content, '\n')+1], agent)
}

// event is what is counted by.
type event struct {
	Stage     string `json:"stage"`
	Verb      string `json:"verb"`
	UserAgent string `json:"userAgent"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

func count(log []byte, agent string) (Counts, error) {
	counts := Counts{}
	for line := range bytes.Lines(log) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("audit log: %w: %s", err, line)
		}
		if e.Stage == "ResponseComplete" && strings.HasPrefix(e.UserAgent, agent) && e.writes() {
			counts[e.String()]++
		}
	}
	return counts, nil
}

func (e *event) writes() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, e.Verb)
}

// String says what was done; a failure is told apart by its code.
func (e *event) String() string {
	s := e.Verb + " " + e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		s += "/" + e.ObjectRef.Subresource
	}
	if e.ResponseStatus.Code >= 400 {
		s += fmt.Sprintf(" (%d)", e.ResponseStatus.Code)
	}
	return s
}

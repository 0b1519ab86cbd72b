// SPDX-License-Identifier: Apache-2.0

// Package api is the leanest client that the API server can have: bytes in, bytes out, and only the fields that the
// benchmarks look at are decoded. What it costs is a floor for any client.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// Content types of requests.
const (
	JSON       = "application/json"
	MergePatch = "application/merge-patch+json"
)

// The resources that the benchmarks deal with.
const (
	Claims   = "virtualmachineclaims"
	Machines = "virtualmachines"
)

// Object is what the benchmarks look at in an object.
type Object struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		PoolRef struct {
			Name string `json:"name"`
		} `json:"poolRef"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// Metadata is what they look at in its metadata.
type Metadata struct {
	Name            string            `json:"name"`
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion"`
	Generation      int64             `json:"generation"`
	Labels          map[string]string `json:"labels"`
}

// Client sends requests to one API server.
type Client struct {
	http *http.Client
	base string
}

var errWatch = errors.New("the API server cannot go on with the watch")

// New returns a client that is known by its user agent in the audit log.
func New(config *rest.Config, agent string) (*Client, error) {
	c := rest.CopyConfig(config)
	c.UserAgent = agent
	h, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return &Client{http: h, base: strings.TrimSuffix(c.Host, "/")}, nil
}

// Path is the path of this project's resources; name and subresource may be left out.
func Path(namespace, resource string, rest ...string) string {
	parts := append([]string{"/apis", banlieue.GroupVersion.String(), "namespaces", namespace, resource}, rest...)
	return strings.Join(parts, "/")
}

// Send sends a request and returns the object in its answer.
func (c *Client) Send(ctx context.Context, method, path, contentType string, body []byte) (*Object, error) {
	answer, err := c.open(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Close() }() // only read
	content, err := io.ReadAll(answer)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	object := &Object{}
	return object, json.Unmarshal(content, object)
}

// List returns the objects of a resource and the resourceVersion to watch from.
func (c *Client) List(ctx context.Context, path string) ([]Object, string, error) {
	answer, err := c.open(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = answer.Close() }() // only read
	var list struct {
		Metadata Metadata `json:"metadata"`
		Items    []Object `json:"items"`
	}
	if err := json.NewDecoder(answer).Decode(&list); err != nil {
		return nil, "", fmt.Errorf("listing %s: %w", path, err)
	}
	return list.Items, list.Metadata.ResourceVersion, nil
}

// Watch calls f with every event until the context ends, which is no error. The API server ends watches of clients that
// it finds slow; such a watch goes on where it ended, as every client's does.
func (c *Client) Watch(ctx context.Context, path, from string, f func(kind string, object *Object)) error {
	seen := func(kind string, object *Object) {
		from = object.Metadata.ResourceVersion
		f(kind, object)
	}
	for {
		err := c.watch(ctx, path, from, seen)
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("watching %s: %w", path, err)
		}
	}
}

func (c *Client) watch(ctx context.Context, path, from string, f func(kind string, object *Object)) error {
	answer, err := c.open(ctx, http.MethodGet, path+"?watch=1&resourceVersion="+from, "", nil)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }() // only read
	for events := json.NewDecoder(answer); ; {
		var e struct {
			Type   string  `json:"type"`
			Object *Object `json:"object"`
		}
		if err := events.Decode(&e); err != nil {
			return err
		}
		if e.Type == "ERROR" {
			return errWatch
		}
		f(e.Type, e.Object)
	}
}

func (c *Client) open(ctx context.Context, method, path, contentType string, body []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", JSON)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusMultipleChoices {
		return response.Body, nil
	}
	defer func() { _ = response.Body.Close() }() // only read
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %s: %w", method, path, response.Status, err)
	}
	return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, content)
}

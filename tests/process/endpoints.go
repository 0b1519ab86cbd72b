// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lictor-dev/lictor/rego"
)

// scrapeTimeout is more than any of the endpoints takes.
const scrapeTimeout = 10 * time.Second

// Health asks /healthz, /readyz or a check below them, and returns the status code and the text.
func (c *Controller) Health(path string) (int, string, error) {
	return get(c.t.Context(), c.health, path)
}

// Ready returns nil when the controller says that it is ready, else why it is not.
func (c *Controller) Ready() error {
	code, text, err := c.Health("/readyz/ready")
	if err != nil {
		return err
	}
	if code != http.StatusOK {
		return fmt.Errorf("%d: %s", code, text)
	}
	return nil
}

// Metrics is what /metrics shows.
func (c *Controller) Metrics() string {
	c.t.Helper()
	code, text, err := get(c.t.Context(), c.metrics, "/metrics")
	if err != nil || code != http.StatusOK {
		c.t.Fatalf("/metrics: %d, %v", code, err)
	}
	return text
}

// Metric is the value of one series, written as /metrics writes it; 0 when there is none.
func (c *Controller) Metric(series string) float64 {
	c.t.Helper()
	return c.Series(series)[series]
}

// Series are the values of all series whose text begins as given.
func (c *Controller) Series(prefix string) map[string]float64 {
	c.t.Helper()
	out := map[string]float64{}
	for line := range strings.Lines(c.Metrics()) {
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		// Label values may hold spaces; the value does not.
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		if err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		out[line[:at]] = value
	}
	return out
}

// Bundles is what /bundles shows.
func (c *Controller) Bundles() rego.Status {
	c.t.Helper()
	code, text, err := get(c.t.Context(), c.metrics, "/bundles")
	if err != nil || code != http.StatusOK {
		c.t.Fatalf("/bundles: %d, %v", code, err)
	}
	var status rego.Status
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		c.t.Fatalf("/bundles: %v: %s", err, text)
	}
	return status
}

func get(ctx context.Context, address, path string) (int, string, error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return 0, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }() // only read
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

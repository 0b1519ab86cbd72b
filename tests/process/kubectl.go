// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// CLI is a person at a terminal with kubectl.
type CLI struct {
	t          testing.TB
	program    string
	kubeconfig string
	cache      string
}

// NewCLI gives a person a kubeconfig. Discovery is cached for this test alone: ports are used again by other clusters.
func NewCLI(t testing.TB, kubeconfig string) *CLI {
	t.Helper()
	return &CLI{t: t, program: Kubectl(t), kubeconfig: kubeconfig, cache: t.TempDir()}
}

// Run runs kubectl and returns what it prints. A failure ends the test.
func (c *CLI) Run(args ...string) string {
	c.t.Helper()
	return c.Input("", args...)
}

// Input is Run with something on standard input.
func (c *CLI) Input(stdin string, args ...string) string {
	c.t.Helper()
	out, err := c.Try(stdin, args...)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// Try is Input with a failure as an answer.
func (c *CLI) Try(stdin string, args ...string) (string, error) {
	all := append([]string{"--kubeconfig=" + c.kubeconfig, "--cache-dir=" + c.cache}, args...)
	command := exec.CommandContext(c.t.Context(), c.program, all...)
	command.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.String(), nil
}

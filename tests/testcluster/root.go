// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

var errNoRoot = errors.New("no folder above this one holds go.mod and tests/controlplane")

// repositoryRoot looks upwards from the working folder, which go test sets to the package's.
func repositoryRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if isFile(filepath.Join(dir, "go.mod")) && isFile(filepath.Join(dir, "tests", "controlplane", "go.mod")) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%w: %s", errNoRoot, start)
		}
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

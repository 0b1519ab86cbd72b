// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// screen is what the user sees. Lines and steps may come from several goroutines; no line is torn.
type screen struct {
	mu   sync.Mutex
	out  io.Writer
	open bool // a step has begun, and its line has no end yet
}

// line prints one line, or several if the text has them; those after the first are indented.
func (s *screen) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open {
		s.print("\n")
		s.open = false
	}
	s.print(strings.ReplaceAll(strings.TrimRight(fmt.Sprintf(format, args...), "\n"), "\n", "\n    ") + "\n")
}

// step prints what is begun, does it, and prints what came of it and how long it took.
func (s *screen) step(begun string, do func() (string, error)) error {
	s.mu.Lock()
	s.print(begun + " … ")
	s.open = true
	s.mu.Unlock()
	start := time.Now()
	result, err := do()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open { // lines have come in between
		s.print(begun + ": ")
	}
	s.open = false
	switch {
	case errors.Is(err, context.Canceled):
		s.print("interrupted\n")
		return err
	case err != nil:
		s.print("failed\n")
		return err
	}
	s.print(fmt.Sprintf("%s (%.1f s)\n", result, time.Since(start).Seconds()))
	return nil
}

// print ignores errors: who closed the screen does not want to read why.
func (s *screen) print(text string) { _, _ = io.WriteString(s.out, text) }

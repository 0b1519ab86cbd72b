// SPDX-License-Identifier: Apache-2.0

// Package decisions runs the benchmarks of single decisions.
//
// A benchmark's own clock goes on while other processes have the core. What is promised is CPU time, so each benchmark
// runs twice, once with a single iteration, and the difference of the two processes' CPU times is what iterations cost,
// garbage collection included.
package decisions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// iterations take a second or two.
const iterations = 20000

// program is the compiled test of the package that holds the benchmarks.
type program struct{ path, dir string }

// Run runs each benchmark some times.
func Run(ctx context.Context, times int) (_ *Result, err error) {
	folder, err := os.MkdirTemp("", "lictor-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	p := program{path: filepath.Join(folder, "reconciler.test"), dir: "reconciler"}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", p.path, "./"+p.dir)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the benchmarks of decisions: %w\n%s", err, out)
	}
	out, _, err := p.run(ctx, "ClaimStep|Rank", 1)
	if err != nil {
		return nil, err
	}
	samples, err := parse(out)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for _, s := range samples {
		b, err := p.measure(ctx, s.name, times)
		if err != nil {
			return nil, err
		}
		r.Benchmarks = append(r.Benchmarks, b)
	}
	return r, nil
}

func (p program) measure(ctx context.Context, name string, times int) (Benchmark, error) {
	pattern := "^Benchmark" + strings.ReplaceAll(name, "/", "$/^") + "$"
	var all []sample
	for range times {
		_, once, err := p.run(ctx, pattern, 1)
		if err != nil {
			return Benchmark{}, err
		}
		out, often, err := p.run(ctx, pattern, iterations)
		if err != nil {
			return Benchmark{}, err
		}
		samples, err := parse(out)
		if err != nil {
			return Benchmark{}, err
		}
		samples[0].cpu = float64(often-once) / (iterations - 1)
		all = append(all, samples[0])
	}
	return summary(name, all), nil
}

// run returns what the benchmarks print and the CPU time of the process.
func (p program) run(ctx context.Context, pattern string, n int) (string, time.Duration, error) {
	test := exec.CommandContext(ctx, p.path, "-test.run=^$", "-test.benchmem", "-test.cpu=1", "-test.bench="+pattern,
		fmt.Sprintf("-test.benchtime=%dx", n))
	test.Dir = p.dir
	test.Env = append(os.Environ(), "GOGC=400", "GOMEMLIMIT=256MiB") // what the controller sets for itself while its heap is small
	out, err := test.CombinedOutput()
	if err != nil {
		return "", 0, fmt.Errorf("benchmark %s: %w\n%s", pattern, err, out)
	}
	return string(out), test.ProcessState.UserTime() + test.ProcessState.SystemTime(), nil
}

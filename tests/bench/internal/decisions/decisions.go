// SPDX-License-Identifier: Apache-2.0

package decisions

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lictor-dev/lictor/tests/bench/internal/report"
	"github.com/lictor-dev/lictor/tests/bench/internal/stats"
)

// Budgets.
const (
	microsPerDecision = 100
	growth            = 1.2
)

// Benchmark is one of Go's benchmarks: medians over its runs.
type Benchmark struct {
	Name string `json:"name"`
	// CPU is CPU time, Elapsed time on the wall, both in microseconds per iteration.
	CPU     float64 `json:"cpuMicrosPerOp"`
	Elapsed float64 `json:"elapsedMicrosPerOp"`
	Bytes   float64 `json:"bytesPerOp"`
	Allocs  float64 `json:"allocsPerOp"`
}

// Result is what was measured.
type Result struct {
	Benchmarks []Benchmark `json:"benchmarks"`
}

// sample is one run of a benchmark; times are in nanoseconds.
type sample struct {
	name                        string
	cpu, elapsed, bytes, allocs float64
}

var errNone = errors.New("no benchmark ran")

// parse reads lines such as
//
//	BenchmarkClaimStep/step=Bind/members=100   9000   85000 ns/op   40000 B/op   600 allocs/op
func parse(out string) ([]sample, error) {
	var samples []sample
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 8 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		s := sample{name: strings.TrimPrefix(f[0], "Benchmark")}
		for field, into := range map[int]*float64{2: &s.elapsed, 4: &s.bytes, 6: &s.allocs} {
			var err error
			if *into, err = strconv.ParseFloat(f[field], 64); err != nil {
				return nil, fmt.Errorf("benchmark's output: %w: %s", err, line)
			}
		}
		samples = append(samples, s)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%w:\n%s", errNone, out)
	}
	return samples, nil
}

func summary(name string, all []sample) Benchmark {
	median := func(value func(sample) float64) float64 {
		values := make([]float64, len(all))
		for i, s := range all {
			values[i] = value(s)
		}
		return stats.Median(values)
	}
	return Benchmark{
		Name:    name,
		CPU:     median(func(s sample) float64 { return s.cpu }) / 1000,
		Elapsed: median(func(s sample) float64 { return s.elapsed }) / 1000,
		Bytes:   median(func(s sample) float64 { return s.bytes }),
		Allocs:  median(func(s sample) float64 { return s.allocs }),
	}
}

func (r *Result) cpu(name string) float64 {
	for _, b := range r.Benchmarks {
		if b.Name == name {
			return b.CPU
		}
	}
	return 0
}

// Budgets compares with what was promised.
func (r *Result) Budgets() []report.Budget {
	var out []report.Budget
	for _, step := range []string{"Bind", "Hold"} {
		few := r.cpu("ClaimStep/step=" + step + "/members=100")
		many := r.cpu("ClaimStep/step=" + step + "/members=10000")
		out = append(out,
			report.AtMost("claim step "+step+", 10,000 members, CPU", many, microsPerDecision, "µs"),
			report.AtMost("claim step "+step+", 10,000 members against 100", many/few, growth, "×"))
	}
	return out
}

// Tables are for people.
func (r *Result) Tables() []report.Table {
	t := report.Table{Title: "Decisions", Columns: []string{"benchmark", "CPU µs/op", "elapsed µs/op", "B/op", "allocs/op"}}
	for _, b := range r.Benchmarks {
		t.Rows = append(t.Rows, []string{b.Name, report.Number(b.CPU), report.Number(b.Elapsed), report.Number(b.Bytes),
			report.Number(b.Allocs)})
	}
	return []report.Table{t}
}

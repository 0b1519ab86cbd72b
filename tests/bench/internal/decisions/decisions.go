// SPDX-License-Identifier: Apache-2.0

// Package decisions runs the benchmarks of single decisions.
package decisions

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
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
	Name   string  `json:"name"`
	Micros float64 `json:"microsPerOp"`
	Bytes  float64 `json:"bytesPerOp"`
	Allocs float64 `json:"allocsPerOp"`
}

// Result is what was measured.
type Result struct {
	Benchmarks []Benchmark `json:"benchmarks"`
}

// Run runs the benchmarks some times.
func Run(ctx context.Context, times int) (*Result, error) {
	test := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench=ClaimStep|Rank", "-benchmem", fmt.Sprintf("-count=%d", times), "./reconciler")
	test.Stderr = os.Stderr
	out, err := test.Output()
	if err != nil {
		return nil, fmt.Errorf("benchmarks of decisions: %w\n%s", err, out)
	}
	return parse(out)
}

// parse reads lines such as
//
//	BenchmarkClaimStep/step=Bind/members=100-2   9000   85000 ns/op   40000 B/op   600 allocs/op
func parse(out []byte) (*Result, error) {
	type values struct{ nanos, bytes, allocs []float64 }
	byName := map[string]*values{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) != 8 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i] // the number of cores
		}
		v := byName[name]
		if v == nil {
			v = &values{}
			byName[name] = v
		}
		for field, into := range map[int]*[]float64{2: &v.nanos, 4: &v.bytes, 6: &v.allocs} {
			x, err := strconv.ParseFloat(f[field], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark's output: %w: %s", err, lines.Text())
			}
			*into = append(*into, x)
		}
	}
	if len(byName) == 0 {
		return nil, fmt.Errorf("no benchmark ran:\n%s", out)
	}
	r := &Result{}
	for name, v := range byName {
		r.Benchmarks = append(r.Benchmarks, Benchmark{Name: name, Micros: stats.Median(v.nanos) / 1000,
			Bytes: stats.Median(v.bytes), Allocs: stats.Median(v.allocs)})
	}
	slices.SortFunc(r.Benchmarks, func(a, b Benchmark) int { return cmp.Compare(a.Name, b.Name) })
	return r, nil
}

func (r *Result) micros(name string) float64 {
	for _, b := range r.Benchmarks {
		if b.Name == name {
			return b.Micros
		}
	}
	return 0
}

// Budgets compares with what was promised.
func (r *Result) Budgets() []report.Budget {
	var out []report.Budget
	for _, step := range []string{"Bind", "Hold"} {
		few := r.micros("ClaimStep/step=" + step + "/members=100")
		many := r.micros("ClaimStep/step=" + step + "/members=10000")
		out = append(out,
			report.AtMost("claim step "+step+", 10,000 members", many, microsPerDecision, "µs"),
			report.AtMost("claim step "+step+", 10,000 members against 100", many/few, growth, "×"))
	}
	return out
}

// Tables are for people.
func (r *Result) Tables() []report.Table {
	t := report.Table{Title: "Decisions", Columns: []string{"benchmark", "µs/op", "B/op", "allocs/op"}}
	for _, b := range r.Benchmarks {
		t.Rows = append(t.Rows, []string{b.Name, report.Number(b.Micros), report.Number(b.Bytes), report.Number(b.Allocs)})
	}
	return []report.Table{t}
}

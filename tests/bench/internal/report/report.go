// SPDX-License-Identifier: Apache-2.0

// Package report renders what was measured: for people as text or Markdown, for programs as JSON.
package report

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Report is one run.
type Report struct {
	Date    string `json:"date"`
	Command string `json:"command"`
	Cores   int    `json:"cores"`
	CPU     string `json:"cpu"`
	Go      string `json:"go"`
	// Budgets is what was promised, and whether it is kept.
	Budgets []Budget `json:"budgets"`
	// Measured holds each measurement's own result, by its name.
	Measured map[string]any `json:"measured"`
	// Tables are the measurements for people.
	Tables []Table `json:"-"`
}

// Budget is one promise.
type Budget struct {
	What     string  `json:"what"`
	Measured float64 `json:"measured"`
	Unit     string  `json:"unit"`
	// Limit is the highest allowed value, or the lowest if AtLeast.
	Limit   float64 `json:"limit"`
	AtLeast bool    `json:"atLeast,omitempty"`
	Met     bool    `json:"met"`
}

// AtMost is a budget that is met by staying at or below the limit.
func AtMost(what string, measured, limit float64, unit string) Budget {
	return Budget{What: what, Measured: measured, Unit: unit, Limit: limit, Met: measured <= limit}
}

// AtLeast is a budget that is met by reaching the limit.
func AtLeast(what string, measured, limit float64, unit string) Budget {
	return Budget{What: what, Measured: measured, Unit: unit, Limit: limit, AtLeast: true, Met: measured >= limit}
}

// Table is a table for people. The first column is text, the others are numbers.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// New is a report of a run that begins now, by a command.
func New(command string) *Report {
	return &Report{
		Date: time.Now().UTC().Format(time.DateOnly), Command: command,
		Cores: runtime.NumCPU(), CPU: cpuModel(), Go: runtime.Version(), Measured: map[string]any{},
	}
}

// Add takes over one measurement.
func (r *Report) Add(name string, result any, budgets []Budget, tables ...Table) {
	r.Measured[name] = result
	r.Budgets = append(r.Budgets, budgets...)
	r.Tables = append(r.Tables, tables...)
}

// AllMet tells whether every budget is kept.
func (r *Report) AllMet() bool {
	return !slices.ContainsFunc(r.Budgets, func(b Budget) bool { return !b.Met })
}

func (r *Report) budgetTable() Table {
	t := Table{Title: "Budgets", Columns: []string{"what", "measured", "budget", "met"}}
	for _, b := range r.Budgets {
		sign, met := "≤", "yes"
		if b.AtLeast {
			sign = "≥"
		}
		if !b.Met {
			met = "no"
		}
		t.Rows = append(t.Rows, []string{b.What, Number(b.Measured) + " " + b.Unit, sign + " " + Number(b.Limit) + " " + b.Unit, met})
	}
	return t
}

// Number renders a value with as many digits as are worth reading.
func Number(v float64) string {
	switch {
	case v == float64(int64(v)) || v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v >= 100:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// cpuModel is what Linux says; elsewhere the architecture.
func cpuModel() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer func() { _ = file.Close() }() // only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

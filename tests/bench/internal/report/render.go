// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// Text prints the report for a terminal.
func (r *Report) Text(w io.Writer) error {
	for _, t := range append(r.Tables, r.budgetTable()) {
		if _, err := fmt.Fprintf(w, "\n%s\n", t.Title); err != nil {
			return err
		}
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{t.Columns}, t.Rows...) {
			_, _ = fmt.Fprintln(tw, strings.Join(row, "\t")) // Flush tells
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes the report to a file.
func (r *Report) JSON(path string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	return os.WriteFile(path, append(content, '\n'), 0o644)
}

const introduction = `# Benchmarks

Made by %s on %s; %d cores (%s), %s. Do not edit.

Decisions are measured in memory, with the shipped bundles. Binding is measured on a real API server and etcd that share
the machine's cores with the load generator and with the controller, so the API server's own speed is the ceiling. It is
therefore compared, round by round in the same run, with a bare client: a process that watches claims and makes the same
three writes with as many workers, and decides nothing. Latency is from just before a claim is created until a watch shows
it Bound; writes are counted from the audit log; CPU is user and system time of the process. "Others" is how
much of all cores processes outside of the benchmark kept busy: where that is not little, rates and latencies do not count.
`

// Markdown writes the report as a document.
func (r *Report) Markdown(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, "`"+r.Command+"`", r.Date, r.Cores, r.CPU, r.Go)
	for _, t := range append([]Table{r.budgetTable()}, r.Tables...) {
		fmt.Fprintf(&b, "\n## %s\n\n", t.Title)
		markdownRow(&b, t.Columns)
		rule := []string{"---"}
		for range t.Columns[1:] {
			rule = append(rule, "--:")
		}
		markdownRow(&b, rule)
		for _, row := range t.Rows {
			markdownRow(&b, row)
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func markdownRow(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

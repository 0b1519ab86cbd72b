// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lictor-dev/lictor/tests/bench/internal/report"
	"github.com/lictor-dev/lictor/tests/bench/internal/stats"
)

// Budgets.
const (
	writesToBound  = 3
	ratioPercent   = 70
	cpuPerClaim    = 4
	p50OverWrites  = 15
	p99OverWrites  = 60
	percentOfWhole = 100
)

// Result is what was measured.
type Result struct {
	Phases []Phase `json:"phases"`
	// Writes is the latency of the three writes of a bind in sequence, during the open loop, by contender.
	Writes map[string]stats.Latency `json:"threeWrites"`
}

func (s *suite) result() *Result {
	r := &Result{Phases: s.phases, Writes: map[string]stats.Latency{}}
	for who, d := range s.probes {
		r.Writes[who] = stats.Of(d)
	}
	return r
}

// of is the median of a value over a contender's rounds of a load.
func (r *Result) of(who, loadName string, value func(*Phase) float64) float64 {
	return stats.Median(r.values(who, loadName, value))
}

func (r *Result) values(who, loadName string, value func(*Phase) float64) []float64 {
	var out []float64
	for i := range r.Phases {
		if p := &r.Phases[i]; p.Who == who && p.Load == loadName {
			out = append(out, value(p))
		}
	}
	return out
}

// ratio is the median over the rounds of the controller's rate in percent of the bare client's in the same round.
// Phases of a load are in the order of their rounds for both.
func (r *Result) ratio(loadName string) float64 {
	rate := func(p *Phase) float64 { return p.PerSec }
	ours, theirs := r.values(controller, loadName, rate), r.values(bareClient, loadName, rate)
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = percentOfWhole * ours[i] / theirs[i]
	}
	return stats.Median(ratios)
}

// bindWrites are the writes to claims and machines per claim.
func (p *Phase) bindWrites() float64 {
	n := 0
	for what, count := range p.Writes {
		if strings.Contains(what, "virtualmachineclaims") || strings.Contains(what, "virtualmachines") {
			n += count
		}
	}
	return float64(n) / float64(p.Claims)
}

// Budgets compares with what was promised.
func (r *Result) Budgets() []report.Budget {
	open := func(value func(*Phase) float64) float64 { return r.of(controller, openLoop, value) }
	var writes, cpu float64
	for _, p := range r.Phases {
		if p.Who == controller {
			writes, cpu = max(writes, p.bindWrites()), max(cpu, p.CPU)
		}
	}
	during := r.Writes[controller]
	return []report.Budget{
		report.AtMost("API writes for a claim to become Bound, worst load", writes, writesToBound, ""),
		report.AtLeast("claims/s of a bare client, "+closedLoop, r.ratio(closedLoop), ratioPercent, "%"),
		report.AtLeast("claims/s of a bare client, "+burst, r.ratio(burst), ratioPercent, "%"),
		report.AtMost("controller CPU per claim, worst load", cpu, cpuPerClaim, "ms"),
		report.AtMost("create to Bound over three raw writes, "+openLoop+", p50",
			open(func(p *Phase) float64 { return p.Latency.P50 })-during.P50, p50OverWrites, "ms"),
		report.AtMost("create to Bound over three raw writes, "+openLoop+", p99",
			open(func(p *Phase) float64 { return p.Latency.P99 })-during.P99, p99OverWrites, "ms"),
	}
}

// Tables are for people.
func (r *Result) Tables() []report.Table {
	return []report.Table{r.loads(), r.writes()}
}

func (r *Result) loads() report.Table {
	t := report.Table{Title: "Binding, medians of the rounds (latency in ms, CPU in ms per claim, memory in MiB)", Columns: []string{
		"load", "claims/s", "p50", "p90", "p99", "writes/claim", "CPU", "CPU control plane", "CPU load", "RSS", "peak RSS", "others %"}}
	columns := []func(*Phase) float64{
		func(p *Phase) float64 { return p.PerSec },
		func(p *Phase) float64 { return p.Latency.P50 },
		func(p *Phase) float64 { return p.Latency.P90 },
		func(p *Phase) float64 { return p.Latency.P99 },
		(*Phase).bindWrites,
		func(p *Phase) float64 { return p.CPU },
		func(p *Phase) float64 { return p.PlaneCPU },
		func(p *Phase) float64 { return p.LoadCPU },
		func(p *Phase) float64 { return p.RSS },
		func(p *Phase) float64 { return p.Peak },
		func(p *Phase) float64 { return p.Others },
	}
	for _, l := range []string{closedLoop, burst, openLoop} {
		for _, who := range []string{controller, bareClient} {
			row := []string{l + ", " + who}
			for _, c := range columns {
				row = append(row, report.Number(r.of(who, l, c)))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	for _, who := range []string{controller, bareClient} {
		w := r.Writes[who]
		t.Rows = append(t.Rows, []string{"three raw writes meanwhile, " + who, "", report.Number(w.P50), report.Number(w.P90),
			report.Number(w.P99), "3", "", "", "", "", "", ""})
	}
	return t
}

// writes lists every write of the controller: those of pools, events and leases do not grow with claims.
func (r *Result) writes() report.Table {
	t := report.Table{Title: "Every write of the controller, per claim, all rounds", Columns: []string{"request", closedLoop, burst, openLoop}}
	totals, claims := map[string]map[string]int{}, map[string]int{}
	for _, p := range r.Phases {
		if p.Who != controller {
			continue
		}
		claims[p.Load] += p.Claims
		for what, n := range p.Writes {
			if totals[what] == nil {
				totals[what] = map[string]int{}
			}
			totals[what][p.Load] += n
		}
	}
	for what, byLoad := range totals {
		row := []string{what}
		for _, l := range t.Columns[1:] {
			row = append(row, fmt.Sprintf("%.3f", float64(byLoad[l])/float64(claims[l])))
		}
		t.Rows = append(t.Rows, row)
	}
	slices.SortFunc(t.Rows, slices.Compare)
	return t
}

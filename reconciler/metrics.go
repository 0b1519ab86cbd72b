// SPDX-License-Identifier: Apache-2.0

package reconciler

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/lictor-dev/lictor/reconciler/kernel"
)

// Metrics counts passes and effects. No label carries an object's name.
type Metrics struct {
	passes    *prometheus.CounterVec
	durations *prometheus.HistogramVec
	effects   *prometheus.CounterVec
	troubles  *prometheus.CounterVec
	leading   prometheus.Gauge
	viewItems *prometheus.Desc
	sizes     func() map[string]map[string]int
}

// NewMetrics registers the reconciler's metrics. Call it once.
func NewMetrics(reg prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		passes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lictor_reconcile_total", Help: "Passes, by registration, the step that policy took (empty: none), and the policy's revision.",
		}, []string{"registration", "step", "revision"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "lictor_reconcile_duration_seconds", Help: "Time of one pass, effects included.",
			Buckets: prometheus.ExponentialBuckets(50e-6, 2, 18), // 50 µs (a pass without writes) to 6.5 s
		}, []string{"registration"}),
		effects: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lictor_effects_total", Help: "Effects performed, by type and outcome.",
		}, []string{"type", "outcome"}),
		troubles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lictor_reconcile_trouble_total", Help: "Passes that ended in the condition Decided=False, by reason.",
		}, []string{"registration", "reason"}),
		leading: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "lictor_leader", Help: "1 while this process leads.",
		}),
		viewItems: prometheus.NewDesc("lictor_view_items", "Objects in each bucket of each view.", []string{"view", "bucket"}, nil),
		sizes:     func() map[string]map[string]int { return nil },
	}
	for _, c := range []prometheus.Collector{m.passes, m.durations, m.effects, m.troubles, m.leading, m} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Describe and Collect make the view sizes a collector: they are counted when asked for, not on every change.
func (m *Metrics) Describe(ch chan<- *prometheus.Desc) { ch <- m.viewItems }

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(ch chan<- prometheus.Metric) {
	for view, buckets := range m.sizes() {
		for bucket, n := range buckets {
			ch <- prometheus.MustNewConstMetric(m.viewItems, prometheus.GaugeValue, float64(n), view, bucket)
		}
	}
}

func (m *Metrics) reconciled(registration, step, revision string, took time.Duration) {
	m.passes.WithLabelValues(registration, step, revision).Inc()
	m.durations.WithLabelValues(registration).Observe(took.Seconds())
}

// retire drops the series of revisions that decide no more.
func (m *Metrics) retire(revisions []string) {
	for _, r := range revisions {
		m.passes.DeletePartialMatch(prometheus.Labels{"revision": r})
	}
}

func (m *Metrics) effect(effectType string, err error) {
	var refusal *kernel.Refusal
	var taken *kernel.Taken
	outcome := "error"
	switch {
	case err == nil:
		outcome = "done"
	case errors.As(err, &refusal):
		outcome = "refused"
	case errors.As(err, &taken):
		outcome = "taken"
	case apierrors.IsConflict(err):
		outcome = "conflict"
	}
	m.effects.WithLabelValues(effectType, outcome).Inc()
}

func (m *Metrics) trouble(registration, reason string) {
	m.troubles.WithLabelValues(registration, reason).Inc()
}

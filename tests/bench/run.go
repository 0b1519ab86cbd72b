// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/lictor-dev/lictor/tests/bench/internal/binding"
	"github.com/lictor-dev/lictor/tests/bench/internal/decisions"
	"github.com/lictor-dev/lictor/tests/bench/internal/lictor"
	"github.com/lictor-dev/lictor/tests/bench/internal/memory"
	"github.com/lictor-dev/lictor/tests/bench/internal/plane"
	"github.com/lictor-dev/lictor/tests/bench/internal/report"
)

var (
	errMissed  = errors.New("a budget is not met")
	errMeasure = errors.New("--measure knows decisions, binding and memory")
)

func progress(what string) { fmt.Fprintln(os.Stderr, what) }

func (o *options) run(ctx context.Context) error {
	wanted := strings.Split(o.measure, ",")
	for _, w := range wanted {
		if !slices.Contains([]string{"decisions", "binding", "memory"}, w) {
			return fmt.Errorf("%w, not %q", errMeasure, w)
		}
	}
	r := report.New(o.command)
	if slices.Contains(wanted, "decisions") {
		progress("decisions")
		d, err := decisions.Run(ctx, o.decisions)
		if err != nil {
			return err
		}
		r.Add("decisions", d, d.Budgets(), d.Tables()...)
	}
	if err := o.onControlPlanes(ctx, r, wanted); err != nil {
		return err
	}
	return o.publish(r)
}

func (o *options) publish(r *report.Report) error {
	err := r.Text(os.Stdout)
	if o.json != "" {
		err = errors.Join(err, r.JSON(o.json))
	}
	if o.markdown != "" {
		err = errors.Join(err, r.Markdown(o.markdown))
	}
	if o.strict && !r.AllMet() {
		err = errors.Join(err, errMissed)
	}
	return err
}

// onControlPlanes gives each measurement a control plane of its own, so that none meets another's objects.
func (o *options) onControlPlanes(ctx context.Context, r *report.Report, wanted []string) error {
	if slices.Contains(wanted, "binding") {
		err := o.onControlPlane(ctx, func(p *plane.Plane) error {
			result, err := binding.Run(ctx, p, o.binding, progress)
			if err != nil {
				return err
			}
			r.Add("binding", result, result.Budgets(), result.Tables()...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !slices.Contains(wanted, "memory") {
		return nil
	}
	return o.onControlPlane(ctx, func(p *plane.Plane) error {
		progress("memory: making objects")
		result, err := memory.Run(ctx, p, o.binding.Controller, o.objects)
		if err != nil {
			return err
		}
		r.Add("memory", result, result.Budgets(), result.Tables()...)
		return nil
	})
}

func (o *options) onControlPlane(ctx context.Context, measure func(*plane.Plane) error) (err error) {
	if _, err := os.Stat(o.controlPlane); err != nil {
		return fmt.Errorf("no control plane; make %s builds it: %w", o.controlPlane, err)
	}
	p, err := plane.Start(ctx, o.controlPlane, o.fsync)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if o.binding.Self, err = os.Executable(); err != nil {
		return err
	}
	if o.binding.Controller == "" {
		built := p.File("lictor")
		defer func() { o.binding.Controller = "" }() // it goes with the control plane's folder
		o.binding.Controller = built
		if err := lictor.Build(ctx, built); err != nil {
			return err
		}
	}
	return measure(p)
}

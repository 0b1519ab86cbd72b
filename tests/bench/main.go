// SPDX-License-Identifier: Apache-2.0

// Command bench measures whether this project is as fast as it promises, and prints what it found beside what was
// promised. Run it from the repository's root, on a machine that does nothing else:
//
//	go run ./tests/bench --measure decisions,binding,memory --json .bin/bench.json --markdown docs/benchmarks.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/lictor-dev/lictor/tests/bench/internal/bare"
	"github.com/lictor-dev/lictor/tests/bench/internal/binding"
)

// options are the flags.
type options struct {
	command        string
	measure        string
	json, markdown string
	strict         bool
	controlPlane   string
	fsync          bool
	decisions      int
	objects        int
	binding        binding.Options
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctrl.SetLogger(logr.Discard())
	err := dispatch(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func dispatch(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "bare" {
		return runBare(ctx, args[1:])
	}
	return parseFlags(args).run(ctx)
}

// runBare is this program as the bare client: bare KUBECONFIG NAMESPACE WORKERS.
func runBare(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return errors.New("usage: bench bare KUBECONFIG NAMESPACE WORKERS")
	}
	workers, err := strconv.Atoi(args[2])
	if err != nil {
		return fmt.Errorf("workers: %w", err)
	}
	return bare.Run(ctx, bare.Options{Kubeconfig: args[0], Namespace: args[1], Workers: workers}, os.Stdout)
}

func parseFlags(args []string) *options {
	o := &options{}
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	f.StringVar(&o.measure, "measure", "decisions,binding", "what to measure: decisions, binding, memory (slow)")
	f.StringVar(&o.json, "json", "", "also write the results to this file")
	f.StringVar(&o.markdown, "markdown", "", "also write the tables to this file")
	f.BoolVar(&o.strict, "strict", false, "fail when a budget is not met")
	f.StringVar(&o.controlPlane, "controlplane", ".bin/controlplane", "the control plane's program")
	f.BoolVar(&o.fsync, "fsync", false, "let etcd wait for the disk")
	f.IntVar(&o.decisions, "decision-count", 3, "runs of the decision benchmarks, whose median counts")
	f.IntVar(&o.objects, "objects", 10000, "claims, and as many machines, whose memory is measured")
	f.StringVar(&o.binding.Controller, "controller", "", "a lictor program; built from the sources if not given")
	f.IntVar(&o.binding.Rounds, "rounds", 5, "rounds of closed loop and burst, whose median counts")
	f.IntVar(&o.binding.Closed, "closed", 600, "claims of a closed loop")
	f.IntVar(&o.binding.Burst, "burst", 300, "claims of a burst")
	f.IntVar(&o.binding.Clients, "clients", 16, "clients of a closed loop")
	f.IntVar(&o.binding.Workers, "workers", 16, "workers of the bare client")
	f.Float64Var(&o.binding.Rate, "rate", 45, "claims per second of the open loop")
	f.DurationVar(&o.binding.Open, "open", time.Minute, "how long the open loop lasts")
	_ = f.Parse(args) // ExitOnError: it does not return an error
	o.command = "go run ./tests/bench"
	f.Visit(func(set *flag.Flag) {
		if set.Name != "json" && set.Name != "markdown" { // they do not change what is measured
			o.command += " --" + set.Name + "=" + set.Value.String()
		}
	})
	return o
}

// SPDX-License-Identifier: Apache-2.0

// Command controlplane runs a real Kubernetes control plane on loopback until it is told to stop; see the package
// of the same name. It prints one line when clients may come:
//
//	READY kubeconfig=PATH audit=PATH in DURATION
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/lictor-dev/lictor/tests/controlplane"
)

func main() {
	var o controlplane.Options
	var ephemeral bool
	flags := pflag.NewFlagSet("controlplane", pflag.ExitOnError)
	addFlags(flags, &o, &ephemeral)
	// ExitOnError: Parse does not return an error.
	_ = flags.Parse(os.Args[1:])

	// Warnings about deprecated API versions come from upstream's own controllers and concern nobody here.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var owner io.Reader
	if ephemeral {
		owner = os.Stdin
	}
	if err := run(ctx, o, owner); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

func addFlags(flags *pflag.FlagSet, o *controlplane.Options, ephemeral *bool) {
	flags.StringVar(&o.Dir, "dir", ".controlplane", "folder for all state; kept when the program stops")
	flags.IntVar(&o.Port, "port", 0, "port of the API server on 127.0.0.1; 0 picks a free one")
	flags.BoolVar(&o.NoFsync, "no-fsync", false, "do not wait for the disk; for tests")
	flags.StringVar((*string)(&o.AuditLevel), "audit-level", "Metadata",
		"audit level for this project's API groups: Metadata or RequestResponse; all else is at Metadata")
	flags.StringVar(&o.AuthenticationConfig, "authentication-config", "", "AuthenticationConfiguration file (OIDC issuers)")
	flags.StringArrayVar(&o.APIServerArgs, "apiserver-arg", nil, "further kube-apiserver flag, as --name=value; repeatable")
	flags.BoolVar(ephemeral, "ephemeral", false,
		"belong to whoever holds standard input: when it closes, stop and remove --dir")
}

// run runs the control plane until ctx ends, or until owner, when there is one, has no more to read: then the state
// folder goes, too.
func run(ctx context.Context, o controlplane.Options, owner io.Reader) error {
	begin := time.Now()
	cp, err := controlplane.Start(ctx, o)
	if err != nil {
		return err
	}
	fmt.Printf("READY kubeconfig=%s audit=%s in %s\n", cp.Kubeconfig(), cp.AuditLog(), time.Since(begin).Round(time.Millisecond))
	select {
	case <-ctx.Done():
		return cp.Stop()
	case <-cp.Ended():
		return errors.Join(errors.New("the API server ended by itself"), cp.Stop())
	case <-gone(owner):
		return errors.Join(cp.Stop(), os.RemoveAll(o.Dir))
	}
}

// gone returns a channel that is closed when owner has no more to read; nobody's is never closed.
func gone(owner io.Reader) <-chan struct{} {
	if owner == nil {
		return nil
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		// Whatever ends the reading, the owner is gone.
		_, _ = io.Copy(io.Discard, owner)
	}()
	return closed
}

package main

import (
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/go-logr/logr"
	_ "github.com/open-policy-agent/opa/v1/bundle"
	_ "github.com/open-policy-agent/opa/v1/topdown"
	_ "github.com/prometheus/client_golang/prometheus"
	_ "github.com/spf13/cobra"
	_ "github.com/invopop/jsonschema"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/stretchr/testify/require"
	_ "pgregory.net/rapid"
	_ "k8s.io/client-go/tools/leaderelection"
	_ "k8s.io/apiserver/pkg/apis/audit/v1"
	_ "sigs.k8s.io/controller-runtime"
	_ "sigs.k8s.io/yaml"
)

func main() {}

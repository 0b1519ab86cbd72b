# Every target runs from the repository's root and needs nothing but Go, a C compiler (for the race detector) and
# git. Programs are built once into .bin/ from pinned module versions and run from there.

.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

BUNDLES      := $(patsubst %/.manifest,%,$(wildcard bundles/*/.manifest))
BUNDLE_FLAGS := $(patsubst %,--bundle %,$(BUNDLES))
# What `make generate` writes; `make verify` fails when a commit lacks it.
GENERATED    := api deploy/crds deploy/rbac bundles/schemas

##@ Everyday

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build lictor into .bin/.
	go build -o .bin/lictor ./cmd/lictor

.PHONY: dev
dev: .bin/controlplane .bin/kubectl build ## Run all of it on this machine; ARGS="--bundle ./bundles/claims" to edit policy live.
	@exec .bin/lictor dev $(ARGS)

.PHONY: test
test: test-policy test-go test-controlplane ## Run every test, against a real API server.

.PHONY: verify
verify: verify-generated lint-go lint-policy ## Regenerate, then fail on a difference, a format or a lint finding.

.PHONY: generate
generate: generate-api generate-schemas generate-rbac ## Write all generated files.

.PHONY: clean
clean: ## Remove what was built and run here; Go's own caches stay.
	rm -rf .bin .controlplane

##@ Tests

# Test packages with a control plane take turns in pairs: more of them only starve each other on two cores.
.PHONY: test-go
test-go: .bin/controlplane .bin/kubectl ## Test the Go code, with the race detector.
	go test -race -p 2 -timeout 20m ./...

.PHONY: test-policy
test-policy: .bin/.opa ## Test the policies; 95 % of their lines must be covered.
	.bin/opa test --timeout 60s $(BUNDLE_FLAGS)
	.bin/opa test --timeout 60s $(BUNDLE_FLAGS) --coverage --threshold 95 > .bin/rego-coverage.json

# Without the race detector, which would compile all of Kubernetes once more.
.PHONY: test-controlplane
test-controlplane: .bin/controlplane ## Test the control plane that the other tests run against.
	cd tests/controlplane && go test -ldflags '$(KUBE_LDFLAGS)' -timeout 10m ./...

.PHONY: bench
bench: .bin/controlplane .bin/kubectl ## Run the benchmarks.
	go run ./tests/bench --measure=decisions,binding,memory --json=.bin/bench.json --markdown=docs/benchmarks.md

.PHONY: faults
faults: .bin/controlplane .bin/kubectl ## Kill and pause controllers at length.
	go test ./tests/faults -run TestRandomKills -count=1 -v -timeout 60m -kills=200

##@ Checks

.PHONY: verify-generated
verify-generated: generate ## Fail unless generated files are committed as generated.
	@changes=$$(git status --porcelain -- $(GENERATED)); if [[ -n $$changes ]]; then \
		git --no-pager diff -- $(GENERATED); \
		echo "Commit these, or what they are generated from:"; echo "$$changes"; exit 1; fi

.PHONY: lint-go
lint-go: .bin/.tools ## Check the Go code: format, lint, import rules.
	.bin/golangci-lint run --allow-serial-runners
	cd tests/controlplane && ../../.bin/golangci-lint run --allow-serial-runners

.PHONY: lint-policy
lint-policy: .bin/.opa .bin/.tools ## Check the policies: format, types, lint.
	.bin/opa fmt --list --fail bundles
	.bin/opa check --strict --bundle --schema bundles/schemas $(BUNDLES)
	.bin/regal lint bundles

.PHONY: format
format: .bin/.opa .bin/.tools ## Format Go code and policies.
	.bin/golangci-lint fmt
	cd tests/controlplane && ../../.bin/golangci-lint fmt
	.bin/opa fmt --write bundles

##@ Generated files

include api/generate.mk
CONTROLLER_GEN := .bin/controller-gen
generate-api: .bin/.tools

.PHONY: generate-schemas
generate-schemas: ## Regenerate the decisions' JSON Schemas from api/decision.
	go run ./api/decision/v1/schemagen

# After the schemas, which are embedded in the program that renders.
.PHONY: generate-rbac
generate-rbac: generate-schemas ## Regenerate the controller's RBAC from what the bundles register.
	@mkdir -p deploy/rbac .bin
	go run ./cmd/lictor render rbac > .bin/rbac.yaml
	mv .bin/rbac.yaml deploy/rbac/controller.yaml

##@ Programs

# The version is not in Kubernetes' source; without it /version, and clients that read it, misbehave.
KUBE_LDFLAGS := -X k8s.io/component-base/version.gitVersion=v1.37.2 \
	-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=37
CONTROLPLANE := $(wildcard tests/controlplane/*.go tests/controlplane/cmd/controlplane/*.go) \
	tests/controlplane/go.mod tests/controlplane/go.sum

# Build flags here and in test-controlplane are alike, and plain: with others, Kubernetes is compiled anew.
.bin/controlplane: $(CONTROLPLANE)
	@echo "Building the control plane. The first time, this compiles Kubernetes and takes 5 to 10 minutes."
	cd tests/controlplane && go build -ldflags '$(KUBE_LDFLAGS)' -o ../../.bin/controlplane ./cmd/controlplane

.PHONY: kubectl
kubectl: .bin/kubectl ## Build kubectl into .bin/.
.bin/kubectl: tests/controlplane/go.mod tests/controlplane/go.sum
	cd tests/controlplane && go build -ldflags '$(KUBE_LDFLAGS)' -o ../../.bin/kubectl k8s.io/kubernetes/cmd/kubectl

# One stamp for all tools of a module.
.bin/.tools: tests/tools/go.mod tests/tools/go.sum
	@echo "Building golangci-lint, Regal, controller-gen and benchstat."
	@mkdir -p .bin
	cd tests/tools && go build -o ../../.bin/ tool
	@touch $@

.bin/.opa: tests/tools/opa/go.mod tests/tools/opa/go.sum
	@echo "Building opa."
	@mkdir -p .bin
	cd tests/tools/opa && go build -o ../../../.bin/ tool
	@touch $@

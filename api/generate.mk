# Generates what follows from the Go types in api/: the deepcopy methods beside them and the CRDs in
# deploy/crds/. Included by the Makefile at the root; every command runs from there.

CONTROLLER_GEN := go tool -modfile=tests/tools/go.mod controller-gen
API_PATHS      := paths=./api/banlieue/v1alpha1 paths=./api/infrastructure/v1alpha1

.PHONY: generate-api
generate-api: ## Regenerate deepcopy methods and CRDs from the types in api/.
	$(CONTROLLER_GEN) object:headerFile=api/boilerplate.go.txt crd $(API_PATHS) output:crd:dir=deploy/crds

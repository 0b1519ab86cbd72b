// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// fieldOwner is who owns the fields that are applied here.
	fieldOwner = client.FieldOwner("lictor-dev")
	// servedTimeout is many times what the API server takes to serve a new kind.
	servedTimeout = 30 * time.Second
)

// readFolder reads all manifests of a folder, in the order of their files' names.
func readFolder(dir string) ([]*unstructured.Unstructured, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("manifests: %w", err)
		}
		objects, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("manifests: %s: %w", file, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// parse reads the documents of a YAML text; empty ones are left out.
func parse(text []byte) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	var all []*unstructured.Unstructured
	for {
		var object map[string]any
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(object) > 0 {
			all = append(all, &unstructured.Unstructured{Object: object})
		}
	}
}

// apply applies objects in their order. What was edited in the meantime is set back: the files say what is wanted.
func apply(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		name := object.GetKind() + " " + object.GetName()
		err := wait.PollUntilContextTimeout(ctx, poll, servedTimeout, true, func(ctx context.Context) (bool, error) {
			err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(object.DeepCopy()), fieldOwner, client.ForceOwnership)
			if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
				return false, nil // its kind was established a moment ago and is about to be served
			}
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("apply %s: %w", name, err)
		}
	}
	return nil
}

// awaitEstablished waits until the API server has taken up all CRDs.
func awaitEstablished(ctx context.Context, c client.Client, crds []*unstructured.Unstructured) error {
	for _, crd := range crds {
		err := wait.PollUntilContextTimeout(ctx, poll, servedTimeout, true, func(ctx context.Context) (bool, error) {
			var now apiextensionsv1.CustomResourceDefinition
			if err := c.Get(ctx, client.ObjectKeyFromObject(crd), &now); err != nil {
				return false, err
			}
			return isEstablished(&now), nil
		})
		if err != nil {
			return fmt.Errorf("the API server does not take up the CRD %s: %w", crd.GetName(), err)
		}
	}
	return nil
}

func isEstablished(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for _, condition := range crd.Status.Conditions {
		if condition.Type == apiextensionsv1.Established {
			return condition.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package bundles

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/lictor-dev/lictor/tests/e2e/fixture"
)

// TestBundleBringsAKindOfItsOwn lets a bundle reconcile a kind that no line of Go has heard of. While the controller
// runs the registration is taken away and given back.
func TestBundleBringsAKindOfItsOwn(t *testing.T) {
	greetings := newFolder(t, "greetings")
	require.NoError(t, os.CopyFS(greetings.dir, os.DirFS("testdata/greetings")))
	w := fixture.New(t, greetings.dir)
	_, err := envtest.InstallCRDs(w.Config, envtest.CRDInstallOptions{Paths: []string{"testdata/crds"}, ErrorIfPathMissing: true})
	require.NoError(t, err)
	w.StartController(greetings.dir)

	greet(w, "hello", "good morning")
	w.Until("everything is as policy says", func() error { return says(w, "hello", "good morning") })
	card := get(w, "Card", "hello")
	require.Equal(t, "hello", card.GetOwnerReferences()[0].Name)
	require.Equal(t, "Welcomed", w.UntilEvent("hello", "Welcomed").Reason)
	w.Kubectl.Run("patch", "greeting", "hello", "--type=merge", "--patch", `{"spec": {"text": "good evening"}}`)
	w.Until("everything follows", func() error { return says(w, "hello", "good evening") })
	require.Equal(t, card.GetUID(), get(w, "Card", "hello").GetUID(), "it was patched, not made anew")

	writes := w.Writes()
	before := len(w.Read(writes))
	w.Kubectl.Run("annotate", "greeting", "hello", "looked-at=by-the-test")
	w.Throughout(2*time.Second, "nothing more to do, nothing written", func() error { return unlessEqual(before, len(w.Read(writes))) })

	registrations := greetings.read("data.yaml")
	stop(w, greetings)
	greet(w, "unheard", "is anybody there")
	w.Throughout(2*time.Second, "nobody answers", func() error { return unlessEqual(before, len(w.Read(writes))) })

	greetings.write("data.yaml", registrations)
	w.Until("it is answered late", func() error { return says(w, "unheard", "is anybody there") })

	w.Kubectl.Run("delete", "greeting", "hello")
	w.Gone(card)
}

// stop takes the registration away, and waits until that is in force.
func stop(w *fixture.World, greetings *folder) {
	w.T.Helper()
	before := w.Controller.Bundles().Active["greetings"]
	greetings.write("data.yaml", "lictor: {greetings: {reconcilers: {}}}\n")
	w.Within(promptly(), "the edit is in force", func() error {
		now := w.Controller.Bundles()
		if now.Active["greetings"] == before {
			return fmt.Errorf("it is not: %s", now.LastError)
		}
		return unlessContains(w.Controller.Log(), "Registrations changed")
	})
}

func greet(w *fixture.World, name, text string) {
	w.T.Helper()
	w.Kubectl.Input(fmt.Sprintf(`{"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": %q}, "spec": {"text": %q}}`, name, text),
		"apply", "-f", "-")
}

// says holds that a greeting's text is where policy puts it: by create and patch, by apply, by status, on itself.
func says(w *fixture.World, name, text string) error {
	key := client.ObjectKey{Namespace: w.Namespace, Name: name}
	card, greeting := blank("Card"), blank("Greeting")
	var sign corev1.ConfigMap
	for _, o := range []client.Object{card, greeting, &sign} {
		if err := w.Client.Get(w.T.Context(), key, o); err != nil {
			return err
		}
	}
	onCard, _, _ := unstructured.NestedString(card.Object, "spec", "text")
	said, _, _ := unstructured.NestedString(greeting.Object, "status", "said")
	return unlessEqual([]string{text, text, text, "yes"},
		[]string{onCard, sign.Data["text"], said, greeting.GetLabels()["example.com/greeted"]})
}

func get(w *fixture.World, kind, name string) *unstructured.Unstructured {
	w.T.Helper()
	o := blank(kind)
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, o))
	return o
}

func blank(kind string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion("example.com/v1")
	o.SetKind(kind)
	return o
}

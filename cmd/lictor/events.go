// SPDX-License-Identifier: Apache-2.0

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/events"
)

// eventRecorder writes Events for the kernel. Equal ones are counted, not repeated, by the recorder.
type eventRecorder struct{ recorder events.EventRecorder }

// maxEventNote is the API's bound on an Event's note.
const maxEventNote = 1024

func (e *eventRecorder) Event(object *unstructured.Unstructured, eventType, reason, message string) {
	e.recorder.Eventf(object, nil, eventType, reason, "Reconcile", "%s", message[:min(len(message), maxEventNote)])
}

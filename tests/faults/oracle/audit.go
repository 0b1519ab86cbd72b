// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Missing returns a violation for each state that the audit log says was stored and that the history lacks: a history
// with holes proves nothing. The log must be of level RequestResponse for claims and members.
func Missing(history []Fact, log []auditv1.Event) ([]Violation, error) {
	type state struct {
		uid      types.UID
		revision uint64
	}
	known := make(map[state]bool, len(history))
	for i := range history {
		known[state{history[i].UID(), history[i].Revision}] = true
	}
	var out []Violation
	for i := range log {
		event := &log[i]
		if !stores(event) {
			continue
		}
		var written metav1.PartialObjectMetadata
		if err := json.Unmarshal(event.ResponseObject.Raw, &written); err != nil {
			return nil, fmt.Errorf("audit event %s: %w", event.AuditID, err)
		}
		revision, err := strconv.ParseUint(written.ResourceVersion, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("audit event %s: %w", event.AuditID, err)
		}
		if !known[state{written.UID, revision}] {
			out = append(out, Violation{Rule: Complete, Revision: revision,
				Message: fmt.Sprintf("%s of %s %s was never seen", event.Verb, event.ObjectRef.Resource, written.Name)})
		}
	}
	return out, nil
}

// stores tells whether an event is a write that left an object. A deletion that takes effect at once answers without one.
func stores(e *auditv1.Event) bool {
	return e.ObjectRef != nil && slices.Contains([]string{"virtualmachines", "virtualmachineclaims"}, e.ObjectRef.Resource) &&
		slices.Contains([]string{"create", "update", "patch"}, e.Verb) &&
		e.ResponseStatus != nil && e.ResponseStatus.Code < http.StatusMultipleChoices && e.ResponseObject != nil
}

// SPDX-License-Identifier: Apache-2.0

package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/lictor-dev/lictor/tests/faults/oracle"
)

func logged(verb, resource string, code int32, answer string) auditv1.Event {
	return auditv1.Event{Verb: verb, ObjectRef: &auditv1.ObjectReference{Resource: resource},
		ResponseStatus: &metav1.Status{Code: code}, ResponseObject: &runtime.Unknown{Raw: []byte(answer)}}
}

func TestMissing(t *testing.T) {
	seen := history(member("m1"), claimed("c1"))
	const m1, m1Later = `{"metadata":{"name":"m1","uid":"m1","resourceVersion":"1"}}`, `{"metadata":{"name":"m1","uid":"m1","resourceVersion":"3"}}`
	cases := map[string]struct {
		reason string
		log    []auditv1.Event
		want   []oracle.Violation
	}{
		"Seen":    {reason: "a state that is known", log: []auditv1.Event{logged("create", "virtualmachines", 201, m1)}},
		"Refused": {reason: "a write that failed stored nothing", log: []auditv1.Event{logged("patch", "virtualmachines", 409, `{}`)}},
		"Other":   {reason: "a kind that is not judged", log: []auditv1.Event{logged("patch", "leases", 200, m1Later)}},
		"Deleted": {reason: "a deletion leaves nothing", log: []auditv1.Event{logged("delete", "virtualmachines", 200, `{"kind":"Status"}`)}},
		"Hole": {
			reason: "a state that nobody saw",
			log:    []auditv1.Event{logged("patch", "virtualmachines", 200, m1Later)},
			want:   []oracle.Violation{{Rule: oracle.Complete, Revision: 3, Message: "patch of virtualmachines m1 was never seen"}},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := oracle.Missing(seen, test.log)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

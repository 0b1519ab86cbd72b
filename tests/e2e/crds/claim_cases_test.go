// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"math"
	"strings"

	"github.com/lictor-dev/lictor/tests/builders"
)

func claimCases(namespace string) map[string]ruleCase {
	claim := builders.Claim(namespace, "claim")
	const (
		wantFixed   = "spec cannot be changed after creation: delete this claim and create a new one"
		wantIssuer  = "must not be empty: write the issuer URL"
		wantSubject = "must not be empty: write the subject"
		wantName    = "metadata.name must be at most 63 characters"
	)
	return named("claim", map[string]ruleCase{
		"valid":        {reason: "the fixture is valid", object: claim},
		"shortest ttl": {reason: "one second is the least", object: claim, patch: `spec: {ttlSeconds: 1}`},
		"longest ttl":  {reason: "365 days are the most", object: claim, patch: `spec: {ttlSeconds: 31536000}`},
		"ttl zero": {reason: "it would expire while it is bound", object: claim, patch: `spec: {ttlSeconds: 0}`,
			want: "spec.ttlSeconds in body should be greater than or equal to 1"},
		"ttl negative": {reason: "time does not run backwards", object: claim, patch: `spec: {ttlSeconds: -5}`,
			want: "spec.ttlSeconds in body should be greater than or equal to 1"},
		"ttl too long": {reason: "no machine is held longer than a year", object: claim,
			patch: `spec: {ttlSeconds: 31536001}`,
			want:  "spec.ttlSeconds in body should be less than or equal to 31536000"},
		"ttl of 64 bits": {reason: "must not wrap around",
			object: builders.Claim(namespace, "claim", builders.ClaimTTL(math.MaxInt64)),
			want:   "spec.ttlSeconds in body should be less than or equal to 31536000"},
		"no ttl": {reason: "there is no default", object: claim, patch: `spec: {ttlSeconds: null}`,
			want: "spec.ttlSeconds: Required value"},
		"empty issuer": {reason: "nobody issues for nobody", object: claim, patch: `spec: {subject: {issuer: ""}}`,
			want: wantIssuer},
		"blank issuer": {reason: "blanks are not an issuer", object: claim, patch: `spec: {subject: {issuer: "  "}}`,
			want: wantIssuer},
		"long issuer": {reason: "annotations have to hold it", object: claim,
			patch: `spec: {subject: {issuer: "` + strings.Repeat("x", 2049) + `"}}`, want: "Too long: may not be more than 2048"},
		"empty subject": {reason: "a machine is for somebody", object: claim, patch: `spec: {subject: {id: ""}}`,
			want: wantSubject},
		"blank subject": {reason: "blanks are nobody", object: claim, patch: `spec: {subject: {id: " "}}`,
			want: wantSubject},
		"long subject": {reason: "annotations have to hold it", object: claim,
			patch: `spec: {subject: {id: "` + strings.Repeat("x", 1025) + `"}}`, want: "Too long: may not be more than 1024"},
		"empty pool": {reason: "no pool has no name", object: claim, patch: `spec: {poolRef: {name: ""}}`,
			want: "spec.poolRef.name in body should be at least 1 chars long"},
		"name of 63": {reason: "label values hold 63 characters",
			object: builders.Claim(namespace, strings.Repeat("c", 63))},
		"name of 64": {reason: "label values hold 63 characters",
			object: builders.Claim(namespace, strings.Repeat("c", 64)), want: wantName},
		"new label": {reason: "metadata is not the spec", object: builders.Claim(namespace, "labelled"),
			update: `metadata: {labels: {team: a}}`},
		"new ttl": {reason: "a deadline is not extended", object: builders.Claim(namespace, "new-ttl"),
			update: `spec: {ttlSeconds: 7200}`, want: wantFixed},
		"new subject": {reason: "a machine is not passed on", object: builders.Claim(namespace, "new-subject"),
			update: `spec: {subject: {id: "someone-else"}}`, want: wantFixed},
		"new pool": {reason: "a claim holds one machine", object: builders.Claim(namespace, "new-pool"),
			update: `spec: {poolRef: {name: other}}`, want: wantFixed},
	})
}

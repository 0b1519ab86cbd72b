// SPDX-License-Identifier: Apache-2.0

package oracle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/tests/builders"
	"github.com/lictor-dev/lictor/tests/faults/oracle"
)

// reporting is a pool of two warm and at most three members that reports these numbers.
func reporting(available, claimed int32) []banlieue.VirtualMachinePool {
	p := builders.Pool("ns", "pool", builders.PoolSize(2, 3))
	p.Status.Available, p.Status.Claimed = available, claimed
	return []banlieue.VirtualMachinePool{*p}
}

func state(pools []banlieue.VirtualMachinePool, facts ...oracle.Fact) *oracle.State {
	s := &oracle.State{Pools: pools}
	for _, f := range facts {
		if f.Member != nil {
			s.Members = append(s.Members, *f.Member)
		} else {
			s.Claims = append(s.Claims, *f.Claim)
		}
	}
	return s
}

func TestCheckAtRest(t *testing.T) {
	cases := map[string]struct {
		reason string
		state  *oracle.State
		want   []oracle.Rule
	}{
		"Warm":         {reason: "as many free members as wanted", state: state(reporting(2, 0), member("m1"), member("m2"))},
		"Full":         {reason: "claimed members leave room for one free one", state: full(reporting(1, 2))},
		"Cold":         {reason: "too few", state: state(reporting(1, 0), member("m1")), want: []oracle.Rule{oracle.PoolAtRest}},
		"Unreported":   {reason: "the status is behind", state: full(reporting(2, 2)), want: []oracle.Rule{oracle.PoolAtRest}},
		"Orphan":       {reason: "no claim", state: state(nil, member("m1", of("c1"))), want: []oracle.Rule{oracle.NoOrphan}},
		"StuckClaim":   {reason: "it does not go", state: state(nil, claimed("c1", protected, going)), want: []oracle.Rule{oracle.Protected}},
		"PendingClaim": {reason: "a claim that waits is at rest", state: state(nil, claimed("c1"))},
		"StuckMember": {
			reason: "it does not go",
			state:  state(reporting(2, 0), member("m1"), member("m2"), member("m3", going)),
			want:   []oracle.Rule{oracle.PoolAtRest},
		},
		"TooMany": {
			reason: "above the limit, and more than wanted",
			state:  state(reporting(4, 0), member("m1"), member("m2"), member("m3"), member("m4")),
			want:   []oracle.Rule{oracle.PoolAtRest, oracle.PoolAtRest},
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			var got []oracle.Rule
			for _, v := range oracle.CheckAtRest(test.state) {
				got = append(got, v.Rule)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", test.reason, diff)
			}
		})
	}
}

func full(pools []banlieue.VirtualMachinePool) *oracle.State {
	return state(pools, member("m1"), member("m2", of("c1")), member("m3", of("c2")),
		claimed("c1", protected), claimed("c2", protected))
}

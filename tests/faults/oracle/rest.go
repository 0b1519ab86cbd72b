// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"fmt"

	banlieue "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
)

// State is everything in a namespace once nothing moves any more.
type State struct {
	Pools   []banlieue.VirtualMachinePool
	Members []banlieue.VirtualMachine
	Claims  []banlieue.VirtualMachineClaim
}

// CheckAtRest returns what is left undone: it is empty when claims and pools have converged.
func CheckAtRest(s *State) []Violation {
	var out []Violation
	report := func(rule Rule, format string, args ...any) {
		out = append(out, Violation{Rule: rule, Message: fmt.Sprintf(format, args...)})
	}
	claims := map[string]*banlieue.VirtualMachineClaim{}
	for i := range s.Claims {
		c := &s.Claims[i]
		claims[string(c.UID)] = c
		if deleted(c) {
			report(Protected, "claim %s is being deleted and does not go", c.Name)
		}
	}
	for i := range s.Members {
		m := &s.Members[i]
		if owner, label := claimOf(m); (owner != "" || label != "") && claims[string(owner)] == nil {
			report(NoOrphan, "member %s belongs to claim %q (%s), which does not exist", m.Name, label, owner)
		}
	}
	for i := range s.Pools {
		for _, problem := range poolProblems(&s.Pools[i], s.Members) {
			report(PoolAtRest, "pool %s: %s", s.Pools[i].Name, problem)
		}
	}
	return out
}

func poolProblems(pool *banlieue.VirtualMachinePool, all []banlieue.VirtualMachine) []string {
	var free, claimed, going int32
	for i := range all {
		m := &all[i]
		owner, _ := claimOf(m)
		switch {
		case m.Labels[banlieue.LabelPool] != pool.Name:
		case deleted(m):
			going++
		case owner != "":
			claimed++
		default:
			free++
		}
	}
	var out []string
	if going > 0 {
		out = append(out, fmt.Sprintf("%d members are being deleted and do not go", going))
	}
	if free+claimed > pool.Spec.MaxReplicas {
		out = append(out, fmt.Sprintf("%d members, at most %d are allowed", free+claimed, pool.Spec.MaxReplicas))
	}
	if want := min(pool.Spec.WarmReplicas, pool.Spec.MaxReplicas-claimed); free != want {
		out = append(out, fmt.Sprintf("%d free members, %d are wanted", free, want))
	}
	if pool.Status.Available != free || pool.Status.Claimed != claimed {
		out = append(out, fmt.Sprintf("reports %d available and %d claimed, there are %d and %d",
			pool.Status.Available, pool.Status.Claimed, free, claimed))
	}
	return out
}

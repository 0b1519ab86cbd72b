// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	v1alpha1 "github.com/lictor-dev/lictor/api/banlieue/v1alpha1"
	"github.com/lictor-dev/lictor/reconciler/kernel"
)

// claimLines prints one line for each change of a claim that its owner would want to know.
func claimLines(s *screen) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { tellClaim(s, "", object) },
		UpdateFunc: func(before, now any) {
			if old, ok := before.(*v1alpha1.VirtualMachineClaim); ok {
				tellClaim(s, describe(old), now)
			}
		},
		DeleteFunc: func(object any) {
			if gone, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			if claim, ok := object.(*v1alpha1.VirtualMachineClaim); ok {
				s.line("claim %-12s  gone", claim.Name)
			}
		},
	}
}

func tellClaim(s *screen, before string, now any) {
	claim, ok := now.(*v1alpha1.VirtualMachineClaim)
	if !ok {
		return
	}
	if text := describe(claim); text != before {
		s.line("claim %-12s  %s", claim.Name, text)
	}
}

// describe is where a claim stands, in a few words. It changes with the phase and with trouble, and with nothing else.
func describe(claim *v1alpha1.VirtualMachineClaim) string {
	words := []string{fmt.Sprintf("%-9s", claim.Status.Phase)}
	if claim.Status.Phase == "" {
		words[0] = "created"
	}
	if ref := claim.Status.VirtualMachineRef; ref != nil {
		words = append(words, ref.Name)
	}
	bound := meta.FindStatusCondition(claim.Status.Conditions, v1alpha1.ConditionBound)
	switch {
	case claim.Status.Phase == v1alpha1.ClaimBound && claim.Status.ExpiresAt != nil:
		words = append(words, "until "+claim.Status.ExpiresAt.Local().Format("15:04:05"))
	case bound != nil && bound.Status != metav1.ConditionTrue:
		words = append(words, bound.Reason)
	}
	decided := meta.FindStatusCondition(claim.Status.Conditions, kernel.ConditionDecided)
	if decided != nil && decided.Status == metav1.ConditionFalse {
		words = append(words, "STUCK: "+decided.Reason+": "+decided.Message)
	}
	return strings.Join(words, "  ")
}

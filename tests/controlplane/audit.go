// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

const (
	auditLog    = "audit.log"
	auditPolicy = "audit-policy.yaml"
)

// writeAuditPolicy writes the policy file: level for this project's groups, Metadata for all else.
func writeAuditPolicy(dir string, level auditv1.Level) error {
	policy := auditv1.Policy{
		TypeMeta: metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		// That a request came says nothing that its completion does not say again.
		OmitStages:        []auditv1.Stage{auditv1.StageRequestReceived},
		OmitManagedFields: true,
		Rules: []auditv1.PolicyRule{
			{Level: level, Resources: projectGroups()},
			{Level: auditv1.LevelMetadata},
		},
	}
	content, err := yaml.Marshal(policy)
	if err != nil {
		return fmt.Errorf("audit policy: %w", err)
	}
	return writePrivate(dir, auditPolicy, content)
}

func projectGroups() []auditv1.GroupResources {
	return []auditv1.GroupResources{
		{Group: "banlieue.io"},
		{Group: "infrastructure.banlieue.io"},
		{Group: "lictor.dev"},
	}
}

func auditArgs(dir string) []string {
	return []string{
		"--audit-policy-file=" + filepath.Join(dir, auditPolicy),
		"--audit-log-path=" + filepath.Join(dir, auditLog),
		"--audit-log-format=json",
		"--audit-log-mode=blocking",
		// No rotation: a reader goes on where it stopped.
		"--audit-log-maxsize=0",
	}
}

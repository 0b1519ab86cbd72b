// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"fmt"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	kubeconfigFile = "kubeconfig"
	contextName    = "lictor"
	adminUser      = "admin"
	adminGroup     = "system:masters"
)

// writeKubeconfig issues a client certificate for the administrator and writes the kubeconfig that uses it.
func writeKubeconfig(dir, server string, ca *authority) (string, error) {
	certPEM, keyPEM, err := ca.issue(subject{name: adminUser, groups: []string{adminGroup}})
	if err != nil {
		return "", err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[contextName] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca.pem}
	config.AuthInfos[adminUser] = &clientcmdapi.AuthInfo{ClientCertificateData: certPEM, ClientKeyData: keyPEM}
	config.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: adminUser}
	config.CurrentContext = contextName
	path := filepath.Join(dir, kubeconfigFile)
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return "", fmt.Errorf("write kubeconfig: %w", err)
	}
	return path, nil
}

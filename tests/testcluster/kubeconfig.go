// SPDX-License-Identifier: Apache-2.0

package testcluster

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// writeKubeconfig writes a kubeconfig equal to config, with namespace as the default.
func writeKubeconfig(path string, config *rest.Config, namespace string) error {
	const name = "test"
	k := clientcmdapi.NewConfig()
	k.Clusters[name] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		CertificateAuthority:     config.CAFile,
		CertificateAuthorityData: config.CAData,
		InsecureSkipTLSVerify:    config.Insecure,
		TLSServerName:            config.ServerName,
	}
	k.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificate:     config.CertFile,
		ClientCertificateData: config.CertData,
		ClientKey:             config.KeyFile,
		ClientKeyData:         config.KeyData,
		Token:                 config.BearerToken,
		TokenFile:             config.BearerTokenFile,
		Impersonate:           config.Impersonate.UserName,
		ImpersonateGroups:     config.Impersonate.Groups,
		Exec:                  config.ExecProvider,
	}
	k.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: namespace}
	k.CurrentContext = name
	return clientcmd.WriteToFile(*k, path)
}

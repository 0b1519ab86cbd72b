// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	// demoNamespace and demoPool are what deploy/dev/setup creates.
	demoNamespace = "sandbox"
	demoPool      = "demo"
	// controllerNamespace is where `lictor render rbac` puts the service account that it gives the controller's rights.
	controllerNamespace = "lictor-system"
)

// Names of users, which are also those of their kubeconfigs.
const (
	admin          = "admin"
	alice          = "alice"
	bob            = "bob"
	controllerUser = "controller"
)

// users are everybody who gets a kubeconfig. Only deploy/dev/setup and the rendered RBAC give rights to them.
func users() map[string]user {
	return map[string]user{
		admin: {name: admin, groups: []string{"system:masters"}},
		alice: {name: alice},
		bob:   {name: bob},
		controllerUser: {
			name:   "system:serviceaccount:" + controllerNamespace + ":lictor-controller",
			groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + controllerNamespace},
		},
	}
}

// writeKubeconfigs writes one file for each user.
func (w *world) writeKubeconfigs() error {
	certificate, key := filepath.Join(w.controlPlaneDir(), "ca.crt"), filepath.Join(w.controlPlaneDir(), "ca.key")
	ca, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return fmt.Errorf("certificate authority: %w", err)
	}
	caPEM, err := os.ReadFile(certificate)
	if err != nil {
		return fmt.Errorf("certificate authority: %w", err)
	}
	for file, u := range users() {
		certPEM, keyPEM, err := issue(ca, u)
		if err != nil {
			return err
		}
		k := clientcmdapi.NewConfig()
		k.Clusters["lictor-dev"] = &clientcmdapi.Cluster{Server: w.server, CertificateAuthorityData: caPEM}
		k.AuthInfos[file] = &clientcmdapi.AuthInfo{ClientCertificateData: certPEM, ClientKeyData: keyPEM}
		k.Contexts[file] = &clientcmdapi.Context{Cluster: "lictor-dev", AuthInfo: file, Namespace: demoNamespace}
		k.CurrentContext = file
		if err := clientcmd.WriteToFile(*k, w.config.kubeconfig(file)); err != nil {
			return fmt.Errorf("write kubeconfig of %s: %w", file, err)
		}
	}
	return nil
}

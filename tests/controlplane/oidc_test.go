// SPDX-License-Identifier: Apache-2.0

package controlplane_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/lictor-dev/lictor/tests/controlplane"
)

// issuer is an OIDC issuer as small as the API server takes it: discovery, one ES256 key, signing.
type issuer struct {
	*httptest.Server
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	point, err := key.PublicKey.Bytes() // 4, X, Y
	require.NoError(t, err)
	mux := http.NewServeMux()
	i := &issuer{Server: httptest.NewTLSServer(mux), key: key}
	t.Cleanup(i.Close)
	serveJSON(mux, "/.well-known/openid-configuration", map[string]any{
		"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"},
	})
	serveJSON(mux, "/keys", map[string]any{"keys": []map[string]string{{
		"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": "1",
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}}})
	return i
}

func serveJSON(mux *http.ServeMux, path string, document any) {
	mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document) // a client that is gone will not miss it
	})
}

// token signs a token for subject, valid for an hour.
func (i *issuer) token(t *testing.T, subject string, groups ...string) string {
	t.Helper()
	encode := func(v any) string {
		content, err := json.Marshal(v)
		require.NoError(t, err)
		return base64.RawURLEncoding.EncodeToString(content)
	}
	text := encode(map[string]string{"alg": "ES256", "kid": "1"}) + "." + encode(map[string]any{
		"iss": i.URL, "aud": "lictor", "sub": subject, "groups": groups,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	})
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, i.key, digest[:])
	require.NoError(t, err)
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// configFile writes an AuthenticationConfiguration that trusts the issuer.
func (i *issuer) configFile(t *testing.T) string {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.Certificate().Raw})
	content, err := yaml.Marshal(apiserverv1.AuthenticationConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: apiserverv1.SchemeGroupVersion.String(), Kind: "AuthenticationConfiguration"},
		JWT: []apiserverv1.JWTAuthenticator{{
			Issuer: apiserverv1.Issuer{URL: i.URL, Audiences: []string{"lictor"}, CertificateAuthority: string(ca)},
			ClaimMappings: apiserverv1.ClaimMappings{
				Username: apiserverv1.PrefixedClaimOrExpression{Expression: "'oidc:' + claims.sub"},
				Groups:   apiserverv1.PrefixedClaimOrExpression{Expression: "dyn(claims.groups).map(g, 'oidc:' + g)"},
			},
		}},
	})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "authentication.yaml")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func TestTokenOfAConfiguredIssuerIsAccepted(t *testing.T) {
	i := newIssuer(t)
	_, config, _ := start(t, controlplane.Options{Dir: t.TempDir(), AuthenticationConfig: i.configFile(t)})
	alice := rest.AnonymousClientConfig(config)
	alice.BearerToken = i.token(t, "alice", "developers")
	reviews := clientset(t, alice).AuthenticationV1().SelfSubjectReviews()

	var review *authenticationv1.SelfSubjectReview
	// The API server asks the issuer for its keys after it is ready.
	eventually(t, func(ctx context.Context) (done bool, _ error) {
		var err error
		review, err = reviews.Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		return err == nil, nil
	})
	require.Equal(t, "oidc:alice", review.Status.UserInfo.Username)
	require.Contains(t, review.Status.UserInfo.Groups, "oidc:developers")
}

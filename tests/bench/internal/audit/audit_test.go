// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCount(t *testing.T) {
	log := `{"stage":"ResponseComplete","verb":"patch","userAgent":"a/1","objectRef":{"resource":"claims","subresource":"status"},"responseStatus":{"code":200}}
{"stage":"ResponseComplete","verb":"patch","userAgent":"a/1","objectRef":{"resource":"claims"},"responseStatus":{"code":409}}
{"stage":"ResponseComplete","verb":"get","userAgent":"a/1","objectRef":{"resource":"claims"}}
{"stage":"ResponseStarted","verb":"watch","userAgent":"a/1","objectRef":{"resource":"claims"}}
{"stage":"ResponseComplete","verb":"patch","userAgent":"b","objectRef":{"resource":"claims"}}
`
	got, err := count([]byte(log), "a")
	require.NoError(t, err)
	require.Equal(t, Counts{"patch claims/status": 1, "patch claims (409)": 1}, got)
	_, err = count([]byte("no JSON\n"), "a")
	require.Error(t, err)
}

// SPDX-License-Identifier: Apache-2.0

// Package proxy stands between one controller process and the API server, and lets a test interfere with a write.
//
// What callers may rely on: requests that no fault is meant for pass unchanged, watches included; a fault strikes once;
// a write that is held is sent when its fault lets go of it, whatever has become of the process that sent it.
package proxy

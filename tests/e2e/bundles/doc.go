// SPDX-License-Identifier: Apache-2.0

// Package bundles tests what a running controller does when policy changes under it: it takes up what is sound at once,
// keeps what it has when the change is not, and carries out nothing that the kernel forbids.
package bundles

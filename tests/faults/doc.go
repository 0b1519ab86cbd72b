// SPDX-License-Identifier: Apache-2.0

// Package faults kills, pauses and cuts off real controller processes and checks that nothing comes of it.
//
// A controller reaches the API server through a proxy of the test's own (package proxy), so a fault strikes at a chosen
// write: before the API server gets it, after it has executed it, or while it is under way. A recorder watches claims and
// members, and the oracle (package oracle) judges what it saw. docs/faults.md tells what is injected and checked.
package faults

// SPDX-License-Identifier: Apache-2.0

// Package dev runs a whole Lictor on one machine: the control plane and the controller as child processes, what they
// need to be useful, and a screen that tells what happens.
//
// The controller is a child and not a part of this process: it then is the very program, with the very rights, that runs
// on a cluster; its log is its own file; and it ends before the API server without either knowing of the other.
//
// What callers may rely on: when Run returns, both children have ended. One folder is used by one Run at a time, and the
// next Run on it finds the same objects and the same certificate authority.
package dev

// SPDX-License-Identifier: Apache-2.0

package v1

// Names of the output schemas in bundles/schemas.
const (
	SchemaStep = "step"
	SchemaRank = "rank"
)

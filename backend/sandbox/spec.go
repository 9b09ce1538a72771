package sandbox

import "goalpost/backend/sandbox/spec"

// What Open and Grant take; package spec says what is in them.
type (
	Spec           = spec.Spec
	ResourceLimits = spec.ResourceLimits
	RuntimeGrant   = spec.RuntimeGrant
)

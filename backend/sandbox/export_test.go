package sandbox

// SelfRunOf is SelfRun with another bound.
var SelfRunOf = selfRun

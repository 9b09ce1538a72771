package sandbox

// SelfRunOf is ListAutorun with another bound.
var SelfRunOf = listAutorun

package autorun

// ListAutorunUpTo is ListAutorun with another bound.
var ListAutorunUpTo = listAutorun

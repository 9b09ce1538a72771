//go:build !bindings

package main

// generating says that this build is the binding generator.
const generating = false

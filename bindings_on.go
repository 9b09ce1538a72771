//go:build bindings

package main

// generating reports whether this build is the binding generator.
const generating = true

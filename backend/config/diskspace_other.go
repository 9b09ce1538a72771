//go:build !linux

package config

import "math"

// FreeBytes is not known here.
func FreeBytes(string) (uint64, error) { return math.MaxUint64, nil }

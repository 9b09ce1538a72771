//go:build !linux

package config

import "math"

// FreeBytes is unknown on this system.
func FreeBytes(string) (uint64, error) { return math.MaxUint64, nil }

//go:build !linux

package spec

func machineMemory() int64 { return 0 }

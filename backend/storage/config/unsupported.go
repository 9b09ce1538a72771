//go:build !linux

package config

import "goalpost/backend/lib/fault"

// checkRootOwnership returns an error: Goalpost has never been run on this system.
func checkRootOwnership(string) error { return errSystem() }

func checkStateOwner(string) error { return errSystem() }

// FreeBytes returns an error.
func FreeBytes(string) (uint64, error) { return 0, errSystem() }

func errSystem() error {
	return fault.New(fault.Refused, "Goalpost runs on Linux only", "run it on Linux, in a virtual machine or in WSL 2")
}

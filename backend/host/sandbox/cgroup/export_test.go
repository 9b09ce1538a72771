package cgroup

import "time"

// NewManager returns the systemd on a bus, with another folder in place of /proc and a timeout of its own.
func NewManager(address, proc string, timeout time.Duration) *Manager {
	return &Manager{Address: address, proc: proc, timeout: timeout}
}

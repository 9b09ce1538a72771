//go:build !linux

package store

import (
	"net"

	"goalpost/backend/domain/goal"
)

// IsSameUser returns false, because finding the user at the other end of a socket is not implemented here.
func IsSameUser(net.Conn) bool { return false }

// FolderLocks do nothing: goals run on Linux only.
type FolderLocks struct{ Place, State string }

// DefaultLockPlace returns "".
func DefaultLockPlace() string { return "" }

// Lock claims nothing.
func (FolderLocks) Lock(goal.ID, []string) (unlock func(), busy string, err error) {
	return nil, "", nil
}

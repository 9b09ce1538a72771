package api

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"goalpost/backend/config"
)

// hintForSystemError is what a user can do about a fault of the machine, "" where nothing
// is known.
func hintForSystemError(err error) string {
	const elsewhere = config.HomeVariable + "=DIR puts all data into DIR"
	switch {
	case errors.Is(err, syscall.ENOSPC), strings.Contains(err.Error(), "database or disk is full"):
		return "free some space on the disk, then try again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "give yourself the right to it, or name another place; " + elsewhere
	case errors.Is(err, syscall.ENOTDIR):
		return "something on the way is a file; " + elsewhere
	}
	return ""
}

package api

import (
	"errors"
	"io/fs"
	"syscall"

	"goalpost/backend/storage/config"
)

// hintForSystemError returns what the user can do about an error of the operating system, "" if that is unknown.
func hintForSystemError(err error) string {
	const moveData = config.HomeVariable + "=DIR puts all data into DIR"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "free some space on the disk, then try again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "change its permissions, or use another folder; " + moveData
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file, not a folder; " + moveData
	}
	return ""
}

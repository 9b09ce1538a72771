package api

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"goalpost/backend/config"
)

// hintForSystemError is what a user can do about an error of the system, "" if unknown.
func hintForSystemError(err error) string {
	const elsewhere = config.HomeVariable + "=DIR puts all data into DIR"
	switch {
	case errors.Is(err, syscall.ENOSPC), strings.Contains(err.Error(), "database or disk is full"):
		return "free some space on the disk, then try again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "change its permissions, or use another folder; " + elsewhere
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file, not a folder; " + elsewhere
	}
	return ""
}

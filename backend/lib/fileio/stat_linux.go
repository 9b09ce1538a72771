package fileio

import (
	"io/fs"
	"syscall"
)

// ChangeTime returns when a file's content or attributes last changed, in ns. Programs can set the modification time,
// but not this one.
func ChangeTime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}

// Inode distinguishes a file from another one of the same name.
func Inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}

// Links returns how many names a file has.
func Links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink) //nolint:unconvert // its type differs by machine
	}
	return 1
}

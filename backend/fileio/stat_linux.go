package fileio

import (
	"io/fs"
	"syscall"
)

// ChangeTime is when a file's content or its attributes changed, in ns. Programs can
// set the time of modification to what they like, but not this one.
func ChangeTime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}

// Inode tells a thing from another of the same name.
func Inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}

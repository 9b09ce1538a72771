//go:build !linux

package fileio

import "io/fs"

// ChangeTime is known on Linux only: elsewhere the time of modification must do.
func ChangeTime(info fs.FileInfo) int64 { return info.ModTime().UnixNano() }

// Inode is not known: nothing is remembered of a folder.
func Inode(fs.FileInfo) uint64 { return 0 }

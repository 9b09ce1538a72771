//go:build !linux

package fileio

import "io/fs"

// ChangeTime returns the modification time, in ns.
func ChangeTime(info fs.FileInfo) int64 { return info.ModTime().UnixNano() }

// Inode returns 0: it is unknown.
func Inode(fs.FileInfo) uint64 { return 0 }

// Links returns 1.
func Links(fs.FileInfo) uint64 { return 1 }

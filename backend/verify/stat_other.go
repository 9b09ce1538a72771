//go:build !linux

package verify

import "io/fs"

// ctime is known on Linux only: elsewhere the time of modification must do.
func ctime(info fs.FileInfo) int64 { return info.ModTime().UnixNano() }

// inode is not known: nothing is remembered of a folder.
func inode(fs.FileInfo) uint64 { return 0 }

package verify

import (
	"io/fs"
	"syscall"
)

// ctime is when a file's content or its attributes changed, in ns. Programs can
// set the time of modification to what they like, but not this one.
func ctime(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}

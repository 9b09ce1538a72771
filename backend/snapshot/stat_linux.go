package snapshot

import (
	"io/fs"
	"syscall"
)

func changeAndInode(info fs.FileInfo) (changed int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}

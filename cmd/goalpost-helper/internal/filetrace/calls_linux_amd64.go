package filetrace

import "golang.org/x/sys/unix"

// archCalls are those that only this architecture has.
var archCalls = map[uint32]tracedCall{
	unix.SYS_OPEN:     {openCall, -1, 0, 1, -1, -1},
	unix.SYS_CREAT:    {createCall, -1, 0, -1, -1, -1},
	unix.SYS_STAT:     {lookupCall, -1, 0, -1, -1, -1},
	unix.SYS_LSTAT:    {readLinkCall, -1, 0, -1, -1, -1},
	unix.SYS_ACCESS:   {lookupCall, -1, 0, -1, -1, -1},
	unix.SYS_READLINK: {readLinkCall, -1, 0, -1, -1, -1},
	unix.SYS_RENAME:   {renameCall, -1, 0, -1, -1, 1},
	unix.SYS_LINK:     {linkCall, -1, 0, -1, -1, 1},
	unix.SYS_SYMLINK:  {changeNameCall, -1, 1, -1, -1, -1},
	unix.SYS_UNLINK:   {changeNameCall, -1, 0, -1, -1, -1},
	unix.SYS_RMDIR:    {changeNameCall, -1, 0, -1, -1, -1},
	unix.SYS_MKDIR:    {changeNameCall, -1, 0, -1, -1, -1},
}

// Package filetrace records which files the programs of a check open, execute, change and look
// for, from the system calls that the sandbox's filter suspends.
package filetrace

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// callKind is what a system call does with the file that it names.
type callKind uint8

const (
	openCall    callKind = iota
	createCall           // creates or truncates a file
	executeCall          // executes it
	lookupCall           // asks about it
	readLinkCall
	changeNameCall // creates or removes the name itself; a link there is not followed
	renameCall
	linkCall
)

// tracedCall has the positions of the arguments of a system call; -1 for a missing one. Without dir, a relative path
// begins at the working folder.
type tracedCall struct {
	kind          callKind
	dir, path     int
	flags         int
	toDir, toPath int // the second name of renameCall and linkCall
}

// commonCalls are those of every architecture.
var commonCalls = map[uint32]tracedCall{
	unix.SYS_OPENAT:     {openCall, 0, 1, 2, -1, -1},
	unix.SYS_TRUNCATE:   {createCall, -1, 0, -1, -1, -1},
	unix.SYS_EXECVE:     {executeCall, -1, 0, -1, -1, -1},
	unix.SYS_EXECVEAT:   {executeCall, 0, 1, 4, -1, -1},
	unix.SYS_NEWFSTATAT: {lookupCall, 0, 1, 3, -1, -1},
	unix.SYS_STATX:      {lookupCall, 0, 1, 2, -1, -1},
	unix.SYS_FACCESSAT:  {lookupCall, 0, 1, -1, -1, -1},
	unix.SYS_FACCESSAT2: {lookupCall, 0, 1, 3, -1, -1},
	unix.SYS_CHDIR:      {lookupCall, -1, 0, -1, -1, -1},
	unix.SYS_READLINKAT: {readLinkCall, 0, 1, -1, -1, -1},
	unix.SYS_RENAMEAT:   {renameCall, 0, 1, -1, 2, 3},
	unix.SYS_RENAMEAT2:  {renameCall, 0, 1, -1, 2, 3},
	unix.SYS_LINKAT:     {linkCall, 0, 1, 4, 2, 3},
	unix.SYS_SYMLINKAT:  {changeNameCall, 1, 2, -1, -1, -1},
	unix.SYS_UNLINKAT:   {changeNameCall, 0, 1, -1, -1, -1},
	unix.SYS_MKDIRAT:    {changeNameCall, 0, 1, -1, -1, -1},
}

var tracedCalls = withCommonCalls(archCalls)

func withCommonCalls(calls map[uint32]tracedCall) map[uint32]tracedCall {
	all := maps.Clone(commonCalls)
	maps.Copy(all, calls)
	return all
}

// FilterRule is a system call that the filter must suspend. Unless Flags is -1, a call whose argument at that position
// has AT_EMPTY_PATH is about a descriptor and is not suspended.
type FilterRule struct {
	Number uint32
	Flags  int
}

// FilterRules lists the system calls that a Tracer observes.
func FilterRules() []FilterRule {
	var rules []FilterRule
	for _, number := range slices.Sorted(maps.Keys(tracedCalls)) {
		rule := FilterRule{Number: number, Flags: -1}
		if number == unix.SYS_NEWFSTATAT || number == unix.SYS_STATX {
			rule.Flags = tracedCalls[number].flags
		}
		rules = append(rules, rule)
	}
	return rules
}

// IsTraced reports whether a Tracer observes a system call.
func IsTraced(number uint32) bool {
	_, ok := tracedCalls[number]
	return ok
}

// fileUse is what a call is about to do with a file. settle makes it final.
type fileUse struct {
	read, write, execute, lookup bool
	creates                      bool // reads, or creates what is missing
	follow                       bool // a link at the end of the path is followed
}

// takesDescriptor reports whether an empty path means the descriptor itself.
func (t tracedCall) takesDescriptor(args [6]uint64) bool {
	return t.dir >= 0 && (t.kind == readLinkCall ||
		t.kind != openCall && t.flags >= 0 && args[t.flags]&unix.AT_EMPTY_PATH != 0)
}

// useOf returns the use of the file that the first path of a call names.
func (t tracedCall) useOf(args [6]uint64) fileUse {
	var flags uint64
	if t.flags >= 0 {
		flags = args[t.flags]
	}
	follow := flags&unix.AT_SYMLINK_NOFOLLOW == 0
	switch t.kind {
	case openCall:
		return openUse(flags)
	case createCall:
		return fileUse{write: true, follow: true}
	case executeCall:
		return fileUse{execute: true, follow: follow}
	case lookupCall:
		return fileUse{lookup: true, follow: follow}
	case readLinkCall:
		return fileUse{lookup: true}
	case linkCall:
		return fileUse{read: true, follow: flags&unix.AT_SYMLINK_FOLLOW != 0}
	case changeNameCall, renameCall:
	}
	return fileUse{write: true}
}

func openUse(flags uint64) fileUse {
	u := fileUse{follow: flags&unix.O_NOFOLLOW == 0 && flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL}
	truncates := flags&unix.O_TRUNC != 0
	switch {
	case flags&unix.O_PATH != 0, flags&unix.O_TMPFILE == unix.O_TMPFILE:
		u.lookup = true
		return u
	case flags&unix.O_ACCMODE == unix.O_RDONLY:
		u.read, u.write = true, truncates
		u.creates = flags&unix.O_CREAT != 0
	case flags&unix.O_ACCMODE == unix.O_WRONLY:
		u.write = true
	default:
		u.write, u.read = true, !truncates
	}
	return u
}

// settle returns the uses that occur, depending on whether the file is missing.
func (f fileUse) settle(missing bool) fileUse {
	switch {
	case !missing:
	case f.creates:
		f.read, f.write = false, true
	case f.write: // nothing to read in a file that is created
		f.read = false
	}
	return f
}

package seccomp

import (
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/filetrace"
)

// Git and other careful programs write a new file and rename it over the old one. The kernel cannot rename over a
// mount, and the goal's copies of git's configuration are mounts. The init is therefore notified of every rename. If
// the new name is such a copy, it rewrites the copy and removes the file that was to be renamed; the kernel performs
// all other renames. The mount stays in place whatever a program does.

// maxRewriteBytes is the maximum size of a file that is rewritten instead of renamed.
const maxRewriteBytes = 16 << 20

// renameArgs holds the positions of a call's arguments; -1 if the call lacks one.
type renameArgs struct{ fromDir, from, toDir, to, flags int }

// MountedNames are the base names of the sandbox's writable file mounts. The kernel performs renames to any other
// name.
type MountedNames struct {
	mu    sync.Mutex
	names map[string]bool
	turn  sync.Mutex // serializes the rewrites
}

func (mn *MountedNames) Add(mounts []wire.Mount, check bool) {
	mn.mu.Lock()
	defer mn.mu.Unlock()
	if mn.names == nil {
		mn.names = map[string]bool{}
	}
	for _, m := range mounts {
		if m.Kind == wire.MountBind && !m.Itself && !m.IsLeftOut(check) && m.Writable(check) {
			mn.names[filepath.Base(string(m.Target))] = true
		}
	}
}

func (mn *MountedNames) has(name string) bool {
	mn.mu.Lock()
	defer mn.mu.Unlock()
	return mn.names[name]
}

// renameRequest is a rename that a program requested: the kernel's copy of the arguments and our copies of the names.
type renameRequest struct {
	n                notice
	fromDir, toDir   int // the caller's descriptors
	from, to         string
	fromName, toName string // base names
}

// readRename reads the names; ok is false if the kernel performs the rename.
func (no *Notifier) readRename(n notice) (r renameRequest, ours bool) {
	at := renameCalls[uint32(n.nr)]
	if at.flags >= 0 && n.args[at.flags] != 0 { // RENAME_EXCHANGE and others
		return r, false
	}
	r = renameRequest{n: n, fromDir: unix.AT_FDCWD, toDir: unix.AT_FDCWD, to: readName(n.pid, n.args[at.to])}
	if _, r.toName = filepath.Split(r.to); !no.mounted.has(r.toName) {
		return r, false
	}
	if at.fromDir >= 0 {
		r.fromDir, r.toDir = int(int32(uint32(n.args[at.fromDir]))), int(int32(uint32(n.args[at.toDir])))
	}
	r.from = readName(n.pid, n.args[at.from])
	_, r.fromName = filepath.Split(r.from)
	return r, r.fromName != "" && r.fromName != "." && r.fromName != ".."
}

// readName copies a path from another process's memory; "" if it cannot be read.
func readName(pid uint32, at uint64) string {
	path, _ := filetrace.ReadPath(pid, at)
	return path
}

// handleRename answers a rename: at once, or after performing it for the caller.
func (no *Notifier) handleRename(n notice) {
	if r, ours := no.readRename(n); ours {
		go no.renameAs(r)
		return
	}
	no.reply(reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
}

// renameAs performs a rename as the program's user, or has the kernel perform it.
func (no *Notifier) renameAs(r renameRequest) {
	answer := reply{id: r.n.id}
	switch done, err := no.rewriteMounted(r); {
	case err != nil:
		answer.errno = -int32(errnoIn(err))
	case !done:
		answer.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	no.reply(answer)
}

package seccomp

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// Git, and whoever else is careful, writes a file beside and renames it over the old
// one. Over a mount nothing can be renamed, and the goal's copies of what git obeys are
// mounts. So the init hears of every rename. One whose new name is such a copy it does
// itself: it writes the copy again and removes the file that was to be renamed. All
// others the kernel does, and whatever a program exchanges, the mount holds.

// maxRewriteBytes is how much a file may hold that is written in another's place.
const maxRewriteBytes = 16 << 20

// renameArgs says where a call has its arguments; -1 is one that it has not.
type renameArgs struct{ fromDir, from, toDir, to, flags int }

// MountedNames are the last parts of the names at which a file of the sandbox is a mount that
// programs may write: a rename to another name is none of ours.
type MountedNames struct {
	mu    sync.Mutex
	names map[string]bool
	turn  sync.Mutex // one is replaced at a time
}

func (f *MountedNames) Add(mounts []wire.Mount, check bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = map[string]bool{}
	}
	for _, m := range mounts {
		if m.Kind == wire.MountBind && !m.Itself && !m.IsLeftOut(check) && m.Writable(check) {
			f.names[filepath.Base(string(m.Target))] = true
		}
	}
}

func (f *MountedNames) has(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names[name]
}

// renameRequest is what a caller of rename asked for: the kernel's copy of the numbers, and
// ours of the names.
type renameRequest struct {
	n                notice
	fromDir, toDir   int // descriptors of the caller
	from, to         string
	fromName, toName string // the last parts
}

// readRename reads the names; false where the kernel does it.
func (l *Notifier) readRename(n notice) (r renameRequest, ours bool) {
	at := renameCalls[uint32(n.nr)]
	if at.flags >= 0 && n.args[at.flags] != 0 { // exchange and the like
		return r, false
	}
	r = renameRequest{n: n, fromDir: unix.AT_FDCWD, toDir: unix.AT_FDCWD, to: readString(n.pid, n.args[at.to])}
	if _, r.toName = filepath.Split(r.to); !l.mounted.has(r.toName) {
		return r, false
	}
	if at.fromDir >= 0 {
		r.fromDir, r.toDir = int(int32(uint32(n.args[at.fromDir]))), int(int32(uint32(n.args[at.toDir])))
	}
	r.from = readString(n.pid, n.args[at.from])
	_, r.fromName = filepath.Split(r.from)
	return r, r.fromName != "" && r.fromName != "." && r.fromName != ".."
}

// readString copies a path of another process, "" where there is none.
func readString(pid uint32, at uint64) string {
	// In two parts, because the second page need not be there.
	page := uint64(os.Getpagesize())
	text := make([]byte, unix.PathMax)
	first := min(page-at%page, unix.PathMax)
	here := []unix.Iovec{{Base: &text[0], Len: unix.PathMax}}
	there := []unix.RemoteIovec{{Base: uintptr(at), Len: int(first)}, {
		Base: uintptr(at + first),
		Len:  int(unix.PathMax - first),
	}}
	got, err := unix.ProcessVMReadv(int(pid), here, there, 0)
	if err != nil {
		return ""
	}
	path, _, ended := bytes.Cut(text[:got], []byte{0})
	if !ended {
		return ""
	}
	return string(path)
}

// handleRename answers a rename: at once, or when it is done in the caller's place.
func (l *Notifier) handleRename(n notice) {
	if r, ours := l.readRename(n); ours {
		go l.renameAs(r)
		return
	}
	l.reply(reply{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE})
}

// renameAs has a thread that becomes the program's user, and ends with it.
func (l *Notifier) renameAs(r renameRequest) {
	runtime.LockOSThread() // never unlocked
	answer := reply{id: r.n.id}
	switch done, err := l.rewriteMounted(r); {
	case err != nil:
		answer.errno = -int32(errnoIn(err))
	case !done:
		answer.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	}
	l.reply(answer)
}

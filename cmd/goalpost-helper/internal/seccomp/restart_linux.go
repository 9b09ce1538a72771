package seccomp

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"goalpost/cmd/goalpost-helper/internal/filetrace"
)

// A call that waits for the init is interrupted by a signal with a handler until the init has received the call. Calls
// that name a file do not fail like that without a filter, and shells do not expect it: with children in the
// background, [ -e FILE ] was wrong in 2 of 100 cases, because dash catches SIGCHLD. If that changes nothing else, the
// init sets SA_RESTART in the handler, so that the kernel makes the call again.

// notifyOnChildHandler notifies of a new handler for SIGCHLD.
func (b *bpfProgram) notifyOnChildHandler() {
	b.skipUnless(unix.SYS_RT_SIGACTION, 4)
	b.load(atArg0)
	b.skipUnless(uint32(unix.SIGCHLD), 1)
	b.ret(retNotify)
	b.ret(unix.SECCOMP_RET_ALLOW)
}

// restartCalls sets SA_RESTART in the handler that a caller of rt_sigaction installs. Without the flag the program is
// interrupted as before, so errors are ignored.
func (no *Notifier) restartCalls(n notice) {
	if n.args[1] == 0 || !filetrace.CanRestartCalls(n.pid) {
		return
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", n.pid), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer func() { _ = mem.Close() }()
	if !no.isValid(n.id) { // the memory may be another process's
		return
	}
	action := make([]byte, 16) // the kernel's struct sigaction begins with the handler and the flags
	place := int64(n.args[1])  //nolint:gosec // an address of another process
	if _, err := mem.ReadAt(action, place); err != nil {
		return
	}
	order := binary.NativeEndian
	if handler := order.Uint64(action); handler > sigIgnore {
		order.PutUint64(action, order.Uint64(action[8:])|saRestart)
		_, _ = mem.WriteAt(action[:8], place+8)
	}
}

const (
	sigIgnore = 1          // SIG_IGN; SIG_DFL is 0
	saRestart = 0x10000000 // SA_RESTART
)

package supervise

import (
	"os"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// openTerminal opens a pseudo-terminal in the sandbox's own devpts.
func openTerminal(size wire.Size) (master, tty int, wireErr *wire.Error) {
	master = -1
	fail := func(step string, err error) (int, int, *wire.Error) {
		if master >= 0 {
			_ = unix.Close(master)
		}
		return -1, -1, &wire.Error{Code: wire.Failed, Text: "opening a terminal: " + os.NewSyscallError(step, err).Error()}
	}
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fail("open", err)
	}
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return fail("TIOCSPTLCK", err)
	}
	cells := unix.Winsize{Col: size.Cols, Row: size.Rows}
	if err := unix.IoctlSetWinsize(master, unix.TIOCSWINSZ, &cells); err != nil {
		return fail("TIOCSWINSZ", err)
	}
	// The terminal is opened through its master and not by its name, which could belong to another terminal by now.
	peer, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY|
		unix.O_CLOEXEC)
	if errno != 0 {
		return fail("TIOCGPTPEER", errno)
	}
	return master, int(peer), nil
}

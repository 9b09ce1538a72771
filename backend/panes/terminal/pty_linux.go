package terminal

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/creack/pty"
)

// exitSignals are sent to end a program. A stopped one must run to handle the second. SIGCONT goes first: a shell
// that died of SIGHUP could not pass it on to its group.
var exitSignals = []syscall.Signal{syscall.SIGCONT, syscall.SIGHUP}

// openPTY opens a pseudo-terminal on the machine's devpts, for programs that may see those of the machine. A goal's
// launcher opens its own.
func openPTY(cols, rows int) (master, tty *os.File, err error) {
	opened, tty, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("opening a pseudo-terminal: %w", err)
	}
	master, err = makePollable(opened)
	if err == nil {
		if err = resizePTY(master, cols, rows); err != nil {
			err = errors.Join(err, master.Close())
		}
	}
	if err := errors.Join(err, opened.Close()); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("opening a pseudo-terminal: %w", err), tty.Close())
	}
	return master, tty, nil
}

// makePollable duplicates f into a file whose reads end with Close and deadlines. The pty package calls File.Fd, which
// makes a file blocking for good.
func makePollable(f *os.File) (*os.File, error) {
	fd, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_DUPFD_CLOEXEC, 0)
	if errno != 0 {
		return nil, fmt.Errorf("copying a descriptor: %w", errno)
	}
	if err := syscall.SetNonblock(int(fd), true); err != nil {
		return nil, errors.Join(fmt.Errorf("making a descriptor non-blocking: %w", err), syscall.Close(int(fd)))
	}
	return os.NewFile(fd, f.Name()), nil
}

// resizePTY is pty.Setsize for a file that must stay pollable.
func resizePTY(master *os.File, cols, rows int) error {
	conn, err := master.SyscallConn()
	if err != nil {
		return fmt.Errorf("setting the terminal's size: %w", err)
	}
	size := pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}
	var errno syscall.Errno
	err = conn.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	})
	if err == nil && errno != 0 {
		err = errno
	}
	if err != nil {
		return fmt.Errorf("setting the terminal's size: %w", err)
	}
	return nil
}

// readsLines reports whether the kernel collects whole lines for the program, which has no line editor of its own then.
func readsLines(master *os.File) bool {
	conn, err := master.SyscallConn()
	if err != nil {
		return false
	}
	var settings syscall.Termios
	var errno syscall.Errno
	err = conn.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TCGETS, uintptr(unsafe.Pointer(&settings)))
	})
	return err == nil && errno == 0 && settings.Lflag&syscall.ICANON != 0
}

// readNow reads what the kernel has without waiting; 0 means that nothing is left. (A read of a pty flushes data that
// is still in the kernel's queue, so 0 is reliable.)
func readNow(master *os.File, p []byte) int {
	conn, err := master.SyscallConn()
	if err != nil {
		return 0
	}
	n := 0
	err = conn.Read(func(fd uintptr) bool {
		for {
			n, err = syscall.Read(int(fd), p)
			if !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	if err != nil {
		return 0
	}
	return max(n, 0)
}

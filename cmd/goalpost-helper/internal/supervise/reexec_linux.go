package supervise

import (
	"fmt"
	"math"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
)

// CleanedMarker marks the second run of the helper, see ResetAndReexec.
const CleanedMarker = "clean"

// ResetAndReexec drops what the helper inherited from the app's process unintentionally (descriptors above the
// socket, ignored and blocked signals) and executes the helper again. The second run is needed because the Go runtime
// reads the signal mask and dispositions before main and passes them to children.
func ResetAndReexec(role string) error {
	// The descriptors are marked close-on-exec instead of closed, because the runtime has files of its own open.
	if err := unix.CloseRange(wire.Socket+1, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing inherited descriptors (Linux 5.11 or newer is needed): %w", err)
	}
	var none unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &none, nil); err != nil {
		return fmt.Errorf("clearing the signal mask: %w", err)
	}
	var byDefault [64]byte // struct sigaction of any architecture, all zero: SIG_DFL
	for n := 1; n <= 64; n++ {
		// SIGKILL, SIGSTOP and the signals reserved by libc fail with EINVAL, as expected.
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	}
	self := "/proc/self/exe"
	if err := syscall.Exec(self, []string{os.Args[0], role, CleanedMarker}, os.Environ()); err != nil {
		return fmt.Errorf("executing the helper again: %w", err)
	}
	return nil
}

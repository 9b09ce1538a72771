package seccomp

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/filetrace"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// maxAttempts is the number of distinct attempts that a sandbox reports.
const maxAttempts = 200

// Notifier answers the calls that the filter suspends and reports them to the app. The caller waits, so answering
// never blocks; another goroutine reports.
type Notifier struct {
	fd      int
	pidEnd  int // see FilterOptions
	domain  wire.Domain
	servers listeningCache
	sockets socketGrants
	mounted *MountedNames
	tracer  *filetrace.Tracer // nil unless a check is traced
	asUser  *userThreads

	mu    sync.Mutex
	times map[wire.Violation]int
	full  bool
	news  []wire.Violation
	more  chan struct{} // one token: there is something to report

	reporting sync.Mutex // keeps reports in order; locked before mu
}

// socketGrants reports which of the machine's sockets the user granted, by device and inode.
type socketGrants interface {
	IsGranted(dev, ino uint64) bool
}

// notice is the kernel's struct seccomp_notif, reply its seccomp_notif_resp.
type (
	notice struct {
		id         uint64
		pid, flags uint32
		nr         int32
		arch       uint32
		ip         uint64
		args       [6]uint64
	}
	reply struct {
		id    uint64
		val   int64
		errno int32
		flags uint32
	}
)

// reply answers the call; a caller that died is not an error.
func (no *Notifier) reply(r reply) {
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(no.fd), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&r)))
}

func (no *Notifier) isValid(id uint64) bool {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(no.fd), unix.SECCOMP_IOCTL_NOTIF_ID_VALID,
		uintptr(unsafe.Pointer(&id)))
	return errno == 0
}

func describeCall(text string) wire.Violation { return wire.Violation{Text: text} }

func processName(pid uint32) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
}

// count counts an attempt and reports the first time, the tenth, the hundredth …
func (no *Notifier) count(a wire.Violation) {
	a.Domain = no.domain
	no.mu.Lock()
	defer no.mu.Unlock()
	if no.full && no.times[a] == 0 {
		return
	}
	if len(no.times) == maxAttempts && no.times[a] == 0 {
		no.full, a = true, wire.Violation{
			Domain: no.domain,
			Text:   fmt.Sprintf("more than %d different attempts: further ones are not reported", maxAttempts),
		}
	}
	no.times[a]++
	times := no.times[a]
	for n := times; n > 1; n /= 10 {
		if n%10 != 0 {
			return
		}
	}
	a.Times = times
	no.news = append(no.news, a)
	select {
	case no.more <- struct{}{}:
	default:
	}
}

// noteConnect reports that a program of a check connects to a port of the loopback or to a Unix socket.
func (no *Notifier) noteConnect(address []byte) {
	if no.domain != wire.DomainCheck || len(address) < 4 {
		return
	}
	one := wire.Violation{Domain: no.domain, Connects: true}
	switch binary.NativeEndian.Uint16(address) {
	case unix.AF_INET, unix.AF_INET6:
		one.Port = binary.BigEndian.Uint16(address[2:])
	case unix.AF_UNIX:
	default:
		return
	}
	no.mu.Lock()
	defer no.mu.Unlock()
	if !slices.Contains(no.news, one) {
		no.news = append(no.news, one)
	}
	select {
	case no.more <- struct{}{}:
	default:
	}
}

func (no *Notifier) report() {
	for range no.more {
		no.Flush()
	}
}

// Flush reports all attempts so far, so that they are reported before the end of their program.
func (no *Notifier) Flush() {
	if no == nil {
		return
	}
	no.reporting.Lock()
	defer no.reporting.Unlock()
	no.mu.Lock()
	news := no.news
	no.news = nil
	no.mu.Unlock()
	for i := range news {
		_ = socket.Send(wire.Socket, wire.Answer{Attempt: &news[i]}) // read notices a broken socket
	}
}

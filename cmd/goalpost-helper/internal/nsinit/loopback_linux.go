package nsinit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dialTime is long for a loopback connection; only a server that does not accept reaches it.
const dialTime = 10 * time.Second

// setUpLoopback brings the goal's own loopback up and opens its low ports.
func setUpLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer func() { _ = unix.Close(fd) }()
	request := struct {
		name  [unix.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: unix.IFF_UP | unix.IFF_RUNNING}
	copy(request.name[:], "lo")
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request))); errno != 0 {
		return os.NewSyscallError("SIOCSIFFLAGS", errno)
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_unprivileged_port_start", []byte("0"), 0); err != nil {
		return fmt.Errorf("opening low ports: %w", err)
	}
	return nil
}

// listenLoopback opens "tcp ADDRESS" or "udp ADDRESS". The socket stays in the goal's network namespace wherever its
// descriptor is passed: the app will serve it.
func listenLoopback(where string) (int, error) {
	network, address, _ := strings.Cut(where, " ")
	var file *os.File
	switch network {
	case "tcp":
		l, err := net.Listen(network, address) //nolint:noctx // does not block
		if err != nil {
			return -1, fmt.Errorf("listening: %w", err)
		}
		defer func() { _ = l.Close() }()
		if file, err = l.(*net.TCPListener).File(); err != nil {
			return -1, fmt.Errorf("listening: %w", err)
		}
	case "udp":
		c, err := net.ListenPacket(network, address) //nolint:noctx // does not block
		if err != nil {
			return -1, fmt.Errorf("listening: %w", err)
		}
		defer func() { _ = c.Close() }()
		if file, err = c.(*net.UDPConn).File(); err != nil {
			return -1, fmt.Errorf("listening: %w", err)
		}
	default:
		return -1, fmt.Errorf("unknown network %q", network)
	}
	defer func() { _ = file.Close() }()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("fcntl", err)
	}
	return fd, nil
}

func connectLoopback(network, address string) (*os.File, error) {
	d := net.Dialer{Timeout: dialTime}
	conn, err := d.DialContext(context.Background(), network, address)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says dial, network and address
	}
	defer func() { _ = conn.Close() }()
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, errors.New("only tcp is dialed")
	}
	file, err := tcp.File()
	if err != nil {
		return nil, fmt.Errorf("handing over a connection: %w", err)
	}
	return file, nil
}

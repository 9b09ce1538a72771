// Package hostsocket connects programs to the host process of a data folder: the one process that owns its goals,
// terminals and pages. A program that finds no host starts one, which outlives it. Both speak HTTP over a Unix socket
// in the state folder, which admits programs of the same user only.
package hostsocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// Files in the state folder.
const (
	socketName = "host.sock"
	lockName   = "host.lock"  // held by the host for its life, with its pid
	startName  = "host.start" // held by a program while it looks for a host and starts one
	logName    = "host.log"   // what the host prints, such as a crash
)

// versionHeader names the version of the program that sends a request. Only Status and Stop work between versions.
const versionHeader = "Goalpost-Version"

// programHeader names the program that sends a request with a random text, for as long as it lives.
const programHeader = "Goalpost-Program"

// protocol numbers the requests on the socket and the events between the window and its page. A program can use the
// host of another version, as that version, if both have the same number.
const protocol = 1

// Status describes a running host.
type Status struct {
	PID      int       `json:"pid"`
	Version  string    `json:"version"`
	Protocol int       `json:"protocol"`
	Began    time.Time `json:"began"`
	HasPage  bool      `json:"has_page"` // it serves its page, for the window of another version
	Owned
}

// Owned counts what ends with the host.
type Owned struct {
	Goals     int `json:"goals"`     // that run, wait or are queued
	Terminals int `json:"terminals"` // of the user and of goals
	Pages     int `json:"pages"`     // browser panes
	Schedules int `json:"schedules"` // that are not off: without a host nothing starts
	Shares    int `json:"shares"`    // 1 if other devices can log in
	Notices   int `json:"notices"`   // that are held back until the quiet hours end, and a daily digest
}

// IsEmpty reports whether nothing would end with the host.
func (o Owned) IsEmpty() bool { return o == Owned{} }

// ErrNone means that no host runs.
var ErrNone error = fault.Kind(fault.NotFound, "", "no host process runs on this data folder",
	"the first program that needs one starts it")

// ErrOtherVersion means that the host is of another version than this program.
var ErrOtherVersion error = fault.Kind(fault.Conflict, "", "the host process has another version",
	"goalctl host restart replaces it now: its goals continue; terminals open again with what they showed. "+
		"Later, it ends automatically when nothing runs")

// OtherVersionError is an ErrOtherVersion with what the host has.
type OtherVersionError struct {
	Host Status
	Mine string // the version of this program
}

func (e *OtherVersionError) Error() string {
	return fmt.Sprintf("%v: process %d has %s, and this program is %s", ErrOtherVersion, e.Host.PID, e.Host.Version,
		e.Mine)
}

func (*OtherVersionError) Unwrap() error { return ErrOtherVersion }

// maxPath bounds the path of a socket, in bytes; the kernel's own limit is little more.
const maxPath = 100

// SocketPath returns where a service manager has to listen for the host of a state folder.
func SocketPath(state string) (string, error) {
	path := filepath.Join(state, socketName)
	if len(path) > maxPath {
		return "", fault.New(fault.Unavailable, fmt.Sprintf("%s is longer than the %d bytes that a socket may have", path,
			maxPath), "choose a shorter path for the data folder ("+config.HomeVariable+")")
	}
	return path, nil
}

// withSocket passes the path of the socket to use. A longer path than a socket may have is reached through the
// descriptor of its folder.
func withSocket(state string, use func(path string) error) error {
	path := filepath.Join(state, socketName)
	if len(path) <= maxPath {
		return use(path)
	}
	dir, err := os.Open(state)
	if err != nil {
		return fmt.Errorf("state folder: %w", err)
	}
	defer func() { _ = dir.Close() }() // only for its descriptor
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), socketName))
}

func dial(ctx context.Context, state string) (conn net.Conn, err error) {
	err = withSocket(state, func(path string) error {
		conn, err = new(net.Dialer).DialContext(ctx, "unix", path)
		return err //nolint:wrapcheck // the callers add the context
	})
	return conn, err //nolint:wrapcheck // the callers add the context
}

// bind makes the socket. The caller holds the start lock, and nobody listens on an older socket.
func bind(ctx context.Context, state string) (*net.UnixListener, error) {
	if err := os.Remove(filepath.Join(state, socketName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("host socket: %w", err)
	}
	var l net.Listener
	err := withSocket(state, func(path string) (err error) {
		l, err = new(net.ListenConfig).Listen(ctx, "unix", path)
		return err //nolint:wrapcheck // the next line adds the context
	})
	if err != nil {
		return nil, fmt.Errorf("host socket: %w", err)
	}
	u := l.(*net.UnixListener) //nolint:forcetypeassert // the network is "unix"
	u.SetUnlinkOnClose(false)  // a host that ends must not remove the socket of the next one
	if err := os.Chmod(filepath.Join(state, socketName), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("host socket: %w", err), u.Close())
	}
	return u, nil
}

// request and answer are one call of a method.
type request struct {
	Method string            `json:"method"`
	Args   []json.RawMessage `json:"args"`
}

type answer struct {
	Result  json.RawMessage `json:"result"`
	Problem *fault.Error    `json:"problem,omitempty"`
}

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"goalpost/backend/process"
)

// sandboxExecPath is the system's program that applies a profile.
const sandboxExecPath = "/usr/bin/sandbox-exec"

// seatbelt is what walls are on macOS: a profile, the goal's private folder, and two
// sockets of the machine's loopback. There is no loopback of the goal's own: its
// programs may listen there and reach the proxy and the ports that the user
// listed, and not each other's servers. Written and compiled, not tested.
type seatbelt struct {
	profile string
	spec    Spec
	net     *Network
}

func newSeatbelt(ctx context.Context, w Spec) (r seatbelt, err error) {
	if _, err := os.Stat(sandboxExecPath); err != nil {
		return r, fmt.Errorf("%w: %s is missing", ErrRefused, sandboxExecPath)
	}
	for _, name := range []string{"home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(w.Layer, name), 0o700); err != nil {
			return r, fmt.Errorf("making the goal's private folder: %w", err)
		}
	}
	r.spec, r.net = w, &Network{}
	var l net.ListenConfig
	if r.net.Proxy, err = l.Listen(ctx, "tcp", "127.0.0.1:0"); err == nil {
		r.net.Names, err = l.ListenPacket(ctx, "udp", "127.0.0.1:0")
	}
	if err == nil {
		r.net.NamesBy, err = l.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	for range w.Ports { // they are reached directly; whoever serves them here is not asked
		if err != nil {
			break
		}
		var port net.Listener
		if port, err = l.Listen(ctx, "tcp", "127.0.0.1:0"); err == nil {
			r.net.Ports = append(r.net.Ports, port)
		}
	}
	if err != nil {
		return r, errors.Join(fmt.Errorf("making the goal's network: %w", err), r.net.Close())
	}
	r.profile = SeatbeltProfile(w, r.proxyPort())
	return r, nil
}

func (r seatbelt) proxyPort() int { return r.net.Proxy.Addr().(*net.TCPAddr).Port }

// command is what is executed in place of the program.
func (r seatbelt) command(c process.Command) (argv, env []string) {
	if r.profile == "" {
		return c.Argv, c.Env
	}
	address := fmt.Sprintf("127.0.0.1:%d", r.proxyPort())
	host, port, _ := strings.Cut(ProxyAddress, ":")
	words := strings.NewReplacer(ProxyAddress, address, "Host="+host, "Host=127.0.0.1", "Port="+port, fmt.Sprintf("Port=%d", r.proxyPort()))
	for _, entry := range c.Env {
		name, _, _ := strings.Cut(entry, "=")
		if name == "HOME" || name == "TMPDIR" || name == "GIT_CONFIG_SYSTEM" || name == "GIT_SSH_COMMAND" {
			continue // they name what only the Linux sandbox lays there
		}
		env = append(env, words.Replace(entry))
	}
	env = append(env, "HOME="+filepath.Join(r.spec.Layer, "home"), "TMPDIR="+filepath.Join(r.spec.Layer, "tmp"))
	return append([]string{sandboxExecPath, "-p", r.profile}, c.Argv...), env
}

func (r seatbelt) close() error {
	if r.net == nil {
		return nil
	}
	if err := r.net.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Network hands over the sockets, once.
func (s *Supervisor) Network() (*Network, error) {
	if s.seatbelt.net == nil {
		return nil, fmt.Errorf("the network of %s: it has none of its own", s.name)
	}
	return s.seatbelt.net, nil
}

// Dial refuses: what looks like the goal's loopback would be the machine's.
func (*Supervisor) Dial(_ context.Context, _, address string) (net.Conn, error) {
	return nil, fmt.Errorf("dialing %s: a goal has no loopback of its own on macOS: %w", address, errors.ErrUnsupported)
}

// ownSession starts a program in a session, and so in a group, of its own.
func ownSession(tty bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: tty}
}

func signal(p *os.Process, sig syscall.Signal) error {
	if err := syscall.Kill(-p.Pid, sig); err != nil {
		return fmt.Errorf("sending signal %d: %w", sig, err)
	}
	return nil
}

func statusOf(s *os.ProcessState) process.Status {
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return process.Status{Code: -1, Signal: ws.Signal()}
	}
	return process.Status{Code: s.ExitCode()}
}

package nsinit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/memwatch"
	"goalpost/cmd/goalpost-helper/internal/rootfs"
	"goalpost/cmd/goalpost-helper/internal/socket"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// goalInit is the first process of the goal's namespaces. Unlike the goal's programs, it sees the machine's files. It
// sets up the goal's network, and starts an init for the agent and for each check. Everything inside ends with it.
type goalInit struct {
	spec  wire.Spec
	agent *innerInit

	grants map[uint64][]wire.Mount // mounts of grants, by grant id
	places rootfs.Places

	mu     sync.Mutex
	checks map[uint64]*innerInit
	byPid  map[int]*innerInit
	dials  sync.WaitGroup
}

// innerInit is an init with its own process and mount namespaces inside the goal's, and for a check also its own IPC
// namespace.
type innerInit struct {
	id      uint64 // of the check's program
	pid     int
	socket  int
	scratch string // removed when the init ends
}

func RunGoalInit() error {
	supervise.CatchSignals()
	unix.CloseOnExec(wire.Socket)
	// Set again: a process cloned into a new pid namespace cannot see whether its parent lives.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("tying the goal's first process to its parent: %w", err)
	}
	r, fds, err := socket.Receive(wire.Socket)
	socket.CloseAll(fds)
	switch {
	case errors.Is(err, socket.ErrClosed):
		return nil
	case err != nil:
		return err
	case r.Op != wire.Configure || r.Spec == nil:
		return fmt.Errorf("the first request is %q and not a setup", r.Op)
	}
	k := &goalInit{
		spec:   *r.Spec,
		grants: map[uint64][]wire.Mount{},
		places: rootfs.Places{},
		checks: map[uint64]*innerInit{},
		byPid:  map[int]*innerInit{},
	}
	sockets, err := k.setUp()
	var wireErr *wire.Error
	if errors.As(err, &wireErr) {
		return socket.Send(wire.Socket, wire.Answer{Error: wireErr})
	}
	if err != nil {
		return err
	}
	err = socket.Send(wire.Socket, wire.Answer{Hello: wire.Version}, sockets...)
	socket.CloseAll(sockets)
	if err != nil {
		return err
	}
	go k.reap()
	if err := k.watchMemory(); err != nil {
		what := "the size of /tmp is"
		if k.spec.Limits.Together > 0 {
			what = "the memory of all programs and the size of /tmp are"
		}
		_ = socket.Send(wire.Socket, wire.Answer{
			Attempt: &wire.Violation{
				Domain: wire.DomainAgent,
				Times:  1,
				Text:   what + " not measured: " + err.Error(),
			},
		})
	}
	err = k.read()
	if errors.Is(err, socket.ErrClosed) {
		return nil // the kernel ends the rest
	}
	return err
}

// watchMemory ends programs when the goal exceeds its memory limit.
func (g *goalInit) watchMemory() error {
	if g.spec.Limits.Together == 0 && g.spec.Limits.Tmp == 0 {
		return nil
	}
	// This /proc is not attached anywhere, so that programs cannot reach it. It is needed because this process's own
	// /proc is the machine's.
	proc, err := rootfs.NewFilesystem("proc", unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return err
	}
	memwatch.Start(g.spec, proc, g.inits)
	return nil
}

// inits returns the init processes of the goal's sandboxes with their domains.
func (g *goalInit) inits() map[int]wire.Domain {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[int]wire.Domain{g.agent.pid: wire.DomainAgent}
	for pid := range g.byPid {
		all[pid] = wire.DomainCheck
	}
	return all
}

// setUp sets up what all domains share, then the agent's sandbox.
func (g *goalInit) setUp() (sockets []int, err error) {
	// Mounts made from here on are invisible outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, socket.SandboxFailure("taking the mounts apart", err)
	}
	if err := setUpLoopback(); err != nil {
		return nil, socket.SandboxFailure("creating the goal's loopback", err)
	}
	for _, where := range g.spec.Listen {
		fd, err := listenLoopback(where)
		if err != nil {
			return sockets, socket.SandboxFailure("listening at "+where, err)
		}
		sockets = append(sockets, fd)
	}
	for _, c := range g.spec.Caches {
		// Not every file system can be an overlay layer. The goal then starts with an empty cache, which only costs
		// time.
		if err := rootfs.MountOverlay(c); err == nil {
			continue
		}
		if err := unix.Mount(string(c.Upper), string(c.Merged), "", unix.MS_BIND, ""); err != nil {
			return sockets, socket.SandboxFailure("making a cache in place of "+string(c.Lower), err)
		}
	}
	g.spec.Mounts = append(g.spec.Mounts, rootfs.Unreadable("/etc")...)
	g.places.Remember(g.spec)
	g.agent, err = g.startInner("agent", g.spec)
	if err != nil {
		return sockets, socket.SandboxFailure("starting the agent's sandbox", err)
	}
	return sockets, g.awaitAgent()
}

// awaitAgent waits until the agent's sandbox is ready.
func (g *goalInit) awaitAgent() error {
	packet := make([]byte, wire.PacketSize)
	for {
		n, err := unix.Read(g.agent.socket, packet)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0:
			return socket.SandboxFailure("starting the agent's sandbox", errors.New("it ended at once"))
		}
		var a wire.Answer
		if _, err := wire.Decode(packet[:n], nil, &a); err != nil {
			return err
		}
		if a.Error != nil {
			return a.Error
		}
		return nil
	}
}

// startInner clones an init and passes it its spec.
func (g *goalInit) startInner(domain string, w wire.Spec) (*innerInit, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	spaces := uintptr(unix.CLONE_NEWNS | unix.CLONE_NEWPID)
	if domain == "check" {
		spaces |= unix.CLONE_NEWIPC
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{os.Args[0], InitRole, domain}, &syscall.ProcAttr{
		Files: []uintptr{0, 1, 2, wire.Socket, uintptr(pair[1])},
		Sys: &syscall.SysProcAttr{
			Cloneflags:  spaces,
			AmbientCaps: setupCapabilities,
			Pdeathsig:   syscall.SIGKILL,
		},
	})
	_ = unix.Close(pair[1])
	if err != nil {
		return nil, errors.Join(fmt.Errorf("clone: %w", err), unix.Close(pair[0]))
	}
	in := &innerInit{pid: pid, socket: pair[0]}
	return in, socket.Send(in.socket, wire.Request{Op: wire.Configure, Spec: &w})
}

// read handles requests until the app closes the socket.
func (g *goalInit) read() error {
	for {
		r, fds, err := socket.Receive(wire.Socket)
		if err == nil {
			err = g.handle(r, fds)
		}
		socket.CloseAll(fds)
		if err != nil {
			return err
		}
	}
}

// handle forwards a request to the init that it concerns.
func (g *goalInit) handle(r wire.Request, fds []int) error {
	switch {
	case r.Op == wire.Dial:
		g.dials.Go(func() { g.dial(r) })
		return nil
	case r.Op == wire.Grant:
		return g.grant(r)
	case r.Op == wire.Revoke:
		g.revokeForChecks(r.ID)
	case r.Op == wire.Start && r.Domain == wire.DomainCheck:
		return g.startCheck(r, fds)
	case r.Op == wire.Signal:
		g.mu.Lock()
		in := g.checks[r.ID]
		g.mu.Unlock()
		if in != nil {
			return socket.Send(in.socket, r)
		}
	}
	return socket.Send(g.agent.socket, r, fds...)
}

// startCheck starts a check in its own sandbox.
func (g *goalInit) startCheck(r wire.Request, fds []int) error {
	g.mu.Lock() // reap must know the init before it can end
	defer g.mu.Unlock()
	w := g.grantedMounts()
	if path := g.places.FindMoved(w); path != "" {
		_ = socket.Send(wire.Socket, wire.Answer{Lost: []byte(path)})
		os.Exit(1)
	}
	scratch := filepath.Join(string(w.Scratch), strconv.FormatUint(r.ID, 10))
	w.Scratch, w.Tmp, w.TmpWrite = []byte(scratch), []byte(filepath.Join(scratch, "tmp")), true
	err := rootfs.MakeOwnedDirs(w, string(w.Scratch), string(w.Tmp))
	var in *innerInit
	if err == nil {
		in, err = g.startInner("check", w)
	}
	if err != nil {
		return socket.Send(wire.Socket, wire.Answer{
			ID:    r.ID,
			Error: socket.SandboxFailure("creating the check's sandbox", err),
		})
	}
	in.id, in.scratch = r.ID, scratch
	g.checks[r.ID], g.byPid[in.pid] = in, in
	return socket.Send(in.socket, r, fds...)
}

// reap waits for the inits. The goal ends with the agent's; a check's sandbox is removed.
func (g *goalInit) reap() {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return // ECHILD: the agent's sandbox is gone, and the goal with it
		}
		if pid == g.agent.pid {
			fmt.Fprintf(os.Stderr, "goalpost-helper: the agent's sandbox ended (%s)\n", describeStatus(status))
			os.Exit(1)
		}
		g.mu.Lock()
		in := g.byPid[pid]
		if in != nil {
			delete(g.byPid, pid)
			delete(g.checks, in.id)
		}
		g.mu.Unlock()
		if in == nil {
			continue
		}
		_ = unix.Close(in.socket)
		if status.ExitStatus() != 0 { // the init reported nothing, or not everything
			wireErr := &wire.Error{Code: wire.Failed, Text: "the check's sandbox ended: " + describeStatus(status)}
			_ = socket.Send(wire.Socket, wire.Answer{ID: in.id, Error: wireErr})
			_ = socket.Send(wire.Socket, wire.Answer{ID: in.id, Exit: &wire.Exit{Code: -1, Signal: int(unix.SIGKILL)}})
		}
		_ = os.RemoveAll(in.scratch) // the rest is removed with the goal
	}
}

func describeStatus(s unix.WaitStatus) string {
	if s.Signaled() {
		return fmt.Sprintf("signal %d", s.Signal())
	}
	return fmt.Sprintf("exit %d", s.ExitStatus())
}

// dial answers with a connection in the goal's network namespace.
func (g *goalInit) dial(r wire.Request) {
	file, err := connectLoopback(r.Network, r.Address)
	if err != nil {
		_ = socket.Send(wire.Socket, wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Failed, Text: err.Error()}})
		return
	}
	_ = socket.Send(wire.Socket, wire.Answer{ID: r.ID, Dialed: true}, int(file.Fd()))
	_ = file.Close()
}

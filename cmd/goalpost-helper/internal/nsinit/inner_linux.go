package nsinit

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/landlock"
	"goalpost/cmd/goalpost-helper/internal/rootfs"
	"goalpost/cmd/goalpost-helper/internal/seccomp"
	"goalpost/cmd/goalpost-helper/internal/socket"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// initSocket is an init's descriptor for what the first process of the goal passes on; it answers the
// app itself.
const initSocket = 4

// RunInit is the first process of a sandbox: it builds the sandbox's files and starts
// programs in it. It ignores every signal that those send, and its end is theirs.
func RunInit(domain string) error {
	supervise.CatchSignals()
	unix.CloseOnExec(wire.Socket)
	unix.CloseOnExec(initSocket)
	r, fds, err := socket.Receive(initSocket)
	socket.CloseAll(fds)
	switch {
	case errors.Is(err, socket.ErrClosed):
		return nil
	case err != nil:
		return err
	case r.Spec == nil:
		return errors.New("no sandbox is described")
	}
	if domain == "check" {
		return runCheck(*r.Spec)
	}
	s, err := setUpSandbox(*r.Spec, wire.DomainAgent, 0, nil)
	if err != nil {
		return socket.Send(initSocket, wire.Answer{Error: toWireError(err)})
	}
	if err := socket.Send(initSocket, wire.Answer{Hello: wire.Version}); err != nil {
		return err
	}
	go s.Reap()
	return s.Read()
}

// runCheck runs one program in a sandbox and ends with it.
func runCheck(w wire.Spec) error {
	r, fds, err := socket.Receive(initSocket)
	if errors.Is(err, socket.ErrClosed) {
		return nil
	}
	if err != nil {
		return err
	}
	s, err := setUpSandbox(w, wire.DomainCheck, r.ID, r.Held)
	if err != nil {
		return socket.Send(wire.Socket, wire.Answer{ID: r.ID, Error: toWireError(err)})
	}
	err = s.Handle(r, fds)
	socket.CloseAll(fds)
	if err != nil || !s.RunsPrograms() { // refused, and said so
		return err
	}
	go s.Reap()
	return s.Read()
}

// finishCheck ends a check's sandbox and this process: what the program left behind first,
// so that nothing of it keeps running when the verdict is known.
func finishCheck(id uint64, exit wire.Exit, flush func()) {
	for {
		_ = unix.Kill(-1, unix.SIGKILL)
		_, err := unix.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			break // ECHILD: nobody is left
		}
	}
	flush()
	_ = socket.Send(wire.Socket, wire.Answer{ID: id, Exit: &exit})
	os.Exit(0)
}

// setUpSandbox builds the sandbox's files and prepares what each of its programs needs. only
// is the one program of a check, whose end is the end of its sandbox.
func setUpSandbox(
	w wire.Spec, domain wire.Domain, only uint64, held []wire.FileOverride,
) (*supervise.Supervisor, error) {
	check := domain == wire.DomainCheck
	limitPids(w.Limits.Processes)
	granted, covered := &rootfs.GrantedSockets{}, &rootfs.StickyMounts{}
	if err := rootfs.Build(w, check, held, granted, covered); err != nil {
		return nil, err
	}
	if err := covered.Watch(); err != nil {
		return nil, socket.SandboxFailure("watching what is mounted", err)
	}
	rules, err := landlock.NewRuleset(covered.Existing(w), check, rootfs.Devices, rootfs.RuntimeDir(w))
	if err != nil {
		return nil, &wire.Error{Code: wire.SandboxError, Text: "Landlock: " + err.Error()}
	}
	covered.AllowWrites(func(tree int) error { return landlock.GrantTree(rules, tree) })
	files := &seccomp.MountedNames{}
	files.Add(w.Mounts, check)
	var notifier *seccomp.Notifier
	inside := &launchContext{
		spec:  w,
		rules: rules,
		grants: rootfs.NewRuntimeGrants(w, granted, covered,
			func(tree int) error { return landlock.GrantTree(rules, tree) },
			func(mounts []wire.Mount) { files.Add(mounts, false) },
		),
	}
	s, err := supervise.New(initSocket, wire.Socket, inside, func(id uint64, exit wire.Exit) {
		if check && id == only {
			finishCheck(id, exit, notifier.Flush)
		}
		notifier.Flush()
	})
	if err != nil {
		return nil, &wire.Error{Code: wire.SandboxError, Text: err.Error()}
	}
	// Here, on the main thread, and not by each program: one notifier hears them
	// all, and a start costs nothing more.
	fd, silent, err := seccomp.InstallFilter()
	switch {
	case err != nil:
		return nil, socket.SandboxFailure("seccomp", err)
	case silent != nil:
		_ = socket.Send(wire.Socket, wire.Answer{
			Attempt: &wire.Violation{
				Domain: domain,
				Times:  1,
				Text:   "what the kernel refuses is not told here: " + silent.Error(),
			},
		})
	default:
		notifier = seccomp.StartNotifier(fd, domain, w, granted, files)
	}
	return s, nil
}

// toWireError is an error as the app hears of it.
func toWireError(err error) *wire.Error {
	var refused *wire.Error
	if errors.As(err, &refused) {
		return refused
	}
	return &wire.Error{Code: wire.SandboxError, Text: err.Error()}
}

// reservedPids are those that the kernel gives out once and not again.
const reservedPids = 300

// limitPids bounds the processes of this sandbox where the kernel counts them for
// each sandbox (Linux 6.14): for root it is the only bound, because RLIMIT_NPROC
// does not hold for him. An older kernel refuses, and the other bound stays.
func limitPids(most int) {
	if most > 0 {
		_ = os.WriteFile("/proc/sys/kernel/pid_max", fmt.Append(nil, most+reservedPids), 0)
	}
}

package nsinit

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/filetrace"
	"goalpost/cmd/goalpost-helper/internal/landlock"
	"goalpost/cmd/goalpost-helper/internal/rootfs"
	"goalpost/cmd/goalpost-helper/internal/seccomp"
	"goalpost/cmd/goalpost-helper/internal/socket"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// initSocket is an init's descriptor for requests that the goal's init forwards; it answers the app directly.
const initSocket = 4

// RunInit is the first process of a sandbox: it builds the file system and starts programs. It ignores their signals,
// and they end with it.
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
	s, watch, err := setUpSandbox(*r.Spec, wire.DomainAgent, wire.Request{})
	if err != nil {
		return socket.Send(initSocket, wire.Answer{Error: toWireError(err)})
	}
	reserveThreads()
	if err := socket.Send(initSocket, wire.Answer{Hello: wire.Version}); err != nil {
		return err
	}
	if err := watch.Start(endForLostMount); err != nil {
		return fmt.Errorf("watching the mounts: %w", err)
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
	s, watch, err := setUpSandbox(w, wire.DomainCheck, r)
	if err == nil {
		err = watch.Start(endForLostMount)
	}
	if err != nil {
		return socket.Send(wire.Socket, wire.Answer{ID: r.ID, Error: toWireError(err)})
	}
	reserveThreads()
	err = s.Handle(r, fds)
	socket.CloseAll(fds)
	if err != nil || !s.RunsPrograms() { // refused; the answer was sent
		return err
	}
	go s.Reap()
	return s.Read()
}

// finishCheck ends a check's sandbox and this process. It kills the program's remaining processes first, so that none
// runs when the verdict is known.
func finishCheck(id uint64, exit wire.Exit, flush func()) {
	for {
		_ = unix.Kill(-1, unix.SIGKILL)
		_, err := unix.Wait4(-1, nil, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			break // ECHILD: no process is left
		}
	}
	flush()
	_ = socket.Send(wire.Socket, wire.Answer{ID: id, Exit: &exit})
	os.Exit(0)
}

// setUpSandbox builds the sandbox's file system and prepares what its programs need. only starts a check's one
// program, with which its sandbox ends.
func setUpSandbox(
	w wire.Spec, domain wire.Domain, only wire.Request,
) (*supervise.Supervisor, *rootfs.MountWatch, error) {
	check := domain == wire.DomainCheck
	pidEnd := limitPids(w.Limits.Processes)
	granted, watch := &rootfs.GrantedSockets{}, &rootfs.MountWatch{}
	if err := rootfs.Build(w, check, only.Held, granted, watch); err != nil {
		return nil, nil, err
	}
	rules, err := landlock.NewRuleset(w, check, rootfs.Devices, rootfs.RuntimeDir(w))
	if err != nil {
		return nil, nil, &wire.Error{Code: wire.SandboxError, Text: "Landlock: " + err.Error()}
	}
	files := &seccomp.MountedNames{}
	files.Add(w.Mounts, check)
	var notifier *seccomp.Notifier
	inside := &launchContext{
		spec:   w,
		rules:  rules,
		pidEnd: pidEnd,
		grants: rootfs.NewRuntimeGrants(w, granted, watch,
			func(tree int) error { return landlock.GrantTree(rules, tree) },
			func(mounts []wire.Mount) { files.Add(mounts, false) },
		),
	}
	s, err := supervise.New(initSocket, wire.Socket, inside, func(id uint64, exit wire.Exit) {
		if check && id == only.ID {
			finishCheck(id, exit, func() {
				notifier.Flush()
				inside.trace.finish()
			})
		}
		notifier.Flush()
	})
	if err != nil {
		return nil, nil, &wire.Error{Code: wire.SandboxError, Text: err.Error()}
	}
	if check && only.Trace != nil {
		inside.trace = &checkTrace{
			id:       only.ID,
			dirs:     tracedDirs(w, string(only.Trace.Dir)),
			obstacle: filetrace.FindObstacle(),
			listen: func(fd int, tracer *filetrace.Tracer) {
				notifier = seccomp.StartNotifier(fd, pidEnd, domain, w, granted, files, tracer)
			},
		}
	}
	if inside.trace.isObserved() {
		return s, watch, nil
	}
	// The filter is installed on the main thread instead of in each program: one notifier serves all programs, and their
	// start takes no extra time.
	fd, silent, err := seccomp.InstallFilter(seccomp.FilterOptions{PidEnd: pidEnd})
	switch {
	case err != nil:
		return nil, nil, socket.SandboxFailure("seccomp", err)
	case silent != nil:
		reportSilence(domain, silent.Error())
	default:
		notifier = seccomp.StartNotifier(fd, pidEnd, domain, w, granted, files, nil)
	}
	return s, watch, nil
}

// endForLostMount ends the sandbox, and reports which file its programs could have reached.
func endForLostMount(target string) {
	_ = unix.Kill(-1, unix.SIGKILL) // before anything else, because they could write it
	_ = socket.Send(wire.Socket, wire.Answer{Lost: []byte(target)})
	os.Exit(1)
}

// toWireError converts an error for the app.
func toWireError(err error) *wire.Error {
	var wireErr *wire.Error
	if errors.As(err, &wireErr) {
		return wireErr
	}
	return &wire.Error{Code: wire.SandboxError, Text: err.Error()}
}

// Package nsinit creates the namespaces of a goal, the init process of each, and the programs in them.
package nsinit

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// The roles in which the helper executes itself.
const (
	GoalInitRole = "goal-init"
	InitRole     = "init"
	ProgramRole  = "program"
)

// RunSandbox starts the goal's init in the goal's namespaces and waits for it. It stays outside, so that the app can
// kill it; the init dies with it, and everything inside with the init.
func RunSandbox() error {
	supervise.CatchSignals()
	setOOMScore(initOOMScore)
	// The app may be moving this process to a cgroup. Only processes that start afterwards are in that cgroup.
	if err := awaitRequest(); err != nil {
		return err
	}
	attr := &syscall.ProcAttr{
		Files: []uintptr{0, 1, 2, wire.Socket},
		Sys: &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET |
				unix.CLONE_NEWUTS,
			AmbientCaps: setupCapabilities,
			Pdeathsig:   syscall.SIGKILL,
		},
	}
	idMapping(attr.Sys)
	pid, err := syscall.ForkExec("/proc/self/exe", []string{os.Args[0], GoalInitRole}, attr)
	if err != nil {
		return errors.Join(reportFailure("making the namespaces", err), unix.Close(wire.Socket))
	}
	if err := unix.Close(wire.Socket); err != nil {
		return fmt.Errorf("closing the socket: %w", err)
	}
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("waiting for the first process: %w", err)
		case status.Signaled():
			return fmt.Errorf("the first process was ended by signal %d", status.Signal())
		}
		os.Exit(status.ExitStatus())
	}
}

// awaitRequest waits until the app has sent the first request or closed the socket. The goal's init reads it.
func awaitRequest() error {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: wire.Socket, Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("poll", err)
		}
	}
}

// When the memory of the goal or of the machine runs out, the kernel first kills a goal's programs, then its inits,
// then the user's programs. The difference of 400 has the weight of 40 % of that memory, so an init is killed before a
// program only if the program has lowered its own score. 1000 is the maximum.
const (
	programOOMScore = "900"
	initOOMScore    = "500"
)

// setOOMScore sets the score of this process and of the processes that it starts. Without /proc the kernel's default
// applies.
func setOOMScore(score string) { _ = os.WriteFile("/proc/self/oom_score_adj", []byte(score), 0) }

// setupCapabilities are the capabilities, within the goal's user namespace, that the inits need to build a sandbox;
// programs get none of them. overlayfs needs those over files for its work folder, and the init needs ptrace for the
// calls that it performs for programs.
var setupCapabilities = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE,
	unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_SYS_PTRACE,
}

// idMapping maps users to themselves: all of them as root, otherwise only the current user, as the kernel permits.
func idMapping(sys *syscall.SysProcAttr) {
	uid, gid := os.Getuid(), os.Getgid()
	if uid == 0 {
		all := []syscall.SysProcIDMap{{Size: math.MaxUint32}}
		sys.UidMappings, sys.GidMappings, sys.GidMappingsEnableSetgroups = all, all, true
		return
	}
	sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
}

// reportFailure reports to the app which step of building the sandbox failed. It is the helper's last message.
func reportFailure(step string, err error) error {
	return socket.Send(wire.Socket, wire.Answer{Error: socket.SandboxFailure(step, err)})
}

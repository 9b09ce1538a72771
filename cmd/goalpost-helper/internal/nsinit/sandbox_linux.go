// Package nsinit makes the namespaces of a goal, the first process of each, and the
// programs in them.
package nsinit

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// The roles that the helper gives itself.
const (
	GoalInitRole = "keeper"
	InitRole     = "init"
	ProgramRole  = "program"
)

// RunSandbox starts the goal's init in the goal's namespaces and waits for it. It stays
// outside, so that the app's kill reaches a process that no namespace shields:
// that init dies with it, and everything inside with the init.
func RunSandbox() error {
	supervise.CatchSignals()
	// Without /proc the kernel chooses as for any program.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)
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

// oomScore makes the kernel end programs of a goal before the user's when the machine runs out of
// memory: one that grows very fast can be ahead of the watch. 1000 is the highest.
const oomScore = "900"

// setupCapabilities are the capabilities that the goal's init and the inits need to build a sandbox,
// within the goal's user namespace; programs get none of them. Those over files
// are overlayfs's, whose work folder nobody else can enter; that to look at others is
// for the calls that an init makes in a program's place.
var setupCapabilities = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE,
	unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_SYS_PTRACE,
}

// idMapping maps users to themselves: all of them for root, who may, and else the
// only one that the kernel lets a user map.
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

// reportFailure tells the app which step of the walls failed. It is the last that a
// helper says.
func reportFailure(step string, err error) error {
	return socket.Send(wire.Socket, wire.Answer{Error: socket.SandboxFailure(step, err)})
}

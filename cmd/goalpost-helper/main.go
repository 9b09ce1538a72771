//go:build linux

// A helper's processes are short and wait most of the time, so the runtime need not look for a cgroup's limit of
// processors at each start.
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command goalpost-helper starts every program of the app. It is small and
// static because it stands between the app and each child: the webview's
// descriptors, signal dispositions and libraries of the app end here.
//
//	goalpost-helper set     programs with the user's rights
//	goalpost-helper sandbox programs of a goal, inside a sandbox
//	goalpost-helper connect HOST PORT   ssh's way to the goal's proxy, inside
//
// backend/host/sandbox starts it with a SOCK_SEQPACKET socket as descriptor 3 and the
// protocol of backend/host/sandbox/wire. End of file on that socket, which also
// follows when the app is killed, ends every program it started and everything
// those started.
//
// A sandbox is four kinds of process, all of this program: the outer helper, which
// waits; the goal's init, first of the goal's namespaces; an init for the agent and one
// for each check, first of a process and mount namespace of its own; and, for an
// instant, the one that drops its privileges and becomes the program.
//
// With GOALPOST_ASK in its environment it is ssh's SSH_ASKPASS instead: it passes
// ssh's question to the app, and the answer to ssh.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"goalpost/cmd/goalpost-helper/internal/nsinit"
	"goalpost/cmd/goalpost-helper/internal/sshhelp"
	"goalpost/cmd/goalpost-helper/internal/supervise"
)

// The main thread makes every fork: a program's parent-death signal is tied to
// the thread that started it, and the main thread lives as long as the helper.
func init() { runtime.LockOSThread() }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goalpost-helper:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if socket := os.Getenv("GOALPOST_ASK"); socket != "" {
		return sshhelp.Askpass(socket, args)
	}
	if len(args) == 0 {
		args = []string{""}
	}
	cleaned := len(args) == 2 && args[1] == supervise.CleanedMarker
	switch role := args[0]; {
	case (role == "set" || role == "sandbox") && len(args) == 1:
		return supervise.ResetAndReexec(role)
	case role == "set" && cleaned:
		return supervise.Serve()
	case role == "sandbox" && cleaned:
		return nsinit.RunSandbox()
	case role == nsinit.GoalInitRole && len(args) == 1:
		return nsinit.RunGoalInit()
	case role == nsinit.InitRole && len(args) == 2:
		return nsinit.RunInit(args[1])
	case role == "connect" && len(args) == 3:
		return sshhelp.ProxyConnect(args[1], args[2])
	case role == nsinit.ProgramRole && len(args) == 2:
		return nsinit.ExecProgram(args[1])
	}
	return errors.New("this program is started by Goalpost and has no use of its own")
}

//go:build linux

// Command goalpost-helper starts every program of the app. It is small and
// static because it stands between the app and each child: the webview's
// descriptors, signal dispositions and libraries of the app end here.
//
//	goalpost-helper set
//
// is started by backend/sandbox with a SOCK_SEQPACKET socket as descriptor 3
// and speaks backend/sandbox/wire. End of file on that socket, which is also
// what a killed app leaves behind, ends every program it started and everything
// those started.
package main

import (
	"fmt"
	"os"
	"runtime"
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
	switch {
	case len(args) == 1 && args[0] == "set":
		return clean()
	case len(args) == 2 && args[0] == "set" && args[1] == cleaned:
		return serve()
	}
	return fmt.Errorf("this program is started by Goalpost and is of no use by hand")
}

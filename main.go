// Command goalpost is the desktop app; with a subcommand it runs without a window. Everything that can fail is
// checked before the window opens.
package main

import (
	"context"
	"os"

	"goalpost/backend/entry/cli"
	"goalpost/backend/entry/hostsocket"
	"goalpost/frontend"
)

func main() { os.Exit(run()) }

func run() int {
	// A process that sets these could control the page or load code into it.
	for _, name := range []string{"WEBKIT_INSPECTOR_SERVER", "WEBKIT_INSPECTOR_HTTP_SERVER"} {
		if err := os.Unsetenv(name); err != nil {
			return fail(err)
		}
	}
	assets, err := frontend.Assets()
	if err != nil {
		return fail(err)
	}
	if generating { // the binding generator runs main: no database, lock or port
		if err := generateBindings(assets); err != nil {
			return fail(err)
		}
		return 0
	}
	path, err := hostsocket.Executable()
	if err != nil {
		return fail(err)
	}
	p := cli.Program{
		Name: "goalpost", Version: version, Assets: assets, Executable: path,
		Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr,
		Window: func(goalID string) int { return openWindow(assets, goalID) },
	}
	return p.Run(context.Background(), os.Args[1:])
}

// Command goalctl is Goalpost without a window, for servers and CI. It links no
// GUI library.
package main

import (
	"context"
	"fmt"
	"os"

	"goalpost/backend/entry/cli"
	"goalpost/backend/entry/hostsocket"
	"goalpost/frontend"
)

// version is set by the linker.
var version = "unversioned"

func main() { os.Exit(run()) }

func run() int {
	assets, err := frontend.Assets()
	if err != nil {
		fmt.Fprintln(os.Stderr, "goalctl:", err)
		return 1
	}
	path, err := hostsocket.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "goalctl:", err)
		return 1
	}
	p := cli.Program{
		Name:       "goalctl",
		Version:    version,
		Assets:     assets,
		Executable: path,
		Getenv:     os.Getenv,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
	}
	return p.Run(context.Background(), os.Args[1:])
}

// Package sshhelp implements the programs that ssh starts: SSH_ASKPASS and a ProxyCommand for goals.
package sshhelp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Askpass forwards ssh's prompts to the app. ssh starts the program that SSH_ASKPASS names with its prompt as the
// only argument and reads the answer from standard output. The argument "ssh connected", from LocalCommand, reports
// that ssh has logged in.
func Askpass(socket string, args []string) error {
	call := map[string]any{"key": os.Getenv("GOALPOST_ASK_KEY")}
	if len(args) == 2 && args[0] == "ssh" && args[1] == "connected" {
		call["connected"] = true
	} else if len(args) == 1 {
		call["prompt"] = args[0]
	} else {
		return errors.New("expected one argument: the question of ssh")
	}
	line, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("asking: %w", err)
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("asking: %w", err)
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		//nolint:staticcheck // a name begins it
		return fmt.Errorf("Goalpost did not answer, so ssh cannot ask for a password: %w", err)
	}
	f := os.NewFile(uintptr(fd), "ask")
	if _, err := f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("asking: %w", err)
	}
	n, err := f.WriteTo(os.Stdout)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if n == 0 && call["connected"] == nil {
		os.Exit(1) // the user declined to answer
	}
	return nil
}

package terminal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/lib/shell"
)

// shellKind is how commands are typed into a program and how it reports them.
type shellKind int

const (
	noShell    shellKind = iota // a program that takes no commands
	bashShell                   // sends marks through our rc file
	posixShell                  // marks in its prompt; each command that Run types begins with a mark
	zshShell                    // like bash, through a folder of start files
	fishShell                   // like bash, through a file that it reads after its own
)

// programOf returns the program to start: the caller's choice, otherwise the user's shell. A goal always gets a shell
// that reports its commands.
func programOf(o Options) ([]string, shellKind) {
	argv := o.Argv
	switch {
	case len(argv) > 0:
	case o.GoalID != "":
		argv = []string{findShell("/bin/bash")}
	default:
		argv = []string{findShell(lookupVariable(o.Env, "SHELL"), "/bin/bash")}
	}
	if len(argv) > 1 {
		return argv, noShell
	}
	switch filepath.Base(argv[0]) {
	case "bash":
		return argv, bashShell
	case "zsh":
		return argv, zshShell
	case "fish":
		return argv, fishShell
	case "sh", "dash", "ash", "ksh":
		return argv, posixShell
	}
	return argv, noShell
}

// findShell returns the first path that exists, otherwise /bin/sh.
func findShell(paths ...string) string {
	for _, shell := range paths {
		if info, err := os.Stat(shell); err == nil && filepath.IsAbs(shell) && info.Mode().IsRegular() &&
			info.Mode()&0o111 != 0 {
			return shell
		}
	}
	return "/bin/sh"
}

func lookupVariable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// withTerminalType makes sure that the program knows the type of its terminal.
func withTerminalType(env []string) []string {
	env = slices.Clone(env)
	if lookupVariable(env, "TERM") == "" {
		env = append(env, "TERM=xterm-256color")
	}
	return env
}

// initialState returns the state that a shell of this kind starts in.
func (s shellKind) initialState() shellState {
	if s == noShell {
		return shellReady
	}
	return shellStarting // until its prompt appears
}

// newNonce returns 128 random bits, without which a program cannot forge marks.
func newNonce() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

const maxCommand = 64 << 10

// maxLine is the maximum line that the kernel accepts for a program without a line editor.
const maxLine = 4000

// encodeCommand returns what to type so that the shell runs the command; the error says what is wrong with it.
func (s shellKind) encodeCommand(command, nonce string) (string, error) {
	if strings.TrimSpace(command) == "" {
		return "", errors.New("the command is empty")
	}
	for _, r := range command {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\uFFFD' {
			return "", fmt.Errorf("the command contains the control character %q: write it to a file or use printf", r)
		}
	}
	var input string
	switch s {
	case bashShell, zshShell:
		input = command
		// Typed directly, a line end would run half of it, a tab would complete, and an exclamation mark would search
		// the history.
		if strings.ContainsAny(command, "\n\t!") {
			input = "eval $'" +
				strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`, "!", `\x21`).Replace(command) + "'"
		}
	case fishShell:
		// Typed directly, an incomplete one would continue on the next line without an error.
		input = "eval '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `'\n'`, "\t", `'\t'`).Replace(command) + "'"
	case posixShell:
		input = " printf '\\033]133;C;goalpost=" + nonce + "\\007'; eval " + shell.Quote(command)
		for line := range strings.Lines(input) {
			if len(line) > maxLine {
				return "", fmt.Errorf(
					"a line of the command has more than %d bytes, which this shell cannot take: write it to a script and run that",
					maxLine)
			}
		}
	case noShell:
		return "", errors.New("the terminal's program is not a shell that takes commands: write to it instead")
	}
	if len(input) > maxCommand {
		return "", fmt.Errorf("the command has more than %d bytes: write it to a script and run that", maxCommand)
	}
	return "\x15" + input + "\r", nil // Ctrl+U clears a partly typed line
}

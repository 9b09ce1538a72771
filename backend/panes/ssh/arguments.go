package ssh

import (
	"strconv"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/shell"
)

// prefix begins the names of our own sessions: they have no status line, because the pane has a tab.
const prefix = "goalpost-"

// sshArgs returns the arguments of every ssh to a server.
func sshArgs(s pane.SSHServer) []string {
	var args []string
	if s.Port != 0 {
		args = append(args, "-p", strconv.Itoa(s.Port))
	}
	if s.User != "" {
		args = append(args, "-l", s.User)
	}
	if s.KeyPath != "" {
		args = append(args, "-i", s.KeyPath)
	}
	if s.Jump != "" {
		args = append(args, "-J", s.Jump)
	}
	return args
}

// remoteCommand returns the command for the server's shell, "" for a plain login.
func remoteCommand(s pane.SSHServer, session string) string {
	if !s.Tmux {
		if s.Folder == "" {
			return ""
		}
		return "cd " + quoteRemoteDir(s.Folder) + ` && exec "$SHELL" -l`
	}
	command := "tmux -u new-session -A -s " + shell.Quote(session)
	if s.Folder != "" {
		command += " -c " + quoteRemoteDir(s.Folder)
	}
	if strings.HasPrefix(session, prefix) {
		command += ` \; set-option status off \; set-option mouse on`
	}
	return command
}

// quoteRemoteDir leaves ~ for the server to expand.
func quoteRemoteDir(folder string) string {
	if folder == "~" {
		return `"$HOME"`
	}
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		return `"$HOME"/` + shell.Quote(rest)
	}
	return shell.Quote(folder)
}

// notFound is the shell's exit code for a missing program, and failed is ssh's exit code for its own errors.
const (
	notFound = 127
	failed   = 255
)

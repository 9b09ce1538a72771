package ssh

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"goalpost/backend/pane"
	"goalpost/backend/process"
)

// prefix begins the names of our own sessions: they have no status line, because the pane has a tab.
const prefix = "goalpost-"

// sshArgs are the arguments of every ssh to a server.
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

// effectiveConfig is ssh's own configuration for a server, by lower-case keyword.
func (c *Client) effectiveConfig(ctx context.Context, s pane.SSHServer) (map[string]string, error) {
	out, err := c.capture(ctx, append(append([]string{"ssh", "-G"}, sshArgs(s)...), "--", s.Host))
	if err != nil {
		return nil, err
	}
	if out.Status.Code != 0 {
		return nil, fmt.Errorf("ssh does not take these settings: %s", firstLine(out.Stderr))
	}
	config := map[string]string{}
	for line := range strings.Lines(string(out.Stdout)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		config[key] = value
	}
	return config, nil
}

// options are our settings on top of the user's configuration, which is never weakened: a host key is confirmed by
// the user unless the configuration forbids unknown hosts, a dead connection is detected, and the commands beside the
// session share its connection.
func (l *Connection) options(config map[string]string) []string {
	var args []string
	set := func(key, value string) { args = append(args, "-o", key+"="+value) }
	switch config["stricthostkeychecking"] {
	case "true", "yes", "ask":
	default: // accept-new, no
		set("StrictHostKeyChecking", "ask")
	}
	if config["serveraliveinterval"] == "0" {
		set("ServerAliveInterval", "15")
	}
	if !l.shared {
		set("ControlMaster", "auto")
		set("ControlPath", l.controlPath())
		set("ControlPersist", "no")
	}
	if command := config["localcommand"]; command == "" || command == "none" {
		set("PermitLocalCommand", "yes")
		set("LocalCommand", strings.ReplaceAll(quoteWord(l.c.helper), "%", "%%")+" ssh connected")
	}
	return args
}

func (l *Connection) controlPath() string { return filepath.Join(l.c.dir, "c-"+l.key[:16]) }

// remoteCommand is the command for the server's shell, "" for a plain login.
func remoteCommand(s pane.SSHServer, session string) string {
	if !s.Tmux {
		if s.Folder == "" {
			return ""
		}
		return "cd " + quoteRemoteDir(s.Folder) + ` && exec "$SHELL" -l`
	}
	command := "tmux -u new-session -A -s " + quoteWord(session)
	if s.Folder != "" {
		command += " -c " + quoteRemoteDir(s.Folder)
	}
	if strings.HasPrefix(session, prefix) {
		command += ` \; set-option status off \; set-option mouse on`
	}
	return command
}

// Run runs a program on a server, in the server's folder, without asking the user: over the connection of an open
// pane if there is one. If ctx ends first, Output.TimedOut is set; the program may keep running there. Errors:
// ErrLogin, or ssh's message. ssh itself exits with 255, so a program's own 255 is an error.
func (c *Client) Run(ctx context.Context, s pane.SSHServer, argv []string) (process.Output, error) {
	if err := s.Validate(); err != nil {
		return process.Output{}, err
	}
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = quoteWord(word)
	}
	command := "exec " + strings.Join(words, " ")
	if s.Folder != "" {
		command = "cd " + quoteRemoteDir(s.Folder) + " && " + command
	}
	out, err := c.sideCommand(ctx, s, command)
	switch {
	case out.TimedOut:
		return out, nil
	case err != nil:
		return out, err
	case out.Status.Code == failed:
		return out, connectError(s, out.Stderr)
	}
	return out, nil
}

// sideCommand is a short command beside the sessions. It never asks the user.
func (c *Client) sideCommand(ctx context.Context, s pane.SSHServer, command string) (process.Output, error) {
	args := append([]string{
		"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o",
		"ClearAllForwardings=yes",
	}, sshArgs(s)...)
	if l := c.liveConnection(s.ID); l != nil {
		args = append(args, "-o", "ControlMaster=no", "-o", "ControlPath="+l.controlPath())
	}
	return c.capture(ctx, append(args, "--", s.Host, command))
}

func (c *Client) capture(ctx context.Context, argv []string) (process.Output, error) {
	out, err := process.Capture(ctx, c.launcher, process.Command{Argv: argv, Env: c.env, Dir: "/"}, false)
	if err != nil {
		return out, fmt.Errorf("running ssh: %w", err)
	}
	if out.TimedOut {
		return out, fmt.Errorf("ssh did not answer in time: %w", ctx.Err())
	}
	return out, nil
}

// quoteWord quotes text as one word for a shell, ours or the server's.
func quoteWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteRemoteDir leaves ~ for the server to expand.
func quoteRemoteDir(folder string) string {
	if folder == "~" {
		return `"$HOME"`
	}
	if rest, ok := strings.CutPrefix(folder, "~/"); ok {
		return `"$HOME"/` + quoteWord(rest)
	}
	return quoteWord(folder)
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD")
}

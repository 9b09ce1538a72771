package ssh

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
	"goalpost/backend/lib/text"
)

// effectiveConfig returns ssh's own configuration for a server, by lower-case keyword.
func (c *Client) effectiveConfig(ctx context.Context, s pane.SSHServer) (map[string]string, error) {
	out, err := c.capture(ctx, append(append([]string{"ssh", "-G"}, sshArgs(s)...), "--", s.Host))
	if err != nil {
		return nil, err
	}
	if out.Status.Code != 0 {
		return nil, fmt.Errorf("ssh does not accept these settings: %s",
			text.SanitizeLine(text.FirstLine(string(out.Stderr)), maxMessage))
	}
	config := map[string]string{}
	for line := range strings.Lines(string(out.Stdout)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		config[key] = value
	}
	return config, nil
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
		words[i] = shell.Quote(word)
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

// sideCommand runs a short command outside of the sessions. It never asks the user.
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

// maxMessage bounds what an error repeats of what a server wrote, in bytes.
const maxMessage = 300

// ErrLogin means that the server wants a password or the confirmation of a host key, which only a pane can ask for.
var ErrLogin error = fault.Kind(fault.Unavailable, "", "the server needs an answer before it accepts a login",
	"open a pane on it to answer, or use a key and an agent")

// connectError returns the reason why ssh could not connect.
func connectError(s pane.SSHServer, stderr []byte) error {
	message := string(stderr)
	for _, sign := range []string{
		"Permission denied", "Host key verification failed",
		"Too many authentication failures",
	} {
		if strings.Contains(message, sign) {
			return fmt.Errorf("%s: %w (%s)", s.DisplayName(), ErrLogin, sign)
		}
	}
	return fmt.Errorf("%s: %s", s.DisplayName(), text.SanitizeLine(text.FirstLine(message), maxMessage))
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/agent/tools/webpage"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

const (
	lookTimeout = 2 * time.Minute
	portTimeout = 10 * time.Second
	// maxLookBytes limits how much a look reports of an output or an answer, in bytes.
	maxLookBytes = 2 << 10
	// The shell's exit codes for a program that cannot be executed and one that does not exist.
	cannotExecute, notFound = 126, 127
)

func (d Deps) waitCommandEffect(a waitUntilArgs) (policy.Effect, error) {
	return d.commandEffect(commandline.Analyze(d.Dir, a.Command), a.Command), nil
}

// lookAtCommand runs a command. The condition is met if it has the wanted exit code and its output has the text.
func (d Deps) lookAtCommand(ctx context.Context, a waitUntilArgs, _ string) (goal.Look, error) {
	out, err := d.runLook(ctx, a.Command, lookTimeout)
	output := renderOutput(out.Stdout)
	switch code := out.Status.Code; {
	case err != nil:
		return goal.Look{}, err
	case out.TimedOut:
		head := "did not end within " + goal.FormatDuration(lookTimeout)
		return goal.Look{Text: describeLook(head, "the command", output)}, nil
	case (code == cannotExecute || code == notFound) && code != a.Exit:
		return goal.Look{}, fmt.Errorf("the command cannot be run (%s)\n%s", out.Status,
			wrapOutside("the command", lastBytes(output)))
	}
	return goal.Look{
		IsMet: out.Status.Signal == 0 && out.Status.Code == a.Exit && strings.Contains(output, a.Text),
		Text:  describeLook(out.Status.String(), "the command", output),
	}, nil
}

// runLook runs a command line like run_command.
func (d Deps) runLook(ctx context.Context, line string, timeout time.Duration) (process.Output, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	out, err := process.Capture(limited, d.Launcher, process.Command{
		Argv: []string{CommandShell(), "-c", line},
		Env:  d.Env,
		Dir:  d.Dir,
	}, true)
	if err != nil {
		return out, fmt.Errorf("the command cannot be run: %w", err)
	}
	return out, nil
}

// lookAtURL requests an address. The condition is met if the answer has the wanted status and text.
func (d Deps) lookAtURL(ctx context.Context, a waitUntilArgs, _ string) (goal.Look, error) {
	if d.Web == nil {
		return goal.Look{}, errors.New("this goal has no network access for wait_until")
	}
	limited, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	res, err := d.get(limited, a.URL)
	if err != nil {
		return goal.Look{Text: describeLook("no answer", "the request", err.Error())}, nil //nolint:nilerr // not met yet
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxFetch))
	err = errors.Join(err, res.Body.Close())
	content := webpage.DecodeText(body, res.Header.Get("Content-Type"))
	isWanted := res.StatusCode == a.Status || a.Status == 0 && res.StatusCode < 400
	return goal.Look{
		IsMet: err == nil && isWanted && strings.Contains(content, a.Text),
		Text:  describeLook(res.Status, res.Request.URL.Redacted(), text.TruncateBytes(content, maxLookBytes)),
	}, nil
}

func (d Deps) waitFileEffect(a waitUntilArgs) (policy.Effect, error) {
	_, err := d.folder.relPath(a.File)
	return policy.Effect{Risk: policy.ReadOnly}, err
}

// lookAtFile looks whether a file exists, or whether it is another one than at the first look.
func (d Deps) lookAtFile(_ context.Context, a waitUntilArgs, mark string) (goal.Look, error) {
	rel, err := d.folder.relPath(a.File)
	if err == nil {
		err = d.folder.refuseHiddenPath(rel)
	}
	if err != nil {
		return goal.Look{}, err
	}
	info, err := d.folder.root.Stat(rel)
	found := goal.Look{Text: a.File + " does not exist", Mark: "absent"}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return goal.Look{}, text.StripPathError(err)
	default:
		found.Text = fmt.Sprintf("%s has %d bytes, changed %s", a.File, info.Size(), info.ModTime().Format(time.DateTime))
		found.Mark = fmt.Sprintf("%s %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
		found.IsMet = !a.Changed
	}
	if a.Changed {
		found.IsMet = mark != "" && mark != found.Mark
	}
	return found, nil
}

func waitPortEffect(a waitUntilArgs) (policy.Effect, error) {
	if a.Port < 1 || a.Port > 65535 {
		return policy.Effect{}, fmt.Errorf("%d is not a port", a.Port)
	}
	return policy.Effect{Risk: policy.ReadOnly}, nil
}

// lookAtPort connects to a port of the goal's loopback, as a program of the goal does.
func (d Deps) lookAtPort(ctx context.Context, a waitUntilArgs, _ string) (goal.Look, error) {
	if CommandShell() != bashPath {
		return goal.Look{}, errors.New("looking at a port needs bash; wait for a command or an address instead")
	}
	connect := fmt.Sprintf("(exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null || exec 3<>/dev/tcp/::1/%[1]d", a.Port)
	out, err := d.runLook(ctx, connect, portTimeout)
	if err != nil {
		return goal.Look{}, err
	}
	if out.Status.Code == 0 && !out.TimedOut {
		return goal.Look{IsMet: true, Text: fmt.Sprintf("port %d accepts connections", a.Port)}, nil
	}
	return goal.Look{Text: fmt.Sprintf("port %d does not accept connections", a.Port)}, nil
}

// lookAtPane looks whether the command in a terminal pane has ended.
func (d Deps) lookAtPane(ctx context.Context, a waitUntilArgs, _ string) (goal.Look, error) {
	if d.Terminals == nil {
		return goal.Look{}, errors.New("this goal has no terminals")
	}
	w, err := d.Terminals.Wait(ctx, a.Pane, TerminalWaitCondition{Since: -1, Exit: true}, 50*time.Millisecond)
	if err != nil {
		return goal.Look{}, err
	}
	head := "the command is still running"
	isMet := w.Why == "exit" || w.Why == "ended"
	if isMet {
		_, head = w.describe(terminalWaitArgs{}, 0)
	}
	return goal.Look{IsMet: isMet, Text: describeLook(head, "pane "+a.Pane, w.Text)}, nil
}

// describeLook describes what a look found: a line of the host, and the end of what came from outside.
func describeLook(head, source, content string) string {
	if isBlank(content) {
		return head
	}
	return head + "\n" + wrapOutside(source, lastBytes(content))
}

// lastBytes returns the end of a long text.
func lastBytes(s string) string {
	if len(s) <= maxLookBytes {
		return text.ToUTF8(s)
	}
	return "…" + strings.TrimLeft(text.ToUTF8(s[len(s)-maxLookBytes:]), "\uFFFD")
}

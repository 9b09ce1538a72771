package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

const (
	terminalWait    = 15 * time.Second
	maxTerminalWait = 10 * time.Minute
	terminalPage    = 16 << 10
)

type terminalOpenArgs struct {
	Dir   string `json:"dir,omitempty" jsonschema:"folder to start in, relative to your folder"`
	Title string `json:"title,omitempty" jsonschema:"short name for the tab, such as server"`
}

func terminalOpen(f folder, r Room) (Tool, error) {
	return define("terminal_open", func(_ context.Context, a terminalOpenArgs) (policy.Effect, error) {
		if a.Dir != "" && !filepath.IsLocal(a.Dir) {
			return policy.Effect{}, fmt.Errorf("%s leads out of your folder", a.Dir)
		}
		return r.program(), nil
	}, func(ctx context.Context, a terminalOpenArgs) goal.Result {
		pane, err := r.Terminals.Open(ctx, filepath.Join(f.dir, a.Dir), a.Title)
		if err != nil {
			return failed("%s", err)
		}
		return ok("opened pane %s", pane)
	})
}

type terminalRunArgs struct {
	Pane        string `json:"pane" jsonschema:"the terminal pane, as terminal_open named it"`
	Command     string `json:"command" jsonschema:"what to type; one line"`
	WaitSeconds int    `json:"wait_seconds,omitempty" jsonschema:"how long to wait for its end; 15 if left out. A server needs only a second or two"`
}

func terminalRun(r Room) (Tool, error) {
	return define("terminal_run", func(_ context.Context, a terminalRunArgs) (policy.Effect, error) {
		if strings.TrimSpace(a.Command) == "" {
			return policy.Effect{}, fmt.Errorf("the command is empty")
		}
		if strings.ContainsAny(a.Command, "\n\r") {
			return policy.Effect{}, fmt.Errorf("the command has several lines; join them with && or write a script with write_file")
		}
		confined, err := r.Terminals.Confined(a.Pane)
		if err != nil {
			return policy.Effect{}, err
		}
		e := shellEffect(r.Dir, a.Command, r.program().Risk)
		if !confined {
			e.Pane = a.Pane
		}
		return e, nil
	}, func(ctx context.Context, a terminalRunArgs) goal.Result {
		wait := seconds(a.WaitSeconds, terminalWait, maxTerminalWait)
		mark := r.mark()
		run, err := r.Terminals.Run(ctx, a.Pane, a.Command, wait)
		if err != nil {
			return failed("%s", err)
		}
		if !run.Finished {
			return ok("still running after %s; terminal_read shows what it prints next\n%s", wait, outside("pane "+a.Pane, run.Output)+r.refused(mark))
		}
		return goal.Result{OK: run.Exit == 0, Text: fmt.Sprintf("exit %d\n%s", run.Exit, outside("pane "+a.Pane, run.Output)+r.refused(mark))}
	})
}

type terminalReadArgs struct {
	Pane string `json:"pane" jsonschema:"the terminal pane"`
	From int64  `json:"from,omitempty" jsonschema:"where to read on: the next of the last answer. The screen as it is now if left out"`
}

func terminalRead(t Terminals) (Tool, error) {
	return define("terminal_read", func(context.Context, terminalReadArgs) (policy.Effect, error) {
		return policy.Effect{Risk: policy.ReadOnly}, nil
	}, func(ctx context.Context, a terminalReadArgs) goal.Result {
		text, err := t.Read(ctx, a.Pane, a.From, terminalPage)
		if err != nil {
			return failed("%s", err)
		}
		note := fmt.Sprintf("next %d", text.Next)
		if text.More {
			note += ", more to read"
		}
		if !text.Running {
			note += "; the shell has ended"
		}
		return ok("%s\n%s", note, outside("pane "+a.Pane, text.Text))
	})
}

package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/panes"
	"goalpost/backend/panes/terminal"
)

// goalTerminals are the terminal panes of one goal.
type goalTerminals struct{ *goalPanes }

func (g goalTerminals) Open(ctx context.Context, dir, title string) (string, error) {
	s, err := g.panes.Terminals.Open(ctx, g.launcher, terminal.Options{
		ID: g.panes.NewID(pane.Terminal), GoalID: string(g.goal), Title: title, Dir: dir, Env: g.env,
		Cols: 100, Rows: 30, Scrollback: g.panes.Scrollback(),
	})
	if err != nil {
		return "", fmt.Errorf("open terminal: %w", err)
	}
	g.recorder.recordTerminal(s)
	return s.ID(), g.recordLease(ctx, s.ID(), pane.Terminal)
}

func (g goalTerminals) session(id string) (*terminal.Session, error) {
	s, err := g.panes.Terminals.Get(id)
	if err != nil || !g.panes.CanDrive(g.goal, s.Info()) {
		return nil, panes.NotYoursError(id)
	}
	return s, nil
}

// IsConfined reports whether a pane runs in the goal's sandbox. The user's panes do not.
func (g goalTerminals) IsConfined(id string) (bool, error) {
	s, err := g.session(id)
	return err == nil && s.Info().GoalID == string(g.goal), err
}

func (g goalTerminals) Run(ctx context.Context, id, command string, wait time.Duration) (tools.TerminalRun, error) {
	s, err := g.session(id)
	if err != nil {
		return tools.TerminalRun{}, err
	}
	g.typed.set(s)
	run, err := s.Commands.Run(ctx, command, wait)
	if err != nil {
		return tools.TerminalRun{}, fmt.Errorf("pane %s: %w", id, err)
	}
	return tools.TerminalRun{Output: run.Output, Exit: run.Exit, Finished: run.Finished}, nil
}

func (g goalTerminals) Type(_ context.Context, id, text string, enter bool) error {
	s, err := g.session(id)
	if err != nil {
		return err
	}
	g.typed.set(s)
	if err = s.Type(text); err == nil && enter {
		err = s.Keys("Enter")
	}
	if err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return nil
}

func (g goalTerminals) Keys(_ context.Context, id string, keys []string) error {
	s, err := g.session(id)
	if err != nil {
		return err
	}
	g.typed.set(s)
	if err := s.Keys(keys...); err != nil {
		return fmt.Errorf("pane %s: %w", id, err)
	}
	return nil
}

func (g goalTerminals) Screen(_ context.Context, id string) (tools.TerminalText, error) {
	s, err := g.session(id)
	if err != nil {
		return tools.TerminalText{}, err
	}
	return TerminalScreen(s), nil
}

// TerminalScreen returns what a terminal shows, as the tools read it.
func TerminalScreen(s *terminal.Session) tools.TerminalText {
	_, ended := s.Exit()
	_, end := s.Range()
	lines, row, col, full := s.Screen()
	return tools.TerminalText{
		Text:    strings.TrimRight(strings.Join(lines, "\n"), "\n "),
		Next:    end,
		End:     end,
		Row:     row + 1,
		Col:     col + 1,
		Full:    full,
		Running: !ended,
		Busy:    !ended && !s.Idle(),
	}
}

func (g goalTerminals) Read(_ context.Context, id string, from int64, page, limit int) (tools.TerminalText, error) {
	s, err := g.session(id)
	if err != nil {
		return tools.TerminalText{}, err
	}
	return TerminalPage(s, from, page, limit), nil
}

// TerminalPage returns a part of a terminal's scrollback, as the tools read it.
func TerminalPage(s *terminal.Session, from int64, page, limit int) tools.TerminalText {
	_, ended := s.Exit()
	var read terminal.Page
	if page > 0 {
		read = s.Scrollback(page - 1)
	} else {
		read = s.Text(from, limit)
	}
	return tools.TerminalText{
		Text:    read.Text,
		From:    read.From,
		Next:    read.Next,
		End:     read.End,
		Lost:    read.Lost,
		Running: !ended,
		Busy:    !ended && !s.Idle(),
	}
}

func (g goalTerminals) Wait(
	ctx context.Context, id string, until tools.TerminalWaitCondition, wait time.Duration,
) (tools.TerminalWaitResult, error) {
	s, err := g.session(id)
	if err != nil {
		return tools.TerminalWaitResult{}, err
	}
	since := until.Since
	if since < 0 {
		since = g.typed.get(id)
	}
	waiting, stop := waitUnlessPaused(ctx)
	defer stop()
	w, err := s.WaitFor(waiting, terminal.WaitCondition{
		Pattern: until.Pattern,
		Since:   since,
		Prompt:  until.Prompt,
		Exit:    until.Exit,
		Quiet:   until.Quiet,
	}, wait)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil { // the user paused the run: the wait just ends early
		_, end := s.Range()
		w, err = terminal.WaitResult{Why: terminal.TimedOut, Next: end}, nil
	}
	if err != nil {
		return tools.TerminalWaitResult{}, fmt.Errorf("pane %s: %w", id, err)
	}
	const tail = 2 << 10
	from, _ := s.Range()
	screen := s.Text(max(from, w.Next-tail), tail)
	_, ended := s.Exit()
	return tools.TerminalWaitResult{
		Why:   string(w.Why),
		Match: w.Match,
		Exit:  w.Exit,
		Next:  w.Next,
		Text:  screen.Text,
		Busy:  !ended && !s.Idle(),
	}, nil
}

// waitUnlessPaused derives a context that also ends when the user pauses the run, so that a long wait does not
// delay the pause. The caller must call stop.
func waitUnlessPaused(ctx context.Context) (waiting context.Context, stop func()) {
	waiting, cancel := context.WithCancel(ctx)
	paused := PauseSignal(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-paused:
			cancel()
		case <-waiting.Done():
		}
	})
	return waiting, func() { cancel(); watch.Wait() }
}

func (g goalTerminals) List(context.Context) ([]tools.Terminal, error) {
	var list []tools.Terminal
	for _, info := range g.panes.Terminals.List() {
		if !g.panes.CanDrive(g.goal, info) {
			continue
		}
		one := tools.Terminal{
			Pane:    info.ID,
			Title:   info.Title,
			Dir:     info.Cwd,
			Running: info.Running,
			Exit:    info.Exit,
			Shared:  info.GoalID != string(g.goal),
		}
		if s, err := g.panes.Terminals.Get(info.ID); err == nil {
			one.Command, _ = s.Running()
		}
		list = append(list, one)
	}
	return list, nil
}

// PauseSignal returns a channel that is closed when the user pauses the run of ctx, nil outside of a run.
func PauseSignal(ctx context.Context) <-chan struct{} {
	run, _ := goal.RunOf(ctx)
	if p, ok := run.Control.(interface{ PauseRequested() <-chan struct{} }); ok {
		return p.PauseRequested()
	}
	return nil
}

package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fault"
)

// Defaults and limits.
const (
	DefaultScrollback = 8 << 20 // bytes
	DefaultGrace      = 2 * time.Second
	DefaultCols       = 80
	DefaultRows       = 24

	minScrollback = 256 << 10
	maxCells      = 2000 // columns or rows
)

// ErrEnded means that the terminal's program has ended.
var ErrEnded = errors.New("the terminal's program has ended: restart the terminal or open another")

// ErrClosed means that the terminal was closed.
var ErrClosed error = fault.Kind(fault.Closed, "", "the terminal is closed", "open another one")

// Options describe the terminal to open. ID and Dir must be set.
type Options struct {
	ID     string
	Title  string // "" is the program's name
	GoalID string
	Dir    string   // absolute
	Env    []string // the whole environment; TERM is added if it is missing
	// Argv is the program. Empty means a shell: SHELL of Env unless it is for a goal, otherwise /bin/bash or /bin/sh.
	// A bare bash or sh reports its commands.
	Argv       []string
	Note       PaneMeta      // the initial metadata
	Before     []byte        // initial scrollback: the output of an earlier session
	Asleep     bool          // start nothing before Restart
	Cols, Rows int           // character cells
	Scrollback int           // bytes kept, 0 is DefaultScrollback
	Grace      time.Duration // between SIGHUP and SIGKILL when closing, 0 is DefaultGrace
}

// Session is one terminal. All methods may be called concurrently.
type Session struct {
	id      string
	changed func() // called without locks held when Info changed
	screen  *screen

	start sync.Mutex // one Restart or Close at a time

	mu    sync.Mutex
	title string
	// cwd is the folder that the shell last reported (OSC 7), at first the one in which it was opened. A program can
	// claim any folder: show it, never act on it.
	cwd        string
	goalID     string
	noted      PaneMeta
	cols, rows int
	ring       *ring
	marks      markParser
	command    command // the shell's latest
	finished   command // the latest finished one
	life       *childProcess
	ended      bool // the program's whole output is in the ring
	status     process.Status
	closed     bool
	viewers    map[*Viewer]struct{}
	sizes      pane.Sizes
	output     signal // there are new bytes or marks, or the program or the terminal has ended
	spaceFreed signal // a viewer continued reading
	spec       launchSpec
	Commands   CommandRunner
}

// openSession makes a session and starts its program.
func openSession(ctx context.Context, launcher process.Launcher, o Options, changed func()) (*Session, error) {
	if o.ID == "" || !filepath.IsAbs(o.Dir) {
		return nil, fmt.Errorf("opening a terminal: it needs an id and an absolute folder, not %q and %q", o.ID, o.Dir)
	}
	argv, kind := programOf(o)
	s := &Session{
		id:     o.ID,
		goalID: o.GoalID,
		cwd:    o.Dir,
		title:  cmp.Or(o.Title, filepath.Base(argv[0])),
		noted:  o.Note,
		spec: launchSpec{
			dir:      o.Dir,
			env:      withTerminalType(o.Env),
			argv:     argv,
			shell:    kind,
			grace:    cmp.Or(o.Grace, DefaultGrace),
			launcher: launcher,
		},
		changed: changed,
		cols:    clampSize(o.Cols, DefaultCols),
		rows:    clampSize(o.Rows, DefaultRows),
		viewers: map[*Viewer]struct{}{},
	}
	s.Commands = CommandRunner{session: s, run: make(chan struct{}, 1)}
	if o.Note.Server == "" {
		s.spec.host, _ = os.Hostname() // without a host name all folders are accepted
	}
	s.Commands.run <- struct{}{}
	s.ring = newRing(max(cmp.Or(o.Scrollback, DefaultScrollback), minScrollback))
	s.ring.add(o.Before)
	if o.Asleep {
		s.ended, s.command.state = true, shellEnded
	} else if err := s.begin(ctx); err != nil {
		return nil, err
	}
	// The model begins at the program's start, so that queries in the earlier output are not answered again.
	s.screen = openScreen(s, s.cols, s.rows, int64(len(o.Before)))
	return s, nil
}

// clampSize makes a size valid; 0 becomes fallback.
func clampSize(n, fallback int) int {
	if n <= 0 {
		n = fallback
	}
	return min(n, maxCells)
}

// ID returns the pane id.
func (s *Session) ID() string { return s.id }

// Info describes the terminal for lists and tabs.
func (s *Session) Info() pane.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := pane.Info{
		ID: s.id, Kind: pane.Terminal, Title: s.title, GoalID: s.goalID, Dir: s.spec.dir, Cwd: s.cwd, Running: !s.ended,
		Server: s.noted.Server, Session: s.noted.Session, Ask: s.noted.Ask, Secret: s.noted.Secret,
		AskAgain: s.noted.AskAgain, Problem: s.noted.Problem, TerminalProfile: s.noted.Profile,
	}
	if s.ended {
		info.Exit = s.status.Code
	}
	return info
}

// Size returns the size in character cells.
func (s *Session) Size() (cols, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cols, s.rows
}

// Rename sets the terminal's title.
func (s *Session) Rename(title string) {
	s.mu.Lock()
	s.title = title
	s.mu.Unlock()
	s.changed()
}

// PaneMeta are properties of a terminal that its owner sets and Info shows.
type PaneMeta struct {
	Server, Session string // the machine that it is on, and its tmux session there
	Ask             string // what ssh asks the user
	Secret          bool   // the answer is not shown
	AskAgain        bool   // the saved answer was refused
	Problem         string
	Profile         string // the terminal profile that it was opened with
}

// SetMeta changes the metadata.
func (s *Session) SetMeta(edit func(*PaneMeta)) {
	s.mu.Lock()
	old := s.noted
	edit(&s.noted)
	same := s.noted == old
	s.mu.Unlock()
	if !same {
		s.changed()
	}
}

// Exit returns the program's exit code once it has ended and all its output is in the scrollback; -1 means that a
// signal ended it.
func (s *Session) Exit() (code int, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status.Code, s.ended
}

// Status returns the complete exit status.
func (s *Session) Status() (status process.Status, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, s.ended
}

// Range returns the range of offsets in the scrollback: [from, to).
func (s *Session) Range() (from, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ring.start, s.ring.end
}

// Wait returns when there is output beyond the offset, or an end (ErrEnded, ErrClosed), or ctx ends.
func (s *Session) Wait(ctx context.Context, after int64) error {
	for {
		s.mu.Lock()
		end, err := s.ring.end, s.endError()
		next := s.output.next()
		s.mu.Unlock()
		if end > after {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return fmt.Errorf("waiting for output: %w", ctx.Err())
		}
	}
}

// Ended waits for the end of the running program and its last output; ok is false if the terminal is closed or ctx
// ends.
func (s *Session) Ended(ctx context.Context) (process.Status, bool) {
	for {
		s.mu.Lock()
		status, ended, closed, next := s.status, s.ended, s.closed, s.output.next()
		s.mu.Unlock()
		if closed || ended {
			return status, !closed
		}
		select {
		case <-next:
		case <-ctx.Done():
			return process.Status{}, false
		}
	}
}

// endError returns the reason why there is no further output; mu is held.
func (s *Session) endError() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.ended:
		return ErrEnded
	}
	return nil
}

// Write types all of p or nothing. It never waits: a program that does not read gets
// ErrInputFull, and more than 1 MiB at once ErrInputTooLong.
func (s *Session) Write(p []byte) (int, error) {
	s.mu.Lock()
	l, err := s.life, s.endError()
	s.mu.Unlock()
	if err == nil {
		err = l.input.put(p)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// validateSize refuses sizes that no terminal has.
func validateSize(cols, rows int) error {
	if cols < 1 || rows < 1 || cols > maxCells || rows > maxCells {
		return fmt.Errorf("a terminal has 1 to %d columns and rows, not %d×%d", maxCells, cols, rows)
	}
	return nil
}

// applySize gives a terminal of the user the size that its viewers set, and notifies all of them but by. A goal's
// terminal keeps its own size, because its agent must see the same screen however users look at it. mu is held.
func (s *Session) applySize(by *Viewer) error {
	if s.closed {
		return ErrClosed
	}
	size, ok := s.sizes.Get()
	if !ok || s.goalID != "" || size.Width == s.cols && size.Height == s.rows {
		return nil
	}
	s.cols, s.rows = size.Width, size.Height
	for v := range s.viewers {
		if v != by {
			v.resized()
		}
	}
	s.screen.resize(s.cols, s.rows)
	s.output.broadcast() // the screen model waits for it
	if s.ended {
		return nil // the next program starts with it
	}
	return resizePTY(s.life.master, s.cols, s.rows)
}

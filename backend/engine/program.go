package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"goalpost/backend/engine/acp"
	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/shell"
	"goalpost/backend/tail"
)

// program is the agent's running program with its connection.
type program struct {
	process process.Process
	conn    *acp.Conn
	files   []*os.File // our ends of its pipes
	words   *tail.Writer
	work    sync.WaitGroup
	lost    atomic.Bool // a part of it has ended
}

// writeTimeout is how long an agent may leave a message unread.
const writeTimeout = 30 * time.Second

// timedWriter fails if the agent does not read.
type timedWriter struct{ file *os.File }

func (w timedWriter) Write(b []byte) (int, error) {
	_ = w.file.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.file.Write(b) //nolint:wrapcheck // the SDK wraps it
}

// ensureStarted starts the agent if it does not run. fresh means that it knows nothing of the goal.
func (s *Session) ensureStarted(ctx context.Context) (fresh bool, err error) {
	s.mu.Lock()
	old := s.agent
	s.mu.Unlock()
	switch {
	case old != nil && !old.hasEnded():
		return false, nil
	case old != nil:
		s.closeProgram(ctx)
		if err := s.noteCrash(old); err != nil {
			return false, err
		}
	}
	if s.gate == nil {
		if s.gate, err = s.openGateway(ctx); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	p, err := s.startProgram(ctx)
	if err != nil {
		return false, err
	}
	fresh, err = s.openSession(ctx, p)
	if err != nil {
		p.end()
		return false, fmt.Errorf("%s: %w. %s", s.opts.Installed.Profile.Name, err, p.lastWords())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = p
	s.inbox.reset()
	return fresh, nil
}

func (s *Session) startProgram(ctx context.Context) (started *program, err error) {
	profile := s.opts.Installed.Profile
	p := &program{words: tail.NewWriter(2048)}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs { // the program has copies
			_ = f.Close()
		}
		if err != nil {
			p.end()
		}
	}()
	var ends [3][2]*os.File // read, write
	for i := range ends {
		if ends[i][0], ends[i][1], err = os.Pipe(); err != nil {
			return nil, fmt.Errorf("pipe: %w", err)
		}
		ours, his := ends[i][0], ends[i][1]
		if i == 0 {
			ours, his = his, ours
		}
		p.files, theirs = append(p.files, ours), append(theirs, his)
	}
	argv, env := s.command()
	p.process, err = s.opts.Launcher.Start(ctx, process.Command{
		Argv:  argv,
		Env:   env,
		Dir:   s.opts.Dir,
		Files: theirs,
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", profile.Name, err)
	}
	p.work.Go(func() { _, _ = io.Copy(p.words, p.files[2]) })
	p.conn, err = acp.Open(ctx, acp.Options{
		Version: s.opts.Version,
		Dir:     s.opts.Dir + profile.DirSuffix,
		Server:  acp.MCPServer{Name: serverName, URL: s.gate.address() + "/mcp", Token: s.gate.token},
		Meta:    profile.SessionMeta,
		Options: profile.SessionOptions,
	}, listener{s}, timedWriter{p.files[0]}, p.files[1])
	if err != nil {
		return nil, fmt.Errorf("%s: %w. %s", profile.Name, err, p.lastWords())
	}
	return p, nil
}

// command is the command line of the agent and its environment. Its files of settings are written by a shell in the
// sandbox, because only that sees the home folder there; their texts are in variables, which other users cannot read.
func (s *Session) command() (argv, env []string) {
	profile := s.opts.Installed.Profile
	server := ModelServer{Address: s.gate.address(), Token: s.gate.token, Window: s.opts.Window, Dir: s.opts.Dir}
	if server.Window <= 0 {
		server.Window = defaultWindow
	}
	for _, entry := range s.opts.Env {
		if home, ok := strings.CutPrefix(entry, "HOME="); ok {
			server.Home = home
		}
	}
	argv, env = s.opts.Installed.Argv(), slices.Clone(s.opts.Env)
	if profile.Preload != "" {
		argv = slices.Insert(argv, 1, "--require", filepath.Join(server.Home, profile.Preload))
	}
	if profile.Env != nil {
		env = append(env, profile.Env(server)...)
	}
	if profile.Files == nil {
		return argv, env
	}
	files := profile.Files(server)
	script := "set -e; umask 077\n"
	for i, path := range slices.Sorted(maps.Keys(files)) {
		variable := fmt.Sprintf("GOALPOST_ENGINE_FILE_%d", i)
		env = append(env, variable+"="+files[path])
		file := `"$HOME"/` + shell.Join([]string{path})
		script += `mkdir -p "$(dirname ` + file + `)"; printf %s "$` + variable + `" > ` + file + "; unset " + variable + "\n"
	}
	return append([]string{"/bin/sh", "-c", script + `exec "$@"`, "sh"}, argv...), env
}

// agentState is what the host stores of an agent's session.
type agentState struct {
	Engine  string      `json:"engine"`
	Session string      `json:"session"`
	Notes   []string    `json:"notes,omitempty"` // for the next prompt
	Final   []goal.Call `json:"final,omitempty"` // that it made in a turn which was cancelled; not decided
}

// loadState takes over, once, what an earlier process has stored.
func (s *Session) loadState() {
	if s.loaded {
		return
	}
	s.loaded = true
	var old agentState
	b, err := os.ReadFile(s.opts.StateFile)
	if err == nil {
		err = json.Unmarshal(b, &old)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.opts.Log.Warn("the agent's session is not known", "error", err)
	}
	if err != nil || old.Engine != s.opts.Installed.Profile.ID {
		return
	}
	s.state = old
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.note(old.Notes...)
	s.inbox.final = old.Final
}

// openSession continues the goal's session if the agent can, and begins a new one otherwise.
func (s *Session) openSession(ctx context.Context, p *program) (fresh bool, err error) {
	if s.state.Session != "" && s.opts.Installed.Profile.Resumes {
		switch ok, err := p.conn.LoadSession(ctx, s.state.Session); {
		case ok:
			return false, nil
		case err != nil:
			s.journalWarning("engine", err.Error()+"; it begins a new session with a summary")
		}
	}
	id, err := p.conn.NewSession(ctx)
	if err != nil {
		return false, err
	}
	s.state = agentState{Engine: s.opts.Installed.Profile.ID, Session: id}
	s.saveState()
	return true, nil
}

func (s *Session) saveState() {
	b, err := json.Marshal(s.state)
	if err == nil {
		err = os.WriteFile(s.opts.StateFile, b, 0o600)
	}
	if err != nil {
		s.opts.Log.Warn("the agent's session is not stored", "error", err)
	}
}

// closeProgram ends the agent's program, if it runs.
func (s *Session) closeProgram(context.Context) {
	s.mu.Lock()
	p := s.agent
	s.agent, s.turn = nil, nil
	s.inbox.withdrawAll()
	s.mu.Unlock()
	if p != nil {
		p.end()
	}
}

func (p *program) hasEnded() bool {
	if p.lost.Load() {
		return true
	}
	select {
	case <-p.process.Done():
		return true
	case <-p.conn.Done():
		return true
	default:
		return false
	}
}

// lastWords says why the host ended the connection, or is the end of what the program wrote to standard error.
func (p *program) lastWords() string {
	if p.conn != nil && p.conn.Problem() != "" {
		return p.conn.Problem()
	}
	text := strings.Join(strings.Fields(p.words.String()), " ")
	if text == "" {
		return "It wrote no error."
	}
	return "It wrote: " + text
}

// end kills the program's process group and waits until nothing uses its pipes.
func (p *program) end() {
	if p.process != nil {
		_ = p.process.Signal(syscall.SIGKILL) // it may have ended
	}
	p.disconnect()
	p.work.Wait()
}

// disconnect closes our ends of the pipes: children of an agent that has ended may keep the others open.
func (p *program) disconnect() {
	for _, f := range p.files {
		_ = f.Close()
	}
}

// noteCrash reports that the agent's program has ended unexpectedly, to the user and to the agent that is started next.
func (s *Session) noteCrash(p *program) error {
	name := s.opts.Installed.Profile.Name
	if s.restarts++; s.restarts > maxRestarts {
		return fmt.Errorf("%s ended %d times. %s", name, s.restarts, p.lastWords())
	}
	s.journalWarning("engine", name+" ended unexpectedly and is started again. "+p.lastWords())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.note("Your program ended unexpectedly and was started again. What you did last may be incomplete: look " +
		"before you repeat it.")
	return nil
}

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

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/shell"
	"goalpost/backend/lib/tail"
)

// program is the agent's running program with its connection.
type program struct {
	process process.Process
	conn    *acp.Conn
	files   []*os.File // our ends of its pipes
	stderr  *tail.Writer
	work    sync.WaitGroup
	allRead chan struct{} // closed when standard error is read to its end; nil if the program did not start
	isLost  atomic.Bool   // a part of it has ended
}

const (
	writeTimeout  = 30 * time.Second // for the agent to read a message
	stderrTimeout = time.Second      // for the end of standard error, which a killed agent's children may keep open
)

// timedWriter fails if the agent does not read.
type timedWriter struct{ file *os.File }

func (t timedWriter) Write(b []byte) (int, error) {
	_ = t.file.SetWriteDeadline(time.Now().Add(writeTimeout))
	return t.file.Write(b) //nolint:wrapcheck // the SDK wraps it
}

// ensureStarted starts the agent if it is not running. fresh means that the agent knows nothing about the goal.
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
	if s.gateway == nil {
		if s.gateway, err = s.openGateway(ctx); err != nil {
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
		return false, fmt.Errorf("%s: %w. %s", s.opts.Installed.Profile.Name, err, p.lastOutput())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = p
	s.inbox.reset()
	return fresh, nil
}

func (s *Session) startProgram(ctx context.Context) (started *program, err error) {
	profile := s.opts.Installed.Profile
	p := &program{stderr: tail.NewWriter(2048)}
	var remote []*os.File
	defer func() {
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
		p.files, remote = append(p.files, ours), append(remote, his)
	}
	argv, env := s.command()
	p.process, err = s.opts.Launcher.Start(ctx, process.Command{
		Argv:  argv,
		Env:   env,
		Dir:   s.opts.Dir,
		Files: remote,
	})
	for _, f := range remote { // the program has its own copies, and with ours open, its end would not be seen
		_ = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", profile.Name, err)
	}
	p.allRead = make(chan struct{})
	p.work.Go(func() {
		defer close(p.allRead)
		_, _ = io.Copy(p.stderr, p.files[2])
	})
	p.conn, err = acp.Open(ctx, acp.Options{
		Version: s.opts.Version,
		Dir:     s.opts.Dir + profile.DirSuffix,
		Server:  acp.MCPServer{Name: serverName, URL: s.gateway.address() + "/mcp", Token: s.gateway.token},
		Meta:    profile.SessionMeta,
		Options: profile.SessionOptions,
	}, listener{s}, timedWriter{p.files[0]}, p.files[1])
	if err != nil {
		p.end()
		return nil, fmt.Errorf("%s: %w. %s", profile.Name, err, p.lastOutput())
	}
	return p, nil
}

// command returns the agent's command line and environment. A shell in the sandbox writes the agent's settings, because
// only the sandbox has that home folder. Their texts are in environment variables, which other users cannot read.
func (s *Session) command() (argv, env []string) {
	profile := s.opts.Installed.Profile
	server := ModelServer{
		Address: s.gateway.address(), Token: s.gateway.token, Window: s.opts.Window, Dir: s.opts.Dir,
		Login: s.opts.Login,
	}
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

// agentState is the part of an agent's session that the host stores.
type agentState struct {
	Engine  string      `json:"engine"`
	Session string      `json:"session"`
	Notes   []string    `json:"notes,omitempty"` // for the next prompt
	Final   []goal.Call `json:"final,omitempty"` // made in a cancelled turn; not decided
}

// loadState loads, once, the state that an earlier process stored.
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
		s.opts.Log.Warn("cannot read the agent's session", "error", err)
	}
	if err != nil || old.Engine != s.opts.Installed.Profile.ID {
		return
	}
	s.state = old
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.addNotes(old.Notes...)
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
		s.opts.Log.Warn("cannot store the agent's session", "error", err)
	}
}

// closeProgram ends the agent's program if it is running.
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
	if p.isLost.Load() {
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

// lastOutput returns why the host ended the connection, or else the end of the program's standard error.
func (p *program) lastOutput() string {
	if p.conn != nil && p.conn.Problem() != "" {
		return p.conn.Problem()
	}
	text := strings.Join(strings.Fields(p.stderr.String()), " ")
	if text == "" {
		return "It printed no error."
	}
	return "It printed: " + text
}

// end kills the program's process group, reads what is left of its standard error, and waits until nothing uses its
// pipes.
func (p *program) end() {
	if p.process != nil {
		_ = p.process.Signal(syscall.SIGKILL) // it may already have ended
	}
	p.disconnect()
	if p.allRead != nil {
		select {
		case <-p.allRead:
		case <-time.After(stderrTimeout):
		}
	}
	for _, f := range p.files {
		_ = f.Close()
	}
	p.work.Wait()
}

// disconnect closes our ends of standard input and output, because children of an agent that has ended may keep the
// other ends open.
func (p *program) disconnect() {
	for _, f := range p.files[:min(2, len(p.files))] {
		_ = f.Close()
	}
}

// noteCrash reports the unexpected end of the agent's program to the user, and to the agent when it is restarted. It
// returns an error after too many restarts.
func (s *Session) noteCrash(p *program) error {
	name := s.opts.Installed.Profile.Name
	if s.restarts++; s.restarts > maxRestarts {
		return fmt.Errorf("%s ended %d times. %s", name, s.restarts, p.lastOutput())
	}
	s.journalWarning("engine", name+" ended unexpectedly and is being restarted. "+p.lastOutput())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.addNotes("Your program ended unexpectedly and was restarted. Your last action may be incomplete: look " +
		"before you repeat it.")
	return nil
}

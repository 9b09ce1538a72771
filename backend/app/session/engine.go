package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/config"
	"goalpost/backend/engine"
	"goalpost/backend/goal"
	"goalpost/backend/mcp"
	"goalpost/backend/model"
	"goalpost/backend/policy"
	"goalpost/backend/sandbox"
	"goalpost/backend/tools"
)

// FindEngine looks for an external agent on this machine.
func FindEngine(p engine.Profile) engine.Installed {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return engine.Find(p, os.Getenv("PATH"), home)
}

// openEngine makes the agent of a goal that an external agent drives, or prepares it for another run. The agent starts
// with its first turn.
func (r *Session) openEngine(ctx context.Context, g goal.Goal, m model.Client, own config.Provider) error {
	if r.engine != nil {
		r.engine.BeginRun(m, r.warn)
		return nil
	}
	profile, known := engine.FindProfile(r.registry.Engines, g.Options.Engine)
	if !known {
		return fmt.Errorf("this version of Goalpost does not know the engine %q", g.Options.Engine)
	}
	found := FindEngine(profile)
	switch {
	case found.Program == "":
		return fmt.Errorf("%s is not installed: install it with %q", profile.Name, profile.Install)
	case r.sandbox.Proxy == nil:
		return errors.New("an external agent runs only in a sandbox, and this goal has none")
	case !found.IsTested():
		r.warn("engine", fmt.Sprintf("%s %s was not tested with Goalpost; tested: %s", profile.Name,
			cmp.Or(found.Version, "of an unknown version"), strings.Join(profile.Tested, ", ")))
	}
	for _, dir := range found.ReadFolders() {
		if _, err := r.sandbox.Programs.Grant(ctx, sandbox.RuntimeGrant{Read: dir}); err != nil {
			return fmt.Errorf("let the sandbox read %s: %w", dir, err)
		}
	}
	r.engine = engine.New(engine.Options{
		Installed:  found,
		Launcher:   r.sandbox.Programs,
		Env:        r.sandbox.Env,
		Dir:        g.Policy.Dir,
		Version:    r.registry.Version,
		Model:      m,
		ModelName:  own.Model,
		Window:     r.registry.Models.Window(ctx, own),
		Tools:      r.toolsForEngine(),
		ServeTools: serveTools(r.registry.Version),
		Effects:    engineEffects{r, g.Policy.Dir},
		Reach:      r.reachPort,
		StateFile:  filepath.Join(r.registry.Store.GoalDir(g.ID), "engine.json"),
		Warn:       r.warn,
		Log:        r.registry.Log,
		After:      r.registry.Clock.After,
		Now:        r.registry.Clock.Now,
	})
	return nil
}

// engineModel is the external agent as the loop sees it.
type engineModel struct {
	session  *Session
	ownHosts []string // that the agent's program tries
}

// Turn forgets the refusals of hosts that the agent's program itself tries. Those of the commands that it left running
// are asked about after the next call.
func (m engineModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	reply, err := m.session.engine.Turn(ctx, t, delta)
	m.session.sandbox.BlockedHosts.Forget(m.ownHosts)
	return reply, err
}

// reachPort lets the goal's programs connect to a port of this machine's loopback.
func (r *Session) reachPort(ctx context.Context, port int) error {
	opened, err := r.sandbox.Programs.Grant(ctx, sandbox.RuntimeGrant{Port: port})
	if err != nil {
		return fmt.Errorf("port %d: %w", port, err)
	}
	r.sandbox.Proxy.Forward(opened.Port, port)
	return nil
}

// isForEngine reports whether an external agent gets a tool of ours. It has its own tools for files and commands.
func isForEngine(name string) bool {
	switch name {
	case "claim_complete", "abort_with_report", "ask_operator", "write_todos", "request_access", "read_evidence":
		return true
	}
	return strings.HasPrefix(name, "browser_") || strings.HasPrefix(name, "terminal_")
}

func (r *Session) toolsForEngine() []goal.ToolSpec {
	var specs []goal.ToolSpec
	for _, t := range r.tools.Tools() {
		if _, former := t.(interface{ CurrentNames() []string }); !former && isForEngine(t.Spec().Name) {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

// serveTools returns what makes the MCP server of an agent.
func serveTools(version string) func([]goal.ToolSpec, engine.CallFunc) http.Handler {
	return func(specs []goal.ToolSpec, call engine.CallFunc) http.Handler {
		served := mcp.ServedTools{Version: version}
		for _, spec := range specs {
			served.Handlers = append(served.Handlers, mcp.TextTool(spec,
				func(ctx context.Context, arguments string) (string, bool) { return call(ctx, spec.Name, arguments) }))
		}
		return mcp.ServeHTTP(served)
	}
}

// engineEffects judges what an agent does by the rules of our own tools.
type engineEffects struct {
	session *Session
	dir     string
}

func (e engineEffects) Command(ctx context.Context, command string) (policy.Effect, error) {
	return e.effectOf(ctx, "run_command", map[string]string{"command": command})
}

func (e engineEffects) Write(ctx context.Context, path string) (policy.Effect, error) {
	rel, err := filepath.Rel(e.dir, path)
	if err != nil || !filepath.IsLocal(rel) { // the policy decides about other folders
		return policy.Effect{Risk: policy.WriteLocal, Paths: []string{path}}, nil //nolint:nilerr // it is elsewhere
	}
	return e.effectOf(ctx, "write_file", map[string]string{"path": rel, "content": ""})
}

func (e engineEffects) effectOf(ctx context.Context, name string, args map[string]string) (policy.Effect, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return policy.Effect{}, fmt.Errorf("judging the call: %w", err)
	}
	var tool tools.Tool
	for _, t := range e.session.tools.Tools() {
		if t.Spec().Name == name {
			tool = t
		}
	}
	return tool.Effect(ctx, text)
}

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

	"goalpost/backend/agent/engine"
	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/model"
	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/storage/config"
)

// FindEngine looks for an external agent on this machine.
func FindEngine(p engine.Profile) engine.Installation {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return engine.Find(p, os.Getenv("PATH"), home)
}

// goalEngine is the external agent of a goal, if one drives it. Its methods are called between turns, one at a time.
type goalEngine struct {
	registry *Registry
	sandbox  *goalsandbox.Sandbox
	tools    *tools.Set // of the current run
	login    engineLogin
	agent    *engine.Session // nil if a model drives the goal
}

// open creates the agent, or prepares it for another run. The agent starts with its first turn.
func (ge *goalEngine) open(
	ctx context.Context, g goal.Goal, m model.Client, provider config.Provider, warn func(what, text string),
) error {
	if ge.agent != nil {
		if err := ge.giveLogin(ctx, ge.agent.Profile(), warn); err != nil {
			return err
		}
		ge.agent.BeginRun(m, warn)
		return nil
	}
	profile, isKnown := engine.FindProfile(ge.registry.Engines, g.Options.Engine)
	if !isKnown {
		return fmt.Errorf("this version of Goalpost does not know the engine %q", g.Options.Engine)
	}
	found := FindEngine(profile)
	switch {
	case found.Missing() != "":
		return errors.New(found.Missing())
	case ge.sandbox.Proxy == nil:
		return errors.New("an external agent runs only in a sandbox, but this goal has none")
	case !found.IsTested():
		warn("engine", fmt.Sprintf("%s %s was not tested with Goalpost; tested: %s", profile.Name,
			cmp.Or(found.Version, "of an unknown version"), strings.Join(profile.Tested, ", ")))
	}
	for _, dir := range found.ReadFolders() {
		if _, err := ge.sandbox.Programs.Grant(ctx, sandbox.RuntimeGrant{Read: dir}); err != nil {
			return fmt.Errorf("let the sandbox read %s: %w", dir, err)
		}
	}
	if err := ge.giveLogin(ctx, profile, warn); err != nil {
		return err
	}
	window := 0
	if ge.login.credentials == nil {
		window = ge.registry.Models.Window(ctx, provider)
	}
	ge.agent = engine.New(engine.Options{
		Installed:  found,
		Launcher:   ge.sandbox.Programs,
		Env:        ge.sandbox.Env,
		Dir:        g.Policy.Dir,
		Version:    ge.registry.Version,
		Model:      m,
		ModelName:  provider.Model,
		Window:     window,
		Login:      ge.login.credentials,
		Tools:      ge.offeredTools(),
		ServeTools: serveTools(ge.registry.Version),
		Effects:    engineEffects{ge, g.Policy.Dir},
		Reach:      ge.reachPort,
		StateFile:  filepath.Join(ge.registry.Store.GoalDir(g.ID), "engine.json"),
		Warn:       warn,
		Log:        ge.registry.Log,
		After:      ge.registry.Clock.After,
		Now:        ge.registry.Clock.Now,
	})
	return nil
}

// engineModel makes an external agent look like a model to the loop.
type engineModel struct {
	engine   *goalEngine
	ownHosts []string // that the agent's program contacts for itself
}

// Turn asks the agent. Afterwards it forgets the refused requests of the agent's program itself. It marks those of
// commands that still run, so that the user is asked about them after the next call, as earlier than that call.
func (e engineModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	reply, err := e.engine.agent.Turn(ctx, t, delta)
	e.engine.sandbox.BlockedHosts.Forget(e.ownHosts)
	e.engine.sandbox.BlockedHosts.MarkEarlier()
	return reply, err
}

// reachPort lets the goal's programs connect to a port on this machine's loopback.
func (ge *goalEngine) reachPort(ctx context.Context, port int) error {
	active, err := ge.sandbox.Programs.Grant(ctx, sandbox.RuntimeGrant{Port: port})
	if err != nil {
		return fmt.Errorf("port %d: %w", port, err)
	}
	ge.sandbox.Proxy.Forward(active.Port, port)
	return nil
}

// isForEngine reports whether an external agent gets a tool of Goalpost. For files and commands it has its own.
func isForEngine(name string) bool {
	switch name {
	case "claim_complete", "abort_with_report", "ask_user", "write_todos", "request_access", "read_evidence",
		"wait_until":
		return true
	}
	return strings.HasPrefix(name, "browser_") || strings.HasPrefix(name, "terminal_")
}

// offeredTools lists the tools of Goalpost that the agent gets.
func (ge *goalEngine) offeredTools() []goal.ToolSpec {
	var specs []goal.ToolSpec
	for _, t := range ge.tools.Tools() {
		if isForEngine(t.Spec().Name) {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

// agentTools lists the tools under whose names the journal records the agent's own actions.
func (ge *goalEngine) agentTools() []runner.Tool {
	if ge.agent == nil {
		return nil
	}
	var list []runner.Tool
	for _, t := range ge.agent.AgentTools() {
		list = append(list, t)
	}
	return list
}

// interrupt ends the agent's turn, if one is under way.
func (ge *goalEngine) interrupt(ctx context.Context) {
	if ge.agent != nil {
		ge.agent.Interrupt(ctx)
	}
}

// close ends the agent.
func (ge *goalEngine) close(ctx context.Context) error {
	if ge.agent == nil {
		return nil
	}
	return errors.Join(ge.agent.Close(ctx), ge.takeLogin())
}

// serveTools returns the constructor of an agent's MCP server.
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

// engineEffects computes the effects of an agent's own actions like those of Goalpost's tools.
type engineEffects struct {
	engine *goalEngine
	dir    string
}

func (e engineEffects) Command(ctx context.Context, command string) (policy.Effect, error) {
	return e.effectOf(ctx, "run_command", map[string]string{"command": command})
}

func (e engineEffects) Write(ctx context.Context, path string) (policy.Effect, error) {
	rel, err := filepath.Rel(e.dir, path)
	if err != nil || !filepath.IsLocal(rel) { // the policy decides about other folders
		return policy.Effect{Risk: policy.WriteLocal, Paths: []string{path}}, nil //nolint:nilerr // not below the folder
	}
	return e.effectOf(ctx, "write_file", map[string]string{"path": rel, "content": ""})
}

func (e engineEffects) effectOf(ctx context.Context, name string, args map[string]string) (policy.Effect, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return policy.Effect{}, fmt.Errorf("computing the effect of the call: %w", err)
	}
	var tool tools.Tool
	for _, t := range e.engine.tools.Tools() {
		if t.Spec().Name == name {
			tool = t
		}
	}
	return tool.Effect(ctx, text)
}

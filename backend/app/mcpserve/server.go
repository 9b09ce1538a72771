// Package mcpserve is how another agent drives Goalpost: goals and panes of its own, within a policy of the user.
package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/api"
	"goalpost/backend/app/access"
	"goalpost/backend/app/goals"
	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/app/panes"
	"goalpost/backend/app/session"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/mcp"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox"
	"goalpost/backend/store"
	"goalpost/backend/tools"
)

// Deps are what a server for another agent works with.
type Deps struct {
	Version    string
	Log        *slog.Logger
	Store      *store.Store
	Broker     *event.Broker
	Access     *access.Rules
	Sandboxes  *goalsandbox.Factory
	Panes      *panes.Registry
	Sessions   *session.Registry
	Goals      *goals.Service
	Unconfined bool
}

// Server is what another agent gets: goals that it may create and steer within a
// policy of the user, and panes within the same walls. It answers no approval.
type Server struct {
	deps    Deps
	policy  policy.Policy
	rules   policy.RuleSet
	box     *tools.Set
	session *session.Session
	long    resultPager
	own     ownedGoals
}

// Open makes the walls for another agent. There is one such server in a program.
func Open(ctx context.Context, deps Deps, p policy.Policy) (d *Server, err error) {
	if err := p.Validate(); err != nil {
		return nil, &fault.Error{Field: "risk", Message: err.Error(), Hint: "see --help"}
	}
	if p.Dir, err = deps.Access.ValidateExistingDir(p.Dir); err != nil {
		return nil, err
	}
	law, err := deps.Access.RuleSet()
	if err != nil {
		return nil, err
	}
	s, box, err := deps.Sessions.OpenExternal(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Server{deps: deps, policy: p, rules: law, box: box, session: s}, nil
}

// Close ends what runs in the desk's panes.
func (d *Server) Close(ctx context.Context) error {
	return errors.Join(d.box.Close(), d.deps.Sessions.CloseGoal(ctx, goal.ExternalAgent),
		sandbox.RemoveLayer(d.deps.Sandboxes.Dir(goal.ExternalAgent)))
}

// Tools is what the other agent is told.
func (d *Server) Tools() mcp.ServedTools {
	o := mcp.ServedTools{
		Version: d.deps.Version,
		Instructions: "Goalpost runs goals: an agent of its own works in a folder, with terminals and browser pages, " +
			"until a check passes that the host runs and no agent can edit. " +
			"Create a goal with a check that fails now, wait for it, read its receipt. " +
			fmt.Sprintf("What you may ask for is bounded by the user: at most %s, in %s. ", d.policy.Risk, d.policy.Dir) +
			"Approvals and manual checks are the user's to answer. The terminal_ and browser_ tools are panes of your own " +
			"within the same bounds.",
	}
	o.Handlers = append(o.Handlers, d.goalTools()...)
	o.Handlers = append(o.Handlers, mcp.NewHandler("list_panes", "List your terminal and browser panes.",
		mcp.Hints{ReadOnly: true}, d.listPanes), mcp.NewHandler("read_result",
		"Read on in a result of a pane tool that was too long to be sent at once.", mcp.Hints{ReadOnly: true}, d.readResult))
	for _, t := range d.box.Tools() {
		if name := t.Spec().Name; strings.HasPrefix(name, "terminal_") || strings.HasPrefix(name, "browser_") {
			o.Handlers = append(o.Handlers, mcp.ForwardTool(t.Spec(), toolAnnotations(name),
				func(ctx context.Context, args json.RawMessage) goal.Result { return d.callTool(ctx, t, args) }))
		}
	}
	return o
}

// toolAnnotations tell the other agent's host what a pane tool does; unknown ones do everything.
func toolAnnotations(name string) mcp.Hints {
	looking := []string{
		"terminal_read", "terminal_wait", "terminal_list", "browser_snapshot", "browser_find", "browser_read", "browser_tabs",
		"browser_screenshot", "browser_wait", "browser_console", "browser_network",
	}
	if slices.Contains(looking, name) {
		return mcp.Hints{ReadOnly: true}
	}
	return mcp.Hints{Destructive: true, Open: true}
}

// callTool is the door of the desk: effect, policy, execution, and what the other
// agent may read of the result.
func (d *Server) callTool(ctx context.Context, t runner.Tool, args json.RawMessage) goal.Result {
	e, err := t.Effect(ctx, args)
	if err != nil {
		return goal.Result{Text: err.Error()}
	}
	name := t.Spec().Name
	if no := d.denialReason(name, e); no != "" {
		return goal.Result{Text: no}
	}
	result := t.Do(ctx, args)
	result.Text = d.session.Redact(result.Text)
	return d.long.truncate(result)
}

// denialReason says why something is not done, "" if it is. What would be asked of a user in
// a goal is refused, with who can change it.
func (d *Server) denialReason(name string, e policy.Effect) (no string) {
	decision := d.rules.Decide(policy.Call{Tool: name, Effect: e}, d.policy, nil)
	d.deps.Log.Info("another agent calls", "tool", name, "risk", e.Risk, "answer", decision.Answer)
	switch decision.Answer {
	case policy.Allow:
		return ""
	case policy.Ask:
		return "refused: " + decision.Reason + ". The user decides this where the server is started (--risk, --allow-host)."
	case policy.Deny:
	}
	return "denied: " + decision.Reason
}

type listPanesArgs struct{}

func (d *Server) listPanes(_ context.Context, _ listPanesArgs, _ mcp.Progress) (any, error) {
	list := []pane.Info{}
	for _, info := range d.deps.Panes.Snapshot().Panes {
		if info.GoalID == string(goal.ExternalAgent) {
			list = append(list, info)
		}
	}
	return list, nil
}

// validatePolicy says why a goal is none of the other agent's business, nil if it is: it
// may do no more than the desk, and nothing outside its folder.
func (d *Server) validatePolicy(p policy.Policy) error {
	refuse := func(field, what string) error {
		return &fault.Error{
			Field:   field,
			Message: what,
			Hint:    "the user bounds what may be asked for where the server is started (--risk, --dir, --allow-host)",
		}
	}
	dir := p.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	switch {
	case p.Risk.Exceeds(d.policy.Risk):
		return refuse("risk", fmt.Sprintf("the risk %s is over %s", p.Risk, d.policy.Risk))
	case !policy.IsWithin(d.policy.Dir, dir):
		return refuse("dir", fmt.Sprintf("%s is outside %s", p.Dir, d.policy.Dir))
	case p.Unconfined && !d.policy.Unconfined:
		return refuse("unconfined", "it runs without a sandbox")
	case len(p.AllowWrite)+len(p.AllowRead)+len(p.AllowSocket)+len(p.AllowLocal)+len(p.Secrets) > 0:
		return refuse("policy", "it reaches more than its folder")
	case p.CheckDir != "":
		return refuse("check_dir", "its checks read what no agent may read")
	}
	for _, h := range p.AllowHosts {
		if !slices.Contains(d.policy.AllowHosts, h) {
			return refuse("allow_hosts", fmt.Sprintf("the host %s is not among those that you may ask for", h))
		}
	}
	for _, h := range d.policy.DenyHosts {
		if !slices.Contains(p.DenyHosts, h) {
			return refuse("deny_hosts", fmt.Sprintf("the host %s is denied to you and not to it", h))
		}
	}
	return nil
}

// goalAPI answers the other agent's questions in the words of the page.
func (d *Server) goalAPI(ctx context.Context) *api.GoalAPI {
	return api.NewGoalAPI(ctx, d.deps.Goals, d.deps.Store)
}

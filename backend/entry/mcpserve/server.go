// Package mcpserve lets another agent use Goalpost over MCP. Within a policy of the user, the agent has its own goals
// and panes.
package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/calls"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/session"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Deps are what a Server needs.
type Deps struct {
	Version   string
	Log       *slog.Logger
	Store     *store.Store
	Broker    *event.Broker
	Access    *access.Rules
	Sandboxes *goalsandbox.Factory
	Panes     *panes.Registry
	Sessions  *session.Registry
	Goals     *lifecycle.Service
}

// Server is the MCP server for another agent. The agent may create and steer goals within a policy of the user, and use
// panes in a sandbox with the same policy. It cannot answer approvals.
type Server struct {
	deps    Deps
	policy  policy.Policy
	rules   policy.RuleSet
	tools   *tools.Set
	session *session.Session
	long    resultPager
	goals   ownedGoals

	approvals shownApprovals
}

// Open opens the sandbox and the tools for another agent.
func Open(ctx context.Context, deps Deps, p policy.Policy) (d *Server, err error) {
	if err := p.Validate(); err != nil {
		return nil, &fault.Error{Field: "risk", Message: err.Error(), Hint: "see --help"}
	}
	if p.Dir, err = deps.Access.ValidateExistingDir(p.Dir); err != nil {
		return nil, err
	}
	rules, err := deps.Access.RuleSet()
	if err != nil {
		return nil, err
	}
	s, set, err := deps.Sessions.OpenExternal(ctx, p)
	if err != nil {
		return nil, err
	}
	return &Server{deps: deps, policy: p, rules: rules, tools: set, session: s}, nil
}

// Close pauses the goals that the agent has started as interrupted, and ends the programs in the server's panes.
func (se *Server) Close(ctx context.Context) error {
	var errs []error
	for _, id := range se.goals.started() {
		errs = append(errs, se.deps.Goals.Runner().Interrupt(ctx, id))
	}
	name := se.session.Name()
	return errors.Join(append(errs, se.tools.Close(), se.deps.Sessions.CloseGoal(ctx, name),
		sandbox.RemoveLayer(se.deps.Sandboxes.PrivateDir(name)))...)
}

// denialReason returns why a call is refused, "" if it is allowed. There is no user to ask, so it also refuses a call
// that would need an approval in a goal, and says who can allow it.
func (se *Server) denialReason(name string, e policy.Effect) (no string) {
	decision := se.rules.Decide(policy.Call{Tool: name, Effect: e}, se.policy, nil)
	se.deps.Log.Info("another agent calls", "tool", name, "risk", e.Risk, "answer", decision.Answer)
	switch decision.Answer {
	case policy.Allow:
		return ""
	case policy.Ask:
		return "refused: " + decision.Reason + ". The user allows this with flags of the server (--risk, --allow-host)."
	case policy.Deny:
	}
	return "denied: " + decision.Reason
}

type listPanesArgs struct{}

func (se *Server) listPanes(_ context.Context, _ listPanesArgs, _ mcp.Progress) (any, error) {
	list := []pane.Info{}
	for _, info := range se.deps.Panes.Snapshot().Panes {
		if info.GoalID == string(se.session.Name()) {
			list = append(list, info)
		}
	}
	return list, nil
}

// validatePolicy refuses a goal that may do more than the server's policy allows, or that has access outside its
// folder.
func (se *Server) validatePolicy(p policy.Policy) error {
	refuse := func(field, what string) error {
		return fault.Invalid(field, what,
			"the user sets these limits with flags of the server (--risk, --dir, --allow-host)")
	}
	dir := p.Dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	switch {
	case p.Risk.Exceeds(se.policy.Risk):
		return refuse("risk", fmt.Sprintf("the risk %s is higher than %s", p.Risk, se.policy.Risk))
	case !policy.IsWithin(se.policy.Dir, dir):
		return refuse("dir", fmt.Sprintf("%s is outside %s", p.Dir, se.policy.Dir))
	case p.Unconfined && !se.policy.Unconfined:
		return refuse("unconfined", "it runs without a sandbox")
	case len(p.AllowWrite)+len(p.AllowRead)+len(p.AllowSocket)+len(p.AllowLocal)+len(p.Secrets) > 0:
		return refuse("policy", "it has access outside its folder")
	case p.CheckDir != "":
		return refuse("check_dir", "its checks read a folder that no agent may read")
	}
	for _, h := range p.AllowHosts {
		if !slices.Contains(se.policy.AllowHosts, h) {
			return refuse("allow_hosts", fmt.Sprintf("you may not contact the host %s", h))
		}
	}
	for _, h := range se.policy.DenyHosts {
		if !slices.Contains(p.DenyHosts, h) {
			return refuse("deny_hosts", fmt.Sprintf("the host %s is denied for you, but not for the goal", h))
		}
	}
	return nil
}

// validateGoal validates the policy of a goal. For a goal in a git worktree, it validates the folder that was named and
// the repository, which must be in the server's folder.
func (se *Server) validateGoal(g goal.Goal) error {
	p := g.Policy
	if worktree := g.Origin.Worktree; worktree != nil {
		if !policy.IsWithin(se.policy.Dir, worktree.Repository) {
			return fault.Invalid("worktree", fmt.Sprintf("the repository %s is outside %s", worktree.Repository, se.policy.Dir),
				"leave worktree out")
		}
		p.Dir = worktree.Folder
		p.AllowRead = slices.DeleteFunc(slices.Clone(p.AllowRead), func(dir string) bool { return dir == worktree.CommonDir })
	}
	return se.validatePolicy(p)
}

// goalAPI returns the API of the page, so that the other agent gets answers of the same types.
func (se *Server) goalAPI(ctx context.Context) *calls.GoalAPI {
	return calls.NewGoalAPI(ctx, se.deps.Goals, se.deps.Store)
}

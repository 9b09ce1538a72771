// Package session opens and closes the sessions of running goals: their sandbox, panes, models, tools and checks.
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"goalpost/backend/agent/engine"
	"goalpost/backend/agent/model"
	"goalpost/backend/agent/tools"
	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/mcpservers"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/network"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/library"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// Registry opens and closes the sessions of goals. All methods may be called concurrently.
type Registry struct {
	Config       *config.Config
	Log          *slog.Logger
	Store        *store.Store
	Clock        runner.Clock
	Broker       *event.Broker
	Secrets      *secret.Vault
	Mask         *secret.Mask
	Panes        *panes.Registry
	Sandboxes    *goalsandbox.Factory
	Models       *models.Providers
	MCPServers   *mcpservers.Servers
	Worktrees    *worktrees.Worktrees
	Library      *library.Library
	Engines      []engine.Profile // external agents that may drive goals
	Version      string           // of this program
	DenyAllProxy string           // for pages whose goal has no session
	// Stays reports that this process keeps running after its goals, so that their programs can, too.
	Stays bool
	// UpdateSocketRules adapts the rules for WebSockets to the pages that are shared at present.
	UpdateSocketRules func()
	// Children returns the goals that a goal started.
	Children     func(context.Context, goal.Goal) (Children, error)
	pendingInput commandline.PendingInput // of terminals that the user shares

	mu   sync.Mutex
	open map[goal.ID]*Session
	// externals counts the sessions of other agents.
	externals int
	waits     sync.WaitGroup // for sessions in their grace period
}

// Children are the goals that one goal's agent started.
type Children interface {
	tools.Goals
	// TotalSpend returns what all of them have spent so far.
	TotalSpend() goal.Spend
	// FollowParent pauses them if their parent pauses, and ends them if it ends.
	FollowParent(ctx context.Context, exit goal.Exit) error
}

// Session is the environment that one goal runs in. It outlives a pause, so that terminals and pages are still open
// when the goal is resumed.
type Session struct {
	registry      *Registry
	goal          goal.ID
	provider      string
	policy        policy.Policy
	memoryDir     string // the folder about which it notes what later goals should know
	sandbox       *goalsandbox.Sandbox
	folder        *openFolder // nil for another agent, which has no goal
	tools         *tools.Set
	mcp           *mcpservers.Clients // the user's MCP servers; opened by the first run
	checks        verify.CheckRunner
	workspace     *verify.FolderState // set when the session is opened
	models        modelSet
	engine        goalEngine
	goalSecrets                                 // of the current run
	parkCounters  map[string]*model.ParkCounter // by role and model
	parkedInARow  int                           // how often the goal was parked in a row when the session was opened
	recorder      *paneRecorder
	output        outputCursor
	snapshots     *snapshots // of the current run, or of the last one; nil where none are taken
	warn          func(what, text string)
	verified      *verify.VerifiedWatch // after done, if the goal's programs can still write in its folder
	secretsErr    error                 // why secrets of this goal cannot be opened, and so not hidden
	cancelGrace   func()                // ends the grace period; nil outside of it; guarded by registry.mu
	children      Children
	pageLoads     sync.WaitGroup // pages that load on an approval for one call
	run           goal.Run       // the current run, empty between runs; guarded by registry.mu
	pendingPopups []event.Body   // leases of popups that are not journaled yet; guarded by registry.mu
}

// Ready returns why the goal cannot work in this session, nil if it can.
func (se *Session) Ready() error {
	if se.sandbox.HasEnded() {
		var replacedErr *sandbox.ReplacedError
		if err := se.sandbox.Programs.Err(); errors.As(err, &replacedErr) {
			return fmt.Errorf("%w. Resume the goal to start its sandbox with the new version", replacedErr)
		}
		return errors.New("the sandbox exited; resume the goal to start a new one")
	}
	if err := se.folder.problem(); err != nil {
		return err
	}
	if err := access.ValidateWritable(se.policy); err != nil {
		return err
	}
	if se.secretsErr != nil {
		return se.secretsErr
	}
	if se.provider == "" { // the agent has a sign-in of its own
		return nil
	}
	if _, err := se.registry.Models.Get(se.provider); err != nil {
		return errorWithHint(err)
	}
	return nil
}

// errorWithHint adds an error's hint to its message, for places that store only the message.
func errorWithHint(err error) error {
	hint := fault.Of(err).Hint
	if !strings.Contains(err.Error(), hint) {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

// Name returns the id of the goal, or the name of the other agent, to which the session belongs.
func (se *Session) Name() goal.ID { return se.goal }

func (se *Session) Models() runner.Models { return se.models.Models }

func (se *Session) Tools() []runner.Tool {
	list := se.engine.agentTools()
	for _, t := range se.tools.Tools() {
		list = append(list, t)
	}
	return append(list, se.mcp.Tools()...)
}

func (se *Session) Judge() runner.Verifier { return se.checks }

// InterruptAgent ends the turn of the goal's external agent, if it has one.
func (se *Session) InterruptAgent(ctx context.Context) { se.engine.interrupt(ctx) }

// TotalSpend returns what the goal's children have spent.
func (se *Session) TotalSpend() goal.Spend { return se.children.TotalSpend() }

func (se *Session) Folder() runner.FolderState { return se.workspace }

// netLog returns the log of a goal's requests. The first request opens the file.
func (reg *Registry) netLog(id goal.ID) *network.Log {
	return network.NewLog(id, reg.Store.GoalDir(id), reg.Broker.Publish, reg.Mask, reg.Log)
}

// PaneProxy returns the proxies of a goal's pages, "" for an unconfined goal. For a goal without a session it returns
// the proxy that denies everything.
func (reg *Registry) PaneProxy(id string) string {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if r := reg.open[goal.ID(id)]; r != nil {
		return r.sandbox.PaneProxy
	}
	return reg.DenyAllProxy
}

// modelSet are the models of one run.
type modelSet struct {
	runner.Models
	judge  model.Client // nil for a scripted goal that names no judge
	window int          // the context of the judge's model, in tokens
	other  *judge.Judge // for answers of the judge that cannot be read; nil if the goal has no other model

	reviewer, vision *judge.Judge // nil if the judge does it
}

// NewOutput returns what commands that were running at the last call have printed since.
func (se *Session) NewOutput() string { return se.output.readNew(se.registry.Panes, se.goal) }

// Package session is what goals live in while they run: tools, models, panes and checks of one goal each.
package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/app/mcpservers"
	"goalpost/backend/app/models"
	"goalpost/backend/app/network"
	"goalpost/backend/app/panes"
	"goalpost/backend/browser"
	"goalpost/backend/config"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/secret"
	"goalpost/backend/store"
	"goalpost/backend/tools"
	"goalpost/backend/verify"
)

// Registry opens and closes the sessions of goals.
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
	DenyAllProxy string // of pages whose goal is closed
	// UpdateSocketRules makes the rules of WebSockets those of the goals that have pages of the user.
	UpdateSocketRules func()
	// Children are the goals that a goal started.
	Children     func(context.Context, goal.Goal) (Children, error)
	pendingInput tools.PendingInput // of terminals that the user lends

	mu    sync.Mutex
	open  map[goal.ID]*Session
	waits sync.WaitGroup // for the ends of those whose goals are done
}

// Children is the goals that one goal's agent has work for it.
type Children interface {
	tools.Goals
	// TotalSpend is what all of them have spent so far.
	TotalSpend() goal.Spend
	// FollowParent stops them as their parent stops: paused with it, ended with it.
	FollowParent(ctx context.Context, exit goal.Exit) error
}

// Session is what one goal runs in. It outlives a pause, so that terminals and
// pages are still there when the goal is resumed.
type Session struct {
	registry      *Registry
	goal          goal.ID
	provider      string
	policy        policy.Policy
	sandbox       *goalsandbox.Sandbox
	tools         *tools.Set
	mcp           *mcpservers.Clients // the user's MCP servers; opened with the room
	checks        verify.CheckRunner
	workspace     *verify.Workspace // opened with the room
	models        modelSet
	parkCounters  map[string]*model.ParkCounter // by role
	parkedInARow  int                           // in a row, when the room was opened
	recorder      *paneRecorder
	output        outputCursor
	warn          func(what, text string)
	secretsErr    error  // Secrets of this goal cannot be opened, so nothing would hide them
	cancelGrace   func() // after done, and nil else: ends the wait for its end; guarded by registry.mu
	children      Children
	run           goal.Run     // the one that continues, none between two; guarded by registry.mu
	pendingPopups []event.Body // of pages, not journaled yet; guarded by registry.mu
}

// Open gives the goal its room: the one it had before a pause, or a new one.
func (reg *Registry) Open(
	ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string),
) (runner.Session, error) {
	if err := reg.closeOverlapping(ctx, g); err != nil {
		return nil, err
	}
	if err := reg.Panes.LeaseShared(ctx, run); err != nil {
		return nil, err
	}
	r, err := reg.sessionFor(ctx, g, run, warn)
	if err != nil {
		return nil, err
	}
	reg.UpdateSocketRules() // of what the goal is lent, whose rules are there now
	return r, r.journalPopups(ctx, run)
}

func (reg *Registry) sessionFor(
	ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string),
) (*Session, error) {
	if err := reg.MCPServers.ListTools(ctx, g.Policy); err != nil { // may take a while, so before others have to wait
		return nil, err
	}
	sealed, err := reg.loadSecretsForMasking(ctx, g, warn) // before anything shows what is kept
	if err != nil {
		return nil, err
	}
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if r := reg.open[g.ID]; r != nil && !r.sandboxEnded() {
		r.cancelGracePeriod()
		r.secretsErr = sealed
		world, err := reg.OpenWorkspace(ctx, g) // the user may have accepted other versions, also in another process
		if err == nil {
			r.workspace = world
			err = r.setUpRun(ctx, g, warn)
		}
		if err != nil {
			delete(reg.open, g.ID) // nobody would close it
			return nil, errors.Join(err, r.closeAll(ctx))
		}
		r.run = run
		return r, nil
	} else if r != nil {
		delete(reg.open, g.ID)
		if err := r.closeAll(ctx); err != nil {
			reg.Log.Warn("closing a session whose helper ended", "goal", g.ID, "error", err)
		}
	}
	world, err := reg.OpenWorkspace(ctx, g)
	if err != nil {
		return nil, err
	}
	held, err := reg.Sandboxes.Open(ctx, string(g.ID), g.Policy, reg.Sandboxes.Dir(g.ID),
		lockedFiles(g.Policy.Dir, world)...)
	if err != nil {
		return nil, err
	}
	held.SetNetworkLog(reg.netLog(g.ID))
	if err := goalsandbox.RecordAutorunBaseline(g.Policy, reg.Sandboxes.Dir(g.ID)); err != nil && !g.Policy.Unconfined {
		return nil, errors.Join(err, held.Close(ctx))
	}
	r := &Session{
		registry:     reg,
		goal:         g.ID,
		sandbox:      held,
		workspace:    world,
		secretsErr:   sealed,
		parkCounters: map[string]*model.ParkCounter{},
	}
	if r.children, err = reg.Children(ctx, g); err != nil {
		return nil, errors.Join(err, held.Close(ctx))
	}
	if r.parkedInARow, err = reg.Store.ParkedInARow(ctx, g.ID); err != nil {
		return nil, errors.Join(err, held.Close(ctx))
	}
	r.recorder = reg.newRecorder(g.ID)
	if err := r.setUpRun(ctx, g, warn); err != nil {
		return nil, errors.Join(err, r.mcp.Close(), r.recorder.close(), held.Close(ctx))
	}
	reg.add(r)
	r.run = run
	return r, nil
}

// add is called with mu held.
func (reg *Registry) add(r *Session) {
	if reg.open == nil {
		reg.open = map[goal.ID]*Session{}
	}
	reg.open[r.goal] = r
}

// setUpRun gives the room the tools, the checks and the models of a run.
func (r *Session) setUpRun(ctx context.Context, g goal.Goal, warn func(what, text string)) error {
	env, set := r.sandbox.Env, r.sandbox.Programs
	r.policy, r.provider = g.Policy, g.Provider
	own := &goalPanes{
		panes:    r.registry.Panes,
		goal:     g.ID,
		dir:      g.Policy.Dir,
		launcher: set,
		env:      env,
		camera:   r.recorder,
	}
	words := tools.Deps{
		Dir:          g.Policy.Dir,
		Launcher:     set,
		Env:          env,
		Terminals:    goalTerminals{own},
		Browsers:     goalBrowsers{own},
		Panes:        goalPaneList{own},
		Logins:       panes.Logins{Logins: r.registry.Secrets.Logins()},
		Goals:        r.children,
		Vision:       visionJudge{r},
		Recipes:      goalRecipes{r.registry.Config, r.registry.Store, g.ID},
		PendingInput: &r.registry.pendingInput,
	}
	words.AllowWrite = g.Policy.AllowWrite
	words.Protected, words.Work = r.protectedReasons(), g.Policy.DescribeWork()
	words.Hidden = goalsandbox.HiddenPaths(g.Policy)
	if r.sandbox.Proxy != nil {
		words.SandboxRisk, words.Network, words.Access, words.Kills = g.Policy.Risk, r.sandbox.Proxy, accessRequester{r}, set
		words.GitControlled = r.sandbox.GitControlled
		for _, line := range r.sandbox.Degradations {
			warn("sandbox", line)
		}
		// the run tells what its user allowed
		r.sandbox.BlockedHosts.SetGrants(goalsandbox.RulesOf(r.policy), nil, nil, r.sandbox.Proxy.SetRules)
	} else {
		warn("sandbox", "this goal runs unconfined: its programs have your own rights"+rootSuffix()+
			", because that was asked for")
	}
	if idle := g.Policy.UnusedParts(); idle != "" {
		warn("network", idle)
	}
	r.sandbox.SetWarn(warn)
	if hosts := goalsandbox.HostsOf(g); len(hosts) > 0 && r.sandbox.Proxy != nil {
		warn("network", "open to the checks while they run, and to nothing else: "+strings.Join(hosts, ", "))
	}
	box, err := tools.New(words)
	if err != nil {
		return err
	}
	// a program has put a link there
	if real, err := filepath.EvalSymlinks(g.Policy.Dir); err != nil || real != g.Policy.Dir {
		return errors.Join(fmt.Errorf("the goal's folder %s is not where it was when the goal was made: it is %q now",
			g.Policy.Dir, real), err, box.Close())
	}
	r.warn = warn
	m, err := r.openModels(ctx, g)
	if err != nil {
		return errors.Join(err, box.Close())
	}
	if r.mcp == nil {
		if r.mcp, err = r.registry.MCPServers.Open(ctx, r.sandbox, g.Policy, warn); err != nil {
			return errors.Join(err, box.Close())
		}
	}
	r.tools, r.models = box, m
	r.recorder.setActive(true)
	r.checks = r.sandbox.CheckRunner(r.registry.Sandboxes, g.Policy.Dir, goalsandbox.HostsOf(g))
	r.checks.World, r.checks.Pages = r.workspace, r.registry.Panes.CheckPagesFor(g.ID)
	if m.judge != nil {
		r.checks.Judge, r.checks.Window = m.judge, m.window // it knows its model's name
	}
	return nil
}

// rootSuffix says that the user's rights are all there are, if they are root's.
func rootSuffix() string {
	if os.Geteuid() == 0 {
		return ", which are root's,"
	}
	return ""
}

func (r *Session) sandboxEnded() bool {
	select {
	case <-r.sandbox.Programs.Done():
		return true
	default:
		return false
	}
}

// Ready says what keeps the goal from working here.
func (r *Session) Ready() error {
	if r.sandboxEnded() {
		return errors.New("its sandbox has ended; continue it for a new one")
	}
	if r.secretsErr != nil {
		return r.secretsErr
	}
	if _, err := r.registry.Models.Get(r.provider); err != nil {
		return errorWithHint(err)
	}
	return nil
}

// errorWithHint is an error with its hint, where only words are kept.
func errorWithHint(err error) error {
	hint := fault.Of(err).Hint
	if !strings.Contains(err.Error(), hint) {
		return fmt.Errorf("%w: %s", err, hint)
	}
	return err
}

func (r *Session) cancelGracePeriod() {
	if r.cancelGrace != nil {
		r.cancelGrace()
		r.cancelGrace = nil
	}
}

// closeOverlapping ends what is left of goals that are done where another one begins to
// work: their programs would write in its folder.
func (reg *Registry) closeOverlapping(ctx context.Context, g goal.Goal) error {
	reg.mu.Lock()
	var over []goal.ID
	for id, r := range reg.open {
		if id != g.ID && r.cancelGrace != nil && foldersOverlap(r.policy, g.Policy) {
			over = append(over, id)
		}
	}
	reg.mu.Unlock()
	var errs []error
	for _, id := range over {
		reg.Log.Info("another goal needs the folder: what a goal that is done left running ends", "goal", id)
		errs = append(errs, reg.CloseGoal(ctx, id))
	}
	return errors.Join(errs...)
}

// foldersOverlap says whether the programs of two goals would write in one folder.
func foldersOverlap(one, other policy.Policy) bool {
	for _, a := range writableFolders(one) {
		for _, b := range writableFolders(other) {
			if policy.IsWithin(a, b) || policy.IsWithin(b, a) {
				return true
			}
		}
	}
	return false
}

func writableFolders(p policy.Policy) []string {
	if p.Risk == policy.ReadOnly {
		return p.AllowWrite
	}
	return append([]string{p.Dir}, p.AllowWrite...)
}

func (r *Session) Models() runner.Models { return r.models.Models }

func (r *Session) Tools() []runner.Tool {
	list := make([]runner.Tool, 0, len(r.tools.Tools()))
	for _, t := range r.tools.Tools() {
		list = append(list, t)
	}
	return append(list, r.mcp.Tools()...)
}

func (r *Session) Judge() runner.Verifier { return r.checks }

// TotalSpend is what the goals that work for this one have spent.
func (r *Session) TotalSpend() goal.Spend { return r.children.TotalSpend() }

func (r *Session) World() runner.Workspace { return r.workspace }

// Close lets go of the run's tools. After a pause the room stays; after done it
// stays for a while; otherwise everything in it ends now.
func (r *Session) Close(ctx context.Context, exit goal.Exit) error {
	r.registry.mu.Lock()
	r.run = goal.Run{}
	r.registry.mu.Unlock()
	r.sandbox.SetWarn(nil) // the run's journal is closed
	err := errors.Join(r.tools.Close(), r.children.FollowParent(ctx, exit))
	r.recorder.setActive(false)
	switch {
	case exit == goal.Interrupted || goal.StatusForExit(exit) != goal.Paused && exit != goal.Done:
		return errors.Join(err, r.registry.CloseGoal(ctx, r.goal))
	case exit == goal.Done:
		r.closeEgress(context.WithoutCancel(ctx))
		stays := time.Duration(r.registry.Config.Settings().GraceMinutes) * time.Minute
		if stays == 0 {
			return errors.Join(err, r.registry.CloseGoal(ctx, r.goal))
		}
		r.closeAfterGrace(context.WithoutCancel(ctx), stays)
	}
	return err
}

// closeAfterGrace closes the room of a goal that is done after a while, in which its user
// can look at what was built. She may have deleted the goal at once.
func (r *Session) closeAfterGrace(ctx context.Context, stays time.Duration) {
	r.registry.mu.Lock()
	defer r.registry.mu.Unlock()
	if r.registry.open[r.goal] != r {
		return
	}
	waiting, stop := context.WithCancel(ctx)
	r.cancelGrace = stop
	over := r.registry.Clock.After(stays)
	r.registry.waits.Go(func() {
		select {
		case <-waiting.Done():
			return
		case <-over:
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := r.registry.CloseFinished(ctx, r.goal); err != nil {
			r.registry.Log.Warn("closing a session", "goal", r.goal, "error", err)
		}
	})
}

// closeAll ends every program of the goal and closes its pages.
func (r *Session) closeAll(ctx context.Context) error {
	return errors.Join(r.mcp.Close(), r.sandbox.Close(ctx), r.registry.Panes.Browsers.CloseGoal(ctx, string(r.goal)),
		r.recorder.close())
}

// CloseGoal ends every program of a goal. Its terminals stay on the screen with
// their exit; its pages are closed.
func (reg *Registry) CloseGoal(ctx context.Context, id goal.ID) error {
	return reg.closeWhere(ctx, id, func(*Session) bool { return true })
}

// CloseFinished does so where the goal is done, and leaves one alone that continues.
func (reg *Registry) CloseFinished(ctx context.Context, id goal.ID) error {
	return reg.closeWhere(ctx, id, func(r *Session) bool { return r.cancelGrace != nil })
}

func (reg *Registry) closeWhere(ctx context.Context, id goal.ID, wanted func(*Session) bool) error {
	reg.mu.Lock()
	r := reg.open[id]
	if r == nil || !wanted(r) {
		reg.mu.Unlock()
		return nil
	}
	delete(reg.open, id)
	r.cancelGracePeriod()
	reg.mu.Unlock()
	return r.closeAll(ctx)
}

func (reg *Registry) CloseAll(ctx context.Context) error {
	reg.mu.Lock()
	ids := make([]goal.ID, 0, len(reg.open))
	for id := range reg.open {
		ids = append(ids, id)
	}
	reg.mu.Unlock()
	var errs []error
	for _, id := range ids {
		errs = append(errs, reg.CloseGoal(ctx, id))
	}
	reg.waits.Wait()
	return errors.Join(errs...)
}

// netLog opens the log of a goal with the first request.
func (reg *Registry) netLog(id goal.ID) *network.Log {
	return network.NewLog(id, reg.Store.GoalDir(id), reg.Broker.Publish, reg.Mask, reg.Log)
}

// OnPopup gives a window that a goal's page opened what its opener has: it is
// filmed, and its lease is in the journal, that of a window that the user opened
// between two runs from the next one on.
func (reg *Registry) OnPopup(w *browser.Pane) {
	info := w.Info()
	if info.GoalID == "" {
		return
	}
	reg.mu.Lock()
	r := reg.open[goal.ID(info.GoalID)]
	if r == nil || r.recorder == nil { // another agent's: in no run
		reg.mu.Unlock()
		return
	}
	if !info.Shared {
		r.recorder.recordPage(w)
	}
	r.pendingPopups = append(r.pendingPopups, &event.Lease{
		Pane:   info.ID,
		Kind:   pane.Browser,
		Held:   true,
		Shared: info.Shared,
	})
	run := r.run
	reg.mu.Unlock()
	if run.ID == "" {
		return
	}
	if err := r.journalPopups(context.Background(), run); err != nil {
		reg.Log.Error("the lease of a window", "pane", info.ID, "error", err)
	}
}

// journalPopups writes down the windows that were opened since it last did.
func (r *Session) journalPopups(ctx context.Context, run goal.Run) error {
	r.registry.mu.Lock()
	list := r.pendingPopups
	r.pendingPopups = nil
	r.registry.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := r.registry.Store.Append(context.WithoutCancel(ctx), run, list...); err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	return nil
}

// PaneProxy is the proxies of a goal's pages; "" for an unconfined one. A goal whose
// room is closed reaches nothing.
func (reg *Registry) PaneProxy(id string) string {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if r := reg.open[goal.ID(id)]; r != nil {
		return r.sandbox.PaneProxy
	}
	return reg.DenyAllProxy
}

// OpenExternal opens the session of another agent, which belongs to no goal, and its tools.
// Its pages find their proxy in the registry, and closing that closes it.
func (reg *Registry) OpenExternal(ctx context.Context, p policy.Policy) (*Session, *tools.Set, error) {
	held, err := reg.Sandboxes.Open(ctx, string(goal.ExternalAgent), p, reg.Sandboxes.Dir(goal.ExternalAgent))
	if err != nil {
		return nil, nil, err
	}
	r := &Session{registry: reg, goal: goal.ExternalAgent, policy: p, sandbox: held}
	own := &goalPanes{
		panes:    reg.Panes,
		goal:     goal.ExternalAgent,
		dir:      p.Dir,
		launcher: held.Programs,
		env:      held.Env,
		external: true,
	}
	words := tools.Deps{
		Dir:       p.Dir,
		Launcher:  held.Programs,
		Env:       held.Env,
		Terminals: goalTerminals{own},
		Browsers:  goalBrowsers{own},
	}
	if held.Proxy != nil {
		words.SandboxRisk, words.Network, words.GitControlled = p.Risk, held.Proxy, held.GitControlled
	}
	box, err := tools.New(words)
	if err != nil {
		return nil, nil, errors.Join(err, r.closeAll(ctx))
	}
	reg.mu.Lock()
	reg.add(r)
	reg.mu.Unlock()
	return r, box, nil
}

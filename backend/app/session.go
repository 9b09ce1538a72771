package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/environ"
	"goalpost/backend/tools"
	"goalpost/backend/verify"
)

// Session is what one goal runs in. It outlives a pause, so that terminals and
// pages are still there when the goal is resumed.
type Session struct {
	app           *App
	goal          goal.ID
	provider      string
	policy        policy.Policy
	sandbox       *goalSandbox
	tools         *tools.Set
	mcp           *mcpClients // the user's MCP servers; opened with the room
	checks        verify.CheckRunner
	workspace     *verify.Workspace // opened with the room
	models        modelSet
	parkCounters  map[string]*model.ParkCounter // by role
	parkedInARow  int                           // in a row, when the room was opened
	recorder      *paneRecorder
	output        outputCursor
	warn          func(what, text string)
	secretsErr    error  // secrets of this goal cannot be opened, so nothing would hide them
	cancelGrace   func() // after done, and nil else: ends the wait for its end; guarded by rooms.mu
	children      *childGoals
	run           goal.Run     // the one that continues, none between two; guarded by rooms.mu
	pendingPopups []event.Body // of pages, not journaled yet; guarded by rooms.mu
}

// SessionRegistry are the open rooms by goal.
type SessionRegistry struct {
	mu    sync.Mutex
	open  map[goal.ID]*Session
	waits sync.WaitGroup // for the ends of those whose goals are done
}

// openSession gives the goal its room: the one it had before a pause, or a new one.
func (a *App) openSession(ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string)) (runner.Session, error) {
	if err := a.closeOverlapping(ctx, g); err != nil {
		return nil, err
	}
	if err := a.leaseShared(ctx, run); err != nil {
		return nil, err
	}
	r, err := a.sessionFor(ctx, g, run, warn)
	if err != nil {
		return nil, err
	}
	a.sockets.updateRules() // of what the goal is lent, whose rules are there now
	return r, r.journalPopups(ctx, run)
}

func (a *App) sessionFor(ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string)) (*Session, error) {
	if err := a.listMCPTools(ctx, g.Policy); err != nil { // may take a while, so before others have to wait
		return nil, err
	}
	sealed, err := a.loadSecretsForMasking(ctx, g, warn) // before anything shows what is kept
	if err != nil {
		return nil, err
	}
	a.sessions.mu.Lock()
	defer a.sessions.mu.Unlock()
	if r := a.sessions.open[g.ID]; r != nil && !r.sandboxEnded() {
		r.cancelGracePeriod()
		r.secretsErr = sealed
		world, err := a.openWorkspace(ctx, g) // the user may have accepted other versions, also in another process
		if err == nil {
			r.workspace = world
			err = r.setUpRun(ctx, g, warn)
		}
		if err != nil {
			delete(a.sessions.open, g.ID) // nobody would close it
			return nil, errors.Join(err, r.closeAll(ctx))
		}
		r.run = run
		return r, nil
	} else if r != nil {
		delete(a.sessions.open, g.ID)
		if err := r.closeAll(ctx); err != nil {
			a.log.Warn("closing a room whose helper died", "goal", g.ID, "error", err)
		}
	}
	world, err := a.openWorkspace(ctx, g)
	if err != nil {
		return nil, err
	}
	held, err := a.openSandbox(ctx, string(g.ID), g.Policy, a.sandboxDir(g.ID), lockedFiles(g.Policy.Dir, world)...)
	if err != nil {
		return nil, err
	}
	held.setNetworkLog(a.netLog(g.ID))
	if err := recordAutorunBaseline(g.Policy, a.sandboxDir(g.ID)); err != nil && !g.Policy.Unconfined {
		return nil, errors.Join(err, held.Close(ctx))
	}
	r := &Session{app: a, goal: g.ID, sandbox: held, workspace: world, secretsErr: sealed, parkCounters: map[string]*model.ParkCounter{}}
	if r.children, err = a.childrenOf(ctx, g); err != nil {
		return nil, errors.Join(err, held.Close(ctx))
	}
	if r.parkedInARow, err = a.store.ParkedInARow(ctx, g.ID); err != nil {
		return nil, errors.Join(err, held.Close(ctx))
	}
	r.recorder = a.newRecorder(g.ID)
	if err := r.setUpRun(ctx, g, warn); err != nil {
		return nil, errors.Join(err, r.mcp.close(), r.recorder.close(), held.Close(ctx))
	}
	a.sessions.open[g.ID], r.run = r, run
	return r, nil
}

// setUpRun gives the room the tools, the checks and the models of a run.
func (r *Session) setUpRun(ctx context.Context, g goal.Goal, warn func(what, text string)) error {
	env, set := r.sandbox.env, r.sandbox.programs
	r.policy, r.provider = g.Policy, g.Provider
	panes := &goalPanes{app: r.app, goal: g.ID, dir: g.Policy.Dir, launcher: set, env: env, camera: r.recorder}
	words := tools.Deps{Dir: g.Policy.Dir, Launcher: set, Env: env, Terminals: goalTerminals{panes}, Browsers: goalBrowsers{panes}, Panes: goalPaneList{panes}, Logins: browserLogins{r.app.secrets.Logins()}, Goals: r.children, Vision: visionJudge{r}, Recipes: goalRecipes{r.app, g.ID}, PendingInput: &r.app.pendingInput}
	words.Protected = r.protectedReasons()
	if r.sandbox.proxy != nil {
		words.SandboxRisk, words.Network, words.Access, words.Kills = g.Policy.Risk, r.sandbox.proxy, accessRequester{r}, set
		words.GitControlled = r.sandbox.gitControlled
		for _, line := range r.sandbox.degradations {
			warn("sandbox", line)
		}
		r.sandbox.blockedHosts.setGrants(rulesOf(r.policy), nil, nil, r.sandbox.proxy.SetRules) // the run tells what its user allowed
	} else {
		warn("sandbox", "this goal runs unconfined: its programs have your own rights"+rootSuffix()+", because that was asked for")
	}
	if idle := g.Policy.UnusedParts(); idle != "" {
		warn("network", idle)
	}
	r.sandbox.setWarn(warn)
	if hosts := hostsOf(g); len(hosts) > 0 && r.sandbox.proxy != nil {
		warn("network", "open to the checks while they run, and to nothing else: "+strings.Join(hosts, ", "))
	}
	box, err := tools.New(words)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(g.Policy.Dir); err != nil || real != g.Policy.Dir { // a program has put a link there
		return errors.Join(fmt.Errorf("the goal's folder %s is not where it was when the goal was made: it is %q now", g.Policy.Dir, real), err, box.Close())
	}
	r.warn = warn
	m, err := r.openModels(ctx, g)
	if err != nil {
		return errors.Join(err, box.Close())
	}
	if r.mcp == nil {
		if r.mcp, err = r.app.openMCPClients(ctx, r.sandbox, g.Policy, warn); err != nil {
			return errors.Join(err, box.Close())
		}
	}
	r.tools, r.models = box, m
	r.recorder.setActive(true)
	r.checks = r.sandbox.checkHost(r.app, g.Policy.Dir, hostsOf(g))
	r.checks.World, r.checks.Pages = r.workspace, r.app.checkPagesFor(g.ID)
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
	case <-r.sandbox.programs.Done():
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
	if _, err := r.app.provider(r.provider); err != nil {
		return errorWithHint(err)
	}
	return nil
}

// errorWithHint is an error with its hint, where only words are kept.
func errorWithHint(err error) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Hint != "" {
		return fmt.Errorf("%w: %s", err, refusal.Hint)
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
func (a *App) closeOverlapping(ctx context.Context, g goal.Goal) error {
	a.sessions.mu.Lock()
	var over []goal.ID
	for id, r := range a.sessions.open {
		if id != g.ID && r.cancelGrace != nil && foldersOverlap(r.policy, g.Policy) {
			over = append(over, id)
		}
	}
	a.sessions.mu.Unlock()
	var errs []error
	for _, id := range over {
		a.log.Info("another goal needs the folder: what a goal that is done left running ends", "goal", id)
		errs = append(errs, a.closeSession(ctx, id))
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
	return append(list, r.mcp.tools()...)
}

func (r *Session) Judge() runner.Verifier { return r.checks }

// TotalSpend is what the goals that work for this one have spent.
func (r *Session) TotalSpend() goal.Spend { return r.children.TotalSpend() }

func (r *Session) World() runner.Workspace { return r.workspace }

// Close lets go of the run's tools. After a pause the room stays; after done it
// stays for a while; otherwise everything in it ends now.
func (r *Session) Close(ctx context.Context, exit goal.Exit) error {
	r.app.sessions.mu.Lock()
	r.run = goal.Run{}
	r.app.sessions.mu.Unlock()
	r.sandbox.setWarn(nil) // the run's journal is closed
	err := errors.Join(r.tools.Close(), r.children.followParent(ctx, exit))
	r.recorder.setActive(false)
	switch {
	case exit == goal.Interrupted || goal.StatusForExit(exit) != goal.Paused && exit != goal.Done:
		return errors.Join(err, r.app.closeSession(ctx, r.goal))
	case exit == goal.Done:
		r.closeEgress(context.WithoutCancel(ctx))
		stays := time.Duration(r.app.cfg.Settings().GraceMinutes) * time.Minute
		if stays == 0 {
			return errors.Join(err, r.app.closeSession(ctx, r.goal))
		}
		r.closeAfterGrace(context.WithoutCancel(ctx), stays)
	}
	return err
}

// closeAfterGrace closes the room of a goal that is done after a while, in which its user
// can look at what was built. She may have deleted the goal at once.
func (r *Session) closeAfterGrace(ctx context.Context, stays time.Duration) {
	r.app.sessions.mu.Lock()
	defer r.app.sessions.mu.Unlock()
	if r.app.sessions.open[r.goal] != r {
		return
	}
	waiting, stop := context.WithCancel(ctx)
	r.cancelGrace = stop
	over := r.app.clock.After(stays)
	r.app.sessions.waits.Go(func() {
		select {
		case <-waiting.Done():
			return
		case <-over:
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := r.app.closeFinished(ctx, r.goal); err != nil {
			r.app.log.Warn("closing a room", "goal", r.goal, "error", err)
		}
	})
}

// closeAll ends every program of the goal and closes its pages.
func (r *Session) closeAll(ctx context.Context) error {
	return errors.Join(r.mcp.close(), r.sandbox.Close(ctx), r.app.browsers.CloseGoal(ctx, string(r.goal)), r.recorder.close())
}

// closeSession ends every program of a goal. Its terminals stay on the screen with
// their exit; its pages are closed.
func (a *App) closeSession(ctx context.Context, id goal.ID) error {
	return a.closeWhere(ctx, id, func(*Session) bool { return true })
}

// closeFinished does so where the goal is done, and leaves one alone that continues.
func (a *App) closeFinished(ctx context.Context, id goal.ID) error {
	return a.closeWhere(ctx, id, func(r *Session) bool { return r.cancelGrace != nil })
}

func (a *App) closeWhere(ctx context.Context, id goal.ID, wanted func(*Session) bool) error {
	a.sessions.mu.Lock()
	r := a.sessions.open[id]
	if r == nil || !wanted(r) {
		a.sessions.mu.Unlock()
		return nil
	}
	delete(a.sessions.open, id)
	r.cancelGracePeriod()
	a.sessions.mu.Unlock()
	return r.closeAll(ctx)
}

func (a *App) closeSessions(ctx context.Context) error {
	a.sessions.mu.Lock()
	ids := make([]goal.ID, 0, len(a.sessions.open))
	for id := range a.sessions.open {
		ids = append(ids, id)
	}
	a.sessions.mu.Unlock()
	var errs []error
	for _, id := range ids {
		errs = append(errs, a.closeSession(ctx, id))
	}
	a.sessions.waits.Wait()
	return errors.Join(errs...)
}

// secretEnvPattern matches variables that a goal's programs have no business with: by their
// names, and by addresses with a password in them.
var secretEnvPattern = regexp.MustCompile(`(?is)^[^=]*((api_?key|token|secret|pass|credential|webhook)[^=]*|_(key|pwd|pat|auth|dsn))=|^[^=]*=.*://[^/\s@:]*:[^/\s@]+@`)

// KeepVariable names variables, with commas between, that the user wants the
// programs of goals to have, too.
const KeepVariable = "GOALPOST_KEEP_ENV"

func userKeptEnv() []string {
	return strings.FieldsFunc(os.Getenv(KeepVariable), func(r rune) bool { return r == ',' || r == ' ' })
}

// goalEnv is the environment of a goal's programs: this program's own without
// keys and tokens, and without what a provider names as its key. Inside a sandbox
// much less of it is kept.
func (a *App) goalEnv() []string {
	keys := map[string]bool{}
	for _, p := range a.cfg.Providers() {
		keys[p.APIKeyEnv] = true
	}
	var base []string
	kept := userKeptEnv()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !keys[name] && (!secretEnvPattern.MatchString(entry) || slices.Contains(kept, name)) {
			base = append(base, entry)
		}
	}
	return environ.Base(base)
}

package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/panes"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/recording"
)

// Open opens the session of a goal for a run: the one from before a pause, or a new one.
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
	reg.UpdateSocketRules() // the rules of the goal exist now, and apply to the pages shared with it
	return r, r.journalPopups(ctx, run)
}

func (reg *Registry) sessionFor(
	ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string),
) (_ *Session, err error) {
	if err := reg.MCPServers.ListTools(ctx, g.Policy); err != nil { // may take a while, so before the lock is taken
		return nil, err
	}
	secretsErr, err := reg.loadSecretsForMasking(ctx, g, warn) // before anything shows stored text
	if err != nil {
		return nil, err
	}
	reg.mu.Lock()
	defer reg.mu.Unlock()
	workspace, err := reg.OpenWorkspace(ctx, g) // the user may have accepted other versions, also in another process
	r := reg.open[g.ID]
	if err != nil {
		if r != nil {
			delete(reg.open, g.ID) // nothing else would close it
			err = errors.Join(err, r.closeAll(ctx))
		}
		return nil, err
	}
	locked := lockedFiles(g.Policy.Dir, workspace)
	switch {
	case r != nil && r.canContinue(locked):
		r.cancelGracePeriod()
		r.verified.Cancel()
		r.verified, r.secretsErr, r.workspace = nil, secretsErr, workspace
		if err = r.sandbox.Unseal(ctx); err == nil {
			err = r.setUpRun(ctx, g, warn)
		}
		if err != nil {
			delete(reg.open, g.ID)
			return nil, errors.Join(err, r.closeAll(ctx))
		}
		r.run = run
		return r, nil
	case r != nil: // its helper has ended, or the folder or the read-only files are others
		delete(reg.open, g.ID)
		if err := r.closeAll(ctx); err != nil {
			reg.Log.Warn("a session that can no longer be used was not closed", "goal", g.ID, "error", err)
		}
	}
	folder, err := openGoalFolder(g.Policy.Dir) // before the sandbox, so that it cannot be a later one
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.close())
		}
	}()
	sandbox, err := reg.Sandboxes.Open(ctx, string(g.ID), g.Policy, reg.Sandboxes.PrivateDir(g.ID),
		locked...)
	if err != nil {
		return nil, err
	}
	sandbox.SetNetworkLog(reg.netLog(g.ID))
	layer := reg.Sandboxes.PrivateDir(g.ID)
	if err := goalsandbox.RecordAutorunBaseline(g.Policy, layer); err != nil && !g.Policy.Unconfined {
		return nil, errors.Join(err, sandbox.Close(ctx))
	}
	r = &Session{
		registry:     reg,
		goal:         g.ID,
		sandbox:      sandbox,
		folder:       folder,
		engine:       goalEngine{registry: reg, sandbox: sandbox},
		workspace:    workspace,
		secretsErr:   secretsErr,
		parkCounters: map[string]*model.ParkCounter{},
	}
	if r.children, err = reg.Children(ctx, g); err != nil {
		return nil, errors.Join(err, sandbox.Close(ctx))
	}
	if r.parkedInARow, _, err = reg.Store.History.ParkedInARow(ctx, g.ID); err != nil {
		return nil, errors.Join(err, sandbox.Close(ctx))
	}
	r.recorder = reg.newRecorder(g.ID)
	if err := r.setUpRun(ctx, g, warn); err != nil {
		return nil, errors.Join(err, r.mcp.Close(), r.recorder.close(), sandbox.Close(ctx))
	}
	reg.add(r)
	r.run = run
	r.warnOfLimits(g)
	return r, nil
}

// warnOfLimits warns, once for a session, of what limits the goal's programs less or more than the user may expect.
func (se *Session) warnOfLimits(g goal.Goal) {
	if se.sandbox.Proxy == nil {
		se.warn("sandbox", "this goal runs unconfined, as you chose: its programs have your own rights"+rootSuffix())
	} else {
		for _, line := range se.sandbox.Degradations {
			se.warn("sandbox", line)
		}
		if hosts := goalsandbox.HostsOf(g); len(hosts) > 0 {
			se.warn("network", "only the checks may contact these hosts, while they run: "+strings.Join(hosts, ", "))
		}
	}
	if idle := g.Policy.UnusedParts(); idle != "" {
		se.warn("network", idle)
	}
}

// canContinue reports whether a later run can use the session.
func (se *Session) canContinue(locked []string) bool {
	return !se.sandbox.HasEnded() && se.folder.problem() == nil &&
		isSubset(lockedFiles(se.policy.Dir, se.workspace), locked)
}

// add registers a session. The caller holds mu.
func (reg *Registry) add(r *Session) {
	if reg.open == nil {
		reg.open = map[goal.ID]*Session{}
	}
	reg.open[r.goal] = r
}

// setUpRun makes the tools, the checks and the models of a run.
func (se *Session) setUpRun(ctx context.Context, g goal.Goal, warn func(what, text string)) error {
	if err := se.engine.readLogin(ctx, g); err != nil {
		return err
	}
	env, set := se.sandbox.Env, se.sandbox.Programs
	se.policy, se.provider, se.memoryDir = g.Policy, g.Provider, memoryDir(g)
	se.registry.Panes.Workspaces.Resumed(string(g.ID))
	gp := &goalPanes{
		panes:    se.registry.Panes,
		goal:     g.ID,
		dir:      g.Policy.Dir,
		launcher: set,
		env:      env,
		recorder: se.recorder,
		pageSize: g.PageSize,

		onPageOpened: se.holdPageLoad,
	}
	deps := tools.Deps{
		Dir:          g.Policy.Dir,
		Launcher:     set,
		Env:          env,
		Terminals:    goalTerminals{gp},
		Browsers:     goalBrowsers{gp},
		Panes:        goalPaneList{gp},
		Logins:       panes.Logins{Logins: se.registry.Secrets.Logins()},
		Goals:        se.children,
		Vision:       visionJudge{se},
		Recipes:      goalRecipes{se.registry.Config, se.registry.Store, g.ID},
		Web:          se.sandbox.Web(),
		PDFs:         se.registry.Sandboxes.PDFs(),
		Search:       se.registry.searchTool(),
		Skills:       se.registry.skillTool(g.Policy.Dir),
		Memory:       goalMemory{se.registry.Store.Memory, se.memoryDir, g.ID},
		PendingInput: &se.registry.pendingInput,
		Pictures:     g.Pictures,
	}
	deps.Protected, deps.Work = se.protectedReasons(), g.Policy.DescribeWork()
	deps.Hidden, deps.AllowWrite = goalsandbox.HiddenPaths(g.Policy), g.Policy.AllowWrite
	if se.sandbox.Proxy != nil {
		deps.SandboxRisk, deps.Network, deps.Access, deps.Kills = g.Policy.Risk, se.sandbox.Proxy, accessRequester{se}, set
		deps.GitControlled, deps.MissingGit = se.sandbox.GitControlled, se.sandbox.MissingGit
		// without grants: the run applies those of the user
		se.sandbox.HostRules.SetGrants(se.egressRules(), nil, nil, se.sandbox.Proxy.SetRules)
	}
	se.sandbox.SetWarn(warn)
	goalTools, err := tools.New(deps)
	if err != nil {
		return err
	}
	// a program may have replaced the folder by a link
	if real, err := filepath.EvalSymlinks(g.Policy.Dir); err != nil || real != g.Policy.Dir {
		return errors.Join(fmt.Errorf("the goal's folder %s was moved or replaced: its path now leads to %q",
			g.Policy.Dir, real), err, goalTools.Close())
	}
	se.warn, se.tools, se.engine.tools = warn, goalTools, goalTools
	m, err := se.openModels(ctx, g)
	if err != nil {
		return errors.Join(err, goalTools.Close())
	}
	if se.mcp == nil {
		ofRun := func(what, text string) { se.warn(what, text) } // the servers outlive the run
		if se.mcp, err = se.registry.MCPServers.Open(ctx, se.sandbox, g.Policy, ofRun); err != nil {
			return errors.Join(err, goalTools.Close())
		}
	}
	se.goalSecrets = goalSecrets{
		vault:    se.registry.Secrets,
		mask:     se.registry.Mask,
		browsers: se.registry.Panes.Browsers,
		names:    g.Policy.Secrets,
		uses:     se.mcp.Given,
	}
	se.models = m
	se.snapshots = se.registry.startSnapshots(ctx, g, se.folder, warn)
	se.workspace.ListChangesOf(se.snapshots)
	se.recorder.setActive(true)
	se.checks = se.sandbox.CheckRunner(se.registry.Sandboxes, g.Policy.Dir, goalsandbox.HostsOf(g))
	se.checks.Folder, se.checks.Environment.Pages = se.workspace, se.registry.Panes.CheckPagesFor(g.ID, g.PageSize)
	se.checks.Agent = se.sandbox
	se.checks.Reviewer, se.checks.Vision = m.reviewer, m.vision
	if m.judge != nil {
		se.checks.Judge, se.checks.Window, se.checks.Other = m.judge, m.window, m.other
	}
	return nil
}

// rootSuffix returns a note that the user's rights are those of root, if they are.
func rootSuffix() string {
	if os.Geteuid() == 0 {
		return ", which are root's"
	}
	return ""
}

// closeOverlapping ends the programs of completed goals that could write in the folders of a goal that begins.
func (reg *Registry) closeOverlapping(ctx context.Context, g goal.Goal) error {
	reg.mu.Lock()
	var completed []goal.ID
	for id, r := range reg.open {
		if id != g.ID && r.cancelGrace != nil && r.policy.WritesOverlap(g.Policy) {
			completed = append(completed, id)
		}
	}
	reg.mu.Unlock()
	var errs []error
	for _, id := range completed {
		reg.Log.Info("another goal needs the folder: ending the programs of a completed goal", "goal", id)
		errs = append(errs, reg.CloseGoal(ctx, id))
	}
	return errors.Join(errs...)
}

// OpenExternal opens the session and the tools of another agent, which belong to no goal. The registry has the session,
// so that its pages find their proxy, until it is closed.
func (reg *Registry) OpenExternal(ctx context.Context, p policy.Policy) (*Session, *tools.Set, error) {
	name := reg.nameExternal()
	sandbox, err := reg.Sandboxes.Open(ctx, string(name), p, reg.Sandboxes.PrivateDir(name))
	if err != nil {
		return nil, nil, err
	}
	r := &Session{
		registry:    reg,
		goal:        name,
		policy:      p,
		sandbox:     sandbox,
		goalSecrets: goalSecrets{vault: reg.Secrets, mask: reg.Mask, browsers: reg.Panes.Browsers},
	}
	gp := &goalPanes{
		panes:    reg.Panes,
		goal:     name,
		dir:      p.Dir,
		launcher: sandbox.Programs,
		env:      sandbox.Env,
		external: true,
	}
	deps := tools.Deps{
		Dir:       p.Dir,
		Launcher:  sandbox.Programs,
		Env:       sandbox.Env,
		Terminals: goalTerminals{gp},
		Browsers:  goalBrowsers{gp},
		Panes:     goalPaneList{gp},
		Web:       sandbox.Web(),
		PDFs:      reg.Sandboxes.PDFs(),
	}
	if sandbox.Proxy != nil {
		deps.SandboxRisk, deps.Network, deps.GitControlled = p.Risk, sandbox.Proxy, sandbox.GitControlled
	}
	set, err := tools.New(deps)
	if err != nil {
		return nil, nil, errors.Join(err, r.closeAll(ctx))
	}
	reg.mu.Lock()
	reg.add(r)
	reg.mu.Unlock()
	return r, set, nil
}

// nameExternal returns the name of another agent's session. Several agents may be connected.
func (reg *Registry) nameExternal() goal.ID {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if reg.externals++; reg.externals == 1 {
		return goal.ExternalAgent
	}
	return goal.ID(fmt.Sprintf("%s-%d", goal.ExternalAgent, reg.externals))
}

func (reg *Registry) newRecorder(id goal.ID) *paneRecorder {
	c := &paneRecorder{
		clock:  reg.Clock,
		mask:   reg.Mask,
		log:    reg.Log,
		goal:   id,
		writer: recording.NewWriter(reg.Store.Recording(id), recording.DefaultLimits()),
		views:  map[*browser.Viewer]bool{},
	}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

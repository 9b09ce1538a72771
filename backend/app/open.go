package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/agent/model"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/attention"
	"goalpost/backend/goals/chats"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/keepawake"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/goals/mcpservers"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/network"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/schedules"
	"goalpost/backend/goals/session"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/host/awake"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/panes/browser"
	"goalpost/backend/panes/ssh"
	"goalpost/backend/panes/stream"
	"goalpost/backend/panes/textfile"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/devices"
	"goalpost/backend/storage/library"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// New makes a program. Open starts it.
func New(o Options) *App {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Began.IsZero() {
		o.Began = time.Now()
	}
	if o.Clock == nil {
		o.Clock = newClock()
	}
	if o.Engines == nil {
		o.Engines = engine.Profiles()
	}
	o.Slots = cmp.Or(o.Slots, o.Config.Settings().GoalsAtOnce, defaultSlots)
	a := &App{options: o, cfg: o.Config, log: o.Log, mask: &secret.Mask{}}
	a.ports = &network.OwnPorts{StreamURL: a.streamURL}
	a.access = &access.Rules{Config: a.cfg, Ports: a.ports}
	return a
}

// Open starts the program. If a step fails, it closes what was opened. ctx bounds the start, not the program's life.
func (a *App) Open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start: %w", err), a.Close(context.WithoutCancel(ctx)))
		}
	}()
	steps := []func(context.Context) error{
		a.openStorage,
		a.openPrograms,
		a.openPanes,
		a.openGoals,
	}
	for _, open := range steps {
		if err := open(ctx); err != nil {
			return err
		}
	}
	a.watchSettings(ctx)
	if a.options.Stays {
		a.notifier = &attention.Notifier{
			Config: a.cfg,
			Log:    a.log,
			Mask:   a.mask,
			Store:  a.store,
			Broker: &a.broker,
			Goals:  a.Goals,
			Looks:  &a.looks,
			Began:  a.options.Began,

			Webhooks: a.webhooks,
			Clock:    a.options.Clock,
			Digest:   a.digest,
		}
		a.notifier.Start(context.WithoutCancel(ctx))
		a.keepAwake(context.WithoutCancel(ctx))
	}
	if a.databaseProblem == nil {
		var onDamage func(error)
		if a.notifier != nil {
			onDamage = a.notifier.ShowDamage
		}
		a.store.Backups.Start(ctx, onDamage)
		if a.options.Stays {
			a.store.Search.Start(ctx)
		}
	}
	a.log.Info("program open", "elapsed_ms", time.Since(a.options.Began).Milliseconds())
	return nil
}

// keepAwake keeps the computer awake while goals work, until the program closes.
func (a *App) keepAwake(ctx context.Context) {
	a.powerLooks = time.NewTicker(keepawake.Interval)
	a.keeper = &keepawake.Keeper{
		Config:      a.cfg,
		Log:         a.log,
		Store:       a.store,
		Broker:      &a.broker,
		Live:        a.runner.Live,
		IsPluggedIn: awake.IsPluggedIn,
		Again:       a.powerLooks.C,
	}
	a.keeper.Start(ctx)
}

// watchSettings tells pages about changed settings. Without it, they see them when they are opened again.
func (a *App) watchSettings(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	end, err := a.cfg.Watch(func() {
		a.followSharing(ctx)
		a.broker.Publish(event.Event{At: a.options.Clock.Now(), Body: &event.SettingsChanged{}})
		a.panes.Browsers.ApplyUserAgent()
	})
	if err != nil {
		a.log.Warn("changes of the settings are not noticed", "error", err)
		return
	}
	a.endWatch = end
}

// openStorage opens the secrets and the journal.
func (a *App) openStorage(ctx context.Context) (err error) {
	if err := a.openSecrets(a.options.Passphrase); err != nil {
		return err
	}
	a.devices = devices.Open(filepath.Join(a.cfg.State(), devices.FileName), a.options.Clock.Now)
	a.webhooks = attention.NewWebhooks(a.cfg, a.secrets, a.mask, a.log, a.options.Clock)
	o := store.Options{
		Dir:     a.cfg.State(),
		Publish: a.broker.Publish,
		Redact:  a.mask.JSON,
		Now:     a.options.Clock.Now,
		Log:     a.log,
		Free:    func() (uint64, error) { return config.FreeBytes(a.cfg.State()) },
	}
	if a.options.Rescue {
		a.store, a.databaseProblem, err = store.OpenOrRescue(ctx, o)
		return err
	}
	a.store, err = store.Open(ctx, o)
	return err
}

// openPrograms opens the launchers of the user's programs, and what goals and MCP servers need to run programs.
func (a *App) openPrograms(ctx context.Context) error {
	helper, err := sandbox.Install(a.cfg.State())
	if err != nil {
		return err
	}
	a.userPrograms, err = sandbox.Open(ctx, sandbox.Options{Helper: helper, Name: "user"})
	if err != nil {
		return err
	}
	a.models = &models.Providers{
		Config:    a.cfg,
		Secrets:   a.secrets,
		Mask:      a.mask,
		Clock:     a.options.Clock,
		Budget:    &models.Budget{Config: a.cfg, Ledger: a.store.Spend, Clock: a.options.Clock, Log: a.log},
		Transport: model.NewTransport(),
		Pace:      a.options.Pace,
	}
	a.sandboxes = &goalsandbox.Factory{
		Config:       a.cfg,
		Log:          a.log,
		Mask:         a.mask,
		Access:       a.access,
		Ports:        a.ports,
		PageFilters:  &network.PageFilters{},
		UserPrograms: a.userPrograms,
		HelperPath:   helper,
	}
	a.mcpServers = &mcpservers.Servers{
		Config:    a.cfg,
		Log:       a.log,
		Clock:     a.options.Clock,
		Secrets:   a.secrets,
		Mask:      a.mask,
		Access:    a.access,
		Sandboxes: a.sandboxes,
	}
	return nil
}

// openPanes opens terminals, browser panes and the page's streams.
func (a *App) openPanes(ctx context.Context) (err error) {
	filters := a.sandboxes.PageFilters
	a.sockets = &network.WebSocketProxies{
		Ports:   a.ports,
		Log:     a.log,
		Filters: filters,
		Panes:   func() []pane.Info { return a.panes.Browsers.List() },
	}
	a.panes = panes.New(context.WithoutCancel(ctx), &panes.Registry{
		Config:        a.cfg,
		Log:           a.log,
		Store:         a.store,
		Clock:         a.options.Clock,
		Broker:        &a.broker,
		Programs:      a.userPrograms,
		Drafts:        textfile.NewDrafts(filepath.Join(a.cfg.State(), "drafts")),
		OnShareEnded:  a.sockets.UpdateRules,
		CloseFinished: func(ctx context.Context, id goal.ID) error { return a.sessions.CloseFinished(ctx, id) },
		Serves:        func(ctx context.Context, id goal.ID) bool { return a.sessions.Serves(ctx, id) },
	})
	a.sandboxes.RunRemoteCheck, a.sandboxes.Pages = a.panes.Servers.RunRemoteCheck, a.panes.CheckPagesFor
	a.panes.Servers.Logins = panes.Logins{Logins: a.secrets.Logins()}
	a.panes.Servers.Client = ssh.Open(ssh.Options{
		Launcher: a.userPrograms,
		Helper:   a.sandboxes.HelperPath,
		Env:      environ.Base(os.Environ()),
		OnState:  a.panes.Servers.OnLinkState,
		Saved:    a.panes.Servers.SavedAnswer,
	})
	if a.denyAll, err = network.OpenDenyAll(ctx, a.log, a.ports); err != nil {
		return err
	}
	a.library = library.Open(a.cfg.State(), a.cfg.Home())
	a.sessions = a.newSessions()
	browsing := a.panes.Browsing
	browserConfig := browser.Config{
		Launcher:       a.userPrograms,
		Dir:            filepath.Join(a.cfg.State(), "browser"),
		OnChange:       a.panes.OnChange,
		OnPopup:        a.panes.PopupOptions,
		OnWindow:       a.sessions.OnPopup,
		OnVisit:        browsing.OnVisit,
		Downloads:      browsing.Downloads,
		AsksWhere:      browsing.AsksWhere,
		OnSaved:        browsing.KeepDownload,
		UserAgent:      browsing.UserAgent,
		GoalFolder:     browsing.GoalFolder,
		OwnPorts:       a.ports.List,
		Logins:         panes.Logins{Logins: a.secrets.Logins()},
		Log:            a.log,
		ContextProxy:   a.sessions.PaneProxy,
		DenyAllProxy:   a.denyAll.Address,
		WebSocketProxy: a.sockets.Proxy,
		Secrets:        a.mask,
		NeedsFilter:    filters.IsActive,
		FilterRequest:  filters.Decide,
		OnRequest:      filters.OnRequest,
	}
	if a.options.Slowness > 0 {
		browserConfig = browserConfig.WithTestLimits(a.options.Slowness)
	}
	a.panes.Browsers = browser.New(browserConfig)
	a.stream, err = stream.Open(ctx, stream.Options{
		Log:       a.log,
		Events:    &a.broker,
		Pages:     streamPages{&a.looks},
		Terminals: streamTerminals{a.panes},
		Browsers:  streamBrowsers{a.panes},
		Files:     streamFiles{a.panes},
	})
	return err
}

// newSessions makes the registry of goals' sessions, which is empty.
func (a *App) newSessions() *session.Registry {
	return &session.Registry{
		Config:            a.cfg,
		Log:               a.log,
		Store:             a.store,
		Clock:             a.options.Clock,
		Broker:            &a.broker,
		Secrets:           a.secrets,
		Mask:              a.mask,
		Panes:             a.panes,
		Sandboxes:         a.sandboxes,
		Models:            a.models,
		MCPServers:        a.mcpServers,
		Engines:           a.options.Engines,
		Version:           a.options.Version,
		DenyAllProxy:      a.denyAll.Address,
		Worktrees:         a.newWorktrees(),
		Library:           a.library,
		Stays:             a.options.Stays,
		UpdateSocketRules: a.sockets.UpdateRules,
		Children: func(ctx context.Context, g goal.Goal) (session.Children,
			error,
		) {
			return a.Goals.ChildrenOf(ctx, g)
		},
	}
}

// newWorktrees makes the access to the git worktrees of goals, which has no state.
func (a *App) newWorktrees() *worktrees.Worktrees {
	return &worktrees.Worktrees{Config: a.cfg, Programs: a.userPrograms}
}

// openGoals opens the runner and the service on top of it.
func (a *App) openGoals(context.Context) error {
	rules, err := a.access.RuleSet()
	if err != nil {
		return err
	}
	a.Goals = lifecycle.New(lifecycle.Deps{
		Config:    a.cfg,
		Log:       a.log,
		Store:     a.store,
		Clock:     a.options.Clock,
		Secrets:   a.secrets,
		Access:    a.access,
		Models:    a.models,
		Sandboxes: a.sandboxes,
		Panes:     a.panes,
		Worktrees: a.newWorktrees(),
		Library:   a.library,
		Sessions:  a.sessions,
		Stays:     a.options.Stays,
	}, runner.Config{
		Store: runner.Store{
			Events:    a.store.Journal,
			Lifecycle: a.store.Journal,
			Queue:     a.store.Queue,
			Orders:    a.store.Orders,
			History:   a.store.History,
			Evidence:  a.store.Artifacts,
			Approvals: a.store.Approvals,
		},
		Open:              a.sessions.Open,
		Publish:           a.broker.Publish,
		Clock:             a.options.Clock,
		Log:               a.log,
		Slots:             a.options.Slots,
		LockFolders:       store.FolderLocks{Place: store.DefaultLockPlace(), State: a.cfg.State()}.Lock,
		Rules:             rules,
		ApprovalTimeout:   a.approvalTimeout,
		DailyLimitReached: a.models.Budget.IsReached,
		ModelWait:         func() time.Duration { return time.Duration(a.cfg.Settings().ModelWaitHours) * time.Hour },
		Disk:              func() (uint64, error) { return config.FreeBytes(a.cfg.State()) },
	})
	a.chats = &chats.Service{
		Store:   a.store,
		Config:  a.cfg,
		Models:  a.models,
		Access:  a.access,
		Panes:   a.panes,
		Broker:  &a.broker,
		Clock:   a.options.Clock,
		Log:     a.log,
		Rules:   rules,
		Secrets: a.secrets,
		Mask:    a.mask,
		Goals:   a.Goals,
		PDFs:    a.sandboxes.PDFs(),
		Network: a.options.ChatNetwork,

		AskTimeout: a.approvalTimeout,
	}
	a.schedules = &schedules.Service{
		Store:  a.store,
		Goals:  a.Goals,
		Access: a.access,
		Broker: &a.broker,
		Clock:  a.options.Clock,
		Log:    a.log,
	}
	a.runner = a.Goals.Runner()
	a.panes.Browsing.Runs, a.panes.Browsing.Resume = a.runner, a.Goals.Resumption.Resume
	return nil
}

// Close pauses running goals as interrupted, ends every child process and closes the database, in that order.
// It may be called once, at any time after New.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	if a.endWatch != nil {
		errs = append(errs, a.endWatch())
	}
	if a.panes != nil {
		a.panes.Background.Closing.Store(true)
	}
	if a.schedules != nil {
		a.schedules.Close()
	}
	if a.chats != nil {
		errs = append(errs, a.chats.Close(ctx))
	}
	if a.runner != nil {
		errs = append(errs, a.runner.Close(ctx))
	}
	if a.models != nil {
		a.models.Transport.CloseIdleConnections()
	}
	if a.notifier != nil {
		a.notifier.Close()
	}
	if a.keeper != nil {
		a.powerLooks.Stop()
		a.keeper.Close()
	}
	if a.stream != nil {
		errs = append(errs, a.stream.Close(ctx))
	}
	if a.panes != nil {
		errs = append(errs, a.closePanes(ctx))
	}
	if a.userPrograms != nil {
		errs = append(errs, a.userPrograms.Close(ctx))
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

// closePanes ends the programs of goals and of the user, browser panes first.
func (a *App) closePanes(ctx context.Context) error {
	var errs []error
	if a.panes.Browsers != nil {
		errs = append(errs, a.sessions.CloseAll(ctx), a.panes.Browsers.Close(ctx), a.sockets.Close())
	}
	if a.denyAll != nil {
		errs = append(errs, a.denyAll.Close())
	}
	errs = append(errs, a.panes.Workspace.StopSaving(ctx), a.panes.Terminals.CloseAll(ctx), a.panes.Files.CloseAll())
	return errors.Join(errs...)
}

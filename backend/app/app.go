// Package app is the program without a window: it introduces everyone to
// everyone, by hand, in one place, and owns their lives. The window, serve, the
// command line and the tests all use it.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/browser"
	"goalpost/backend/config"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox"
	"goalpost/backend/secret"
	"goalpost/backend/ssh"
	"goalpost/backend/store"
	"goalpost/backend/stream"
	"goalpost/backend/terminal"
	"goalpost/backend/tools"
)

// defaultSlots is how many goals run at once when the user says nothing.
const defaultSlots = 3

// Options say what the program works with.
type Options struct {
	Config  *config.Config
	Log     *slog.Logger
	Version string
	// Unconfined makes every goal that is created here one without a sandbox.
	Unconfined bool
	// Watch follows goals that other processes run: for a window and serve.
	Watch bool
	// Serve takes the page's streams over another server instead of a port of its own.
	Serve bool
	// Attended: a user sits at this program's terminal and may answer approvals.
	// With Watch somebody always may.
	Attended bool
	// Passphrase asks the user for the one of the encrypted secrets; nil: it is
	// given over the page, or not at all.
	Passphrase func(context.Context) (string, error)
	// Began is when the process started, for the log; zero is now.
	Began time.Time
	// Front brings the window to the front for another process that was started on
	// the same folder, and says whether there is one; nil: there is none.
	Front func(context.Context) bool
	// Clock is the seam for deadlines and back-off, nil the real one; Slots is how
	// many goals run at once, 0 the usual three.
	Clock runner.Clock
	Slots int
	// Pace slows the scripted demonstration so that a user can follow; it is
	// the time between two words.
	Pace time.Duration
}

// App is the running program. All methods may be called concurrently after Open.
type App struct {
	cfg          *config.Config
	log          *slog.Logger
	version      string
	began        time.Time
	followOthers bool
	serve        bool
	attended     bool
	pace         time.Duration
	clock        runner.Clock
	slots        int
	unconfined   bool
	front        func(context.Context) bool

	broker           event.Broker
	secrets          *secret.Vault
	mask             *secret.Mask
	askPassphrase    func(context.Context) (string, error)
	store            *store.Store
	wakeSocket       *store.WakeSocket // nil where no socket could be made
	peerServer       *peerServer
	peerPanes        *peerPanes
	runner           *runner.Runner
	helperPath       string
	userPrograms     *sandbox.Supervisor // the user's terminals and Chromium
	terminals        *terminal.Manager
	ssh              *ssh.Client
	workspaceSaver   workspaceSaver
	browsers         *browser.Manager
	browsing         *userBrowsing
	sockets          *webSocketProxies
	denyAll          *denyAllProxy
	panes            *panes
	stream           *stream.Server
	sessions         SessionRegistry
	pageFilters      pageRequestFilters
	takeovers        takeovers
	pendingInput     tools.PendingInput // of terminals that the user lends
	modelTransport   *http.Transport    // to the models, shared by all goals
	failedMCPServers sync.Map           // MCP servers that did not start: name → why

	follow            context.CancelFunc
	stopNotifications func()          // ends the notes on the desktop
	lifetime          context.Context // of what runs beside: links, the keeper
	end               context.CancelFunc
	background        sync.WaitGroup
	// closing: what ends now ends with the program, and nothing continues for it.
	closing atomic.Bool
	wg      sync.WaitGroup

	mu           sync.Mutex
	publishedSeq map[goal.ID]int64 // newest seq that was told of
}

// New makes a program that is not started yet.
func New(o Options) *App {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{
		cfg: o.Config, log: o.Log, version: o.Version, began: o.Began, followOthers: o.Watch, serve: o.Serve, attended: o.Attended, pace: o.Pace,
		mask: &secret.Mask{}, askPassphrase: o.Passphrase,
		clock: o.Clock, slots: cmp.Or(o.Slots, o.Config.Settings().GoalsAtOnce, defaultSlots), unconfined: o.Unconfined, front: o.Front,
		publishedSeq: map[goal.ID]int64{}, modelTransport: model.NewTransport(), sessions: SessionRegistry{open: map[goal.ID]*Session{}},
	}
	if a.began.IsZero() {
		a.began = time.Now()
	}
	if a.clock == nil {
		a.clock = clock{}
	}
	a.panes = &panes{app: a, shares: map[string]*paneShare{}}
	a.browsing = &userBrowsing{app: a}
	a.sockets = &webSocketProxies{app: a}
	return a
}

// Open opens the database and everything else, or nothing. ctx bounds the
// start, not the program's life.
func (a *App) Open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close(context.WithoutCancel(ctx)))
		}
	}()
	if err := a.openSecrets(a.askPassphrase); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if a.store, err = store.Open(ctx, store.Options{Dir: a.cfg.State(), Publish: a.publish, Redact: a.mask.JSON, Now: a.clock.Now, Log: a.log}); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if a.helperPath, err = sandbox.Install(a.cfg.State()); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if a.userPrograms, err = sandbox.Open(ctx, sandbox.Options{Helper: a.helperPath, Name: "person"}); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	a.lifetime, a.end = context.WithCancel(context.WithoutCancel(ctx))
	a.terminals = terminal.NewManager(a.panes.onChange)
	if a.ssh, err = ssh.Open(ssh.Options{Launcher: a.userPrograms, Helper: a.helperPath, Env: a.userEnv(), OnState: a.onLinkState}); err != nil { //nolint:contextcheck // links live as long as the program, not as its start
		return fmt.Errorf("start: %w", err)
	}
	if a.denyAll, err = a.openDenyAllProxy(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	a.browsers = browser.New(browser.Config{
		Launcher: a.userPrograms, Dir: filepath.Join(a.cfg.State(), "browser"), OnChange: a.panes.onChange, OnPopup: a.panes.popupOptions, OnWindow: a.panes.onPopup,
		OnVisit: a.browsing.onVisit, Downloads: a.browsing.downloads, GoalFolder: a.browsing.goalFolder, OwnPorts: a.browsing.ownPorts, Logins: browserLogins{a.secrets.Logins()}, Log: a.log,
		ContextProxy: a.paneProxy, DenyAllProxy: a.denyAll.at, WebSocketProxy: a.sockets.proxy, Secrets: a.mask, NeedsFilter: a.pageFilters.active, FilterRequest: a.pageFilters.decide, OnRequest: a.pageFilters.onRequest,
	})
	a.stream, err = stream.Open(ctx, stream.Options{
		Log: a.log, Events: &a.broker, Terminals: streamTerminals{a}, Browsers: streamBrowsers{a}, FindRemotePane: a.dialPeerPane, Detached: a.serve,
	})
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	law, err := a.ruleSet()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	a.runner = runner.New(runner.Config{
		Journal: a.store, Open: a.openSession, Publish: a.broker.Publish, Clock: a.clock, Log: a.log, Slots: a.slots,
		Law: law, Patience: a.approvalTimeout,
		Disk:  func() (uint64, error) { return config.FreeBytes(a.cfg.State()) },
		Ended: a.cleanUpRun,
	})
	if a.peerServer, err = a.openPeerServer(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if a.wakeSocket, err = a.store.ListenWake(ctx, func(id goal.ID) { a.runner.Wake(id) }, a.peerServer.handleConn); err != nil {
		a.log.Warn("other processes cannot wake this one; what they ask is heard a little later", "error", err)
	}
	if a.followOthers {
		a.startFollowing(context.WithoutCancel(ctx))
		a.startNotifications(context.WithoutCancel(ctx))
	}
	a.log.Info("program open", "elapsed_ms", time.Since(a.began).Milliseconds())
	return nil
}

// Close pauses what runs as interrupted, ends every child and closes the
// database, in that order. It may be called at any time, once.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	a.closing.Store(true)
	if a.runner != nil {
		errs = append(errs, a.runner.Close(ctx))
	}
	a.modelTransport.CloseIdleConnections()
	if a.wakeSocket != nil {
		errs = append(errs, a.wakeSocket.Close())
	}
	if a.peerServer != nil {
		errs = append(errs, a.peerServer.shutdown(ctx))
	}
	if a.follow != nil {
		a.follow()
		a.stopNotifications()
		a.wg.Wait()
		a.peerPanes.work.Wait()
	}
	if a.stream != nil {
		errs = append(errs, a.stream.Close(ctx))
	}
	if a.browsers != nil {
		errs = append(errs, a.closeSessions(ctx), a.browsers.Close(ctx), a.sockets.close())
	}
	if a.denyAll != nil {
		errs = append(errs, a.denyAll.close())
	}
	errs = append(errs, a.stopSaving(ctx))
	if a.terminals != nil {
		errs = append(errs, a.terminals.CloseAll(ctx))
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

// BoundAPIs are the structs that are bound to the window and reached in serve. ctx
// is the program's life.
func (a *App) BoundAPIs(ctx context.Context) []any {
	return []any{
		a.GoalAPI(ctx), a.ApprovalAPI(ctx), api.NewTerminalAPI(ctx, a.panes), api.NewBrowserAPI(ctx, a.panes, a.browsing, a.store),
		api.NewWorkspaceAPI(ctx, a.panes, a.store), api.NewModelAPI(ctx, a.cfg, a), api.NewSettingsAPI(ctx, a.cfg, a), api.NewSSHAPI(ctx, a),
		api.NewMCPAPI(ctx, a), api.NewSecretAPI(ctx, a.secrets),
	}
}

// GoalAPI is the area of goals, which the command line uses too.
func (a *App) GoalAPI(ctx context.Context) *api.GoalAPI { return api.NewGoalAPI(ctx, a, a.store) }

// ApprovalAPI is the area of approvals, which the command line uses too.
func (a *App) ApprovalAPI(ctx context.Context) *api.ApprovalAPI {
	return api.NewApprovalAPI(ctx, a, a.store)
}

// Events subscribes to everything that happens here.
func (a *App) Events(buffer int) *event.Subscription { return a.broker.SubscribeReliable(buffer) }

// StopGoals pauses what runs as interrupted and waits for it.
func (a *App) StopGoals(ctx context.Context) error {
	if err := a.runner.Close(ctx); err != nil {
		return fmt.Errorf("stop goals: %w", err)
	}
	return nil
}

// Config is the folders and settings.
func (a *App) Config() *config.Config { return a.cfg }

// Store is the journal, for reading.
func (a *App) Store() *store.Store { return a.store }

// Stream serves the page's streams; serve mounts it behind its cookie.
func (a *App) Stream() *stream.Server { return a.stream }

// Done is closed when this process no longer runs the goal.
func (a *App) Done(id goal.ID) <-chan struct{} { return a.runner.Done(id) }

// ActiveGoals counts the goals that this process runs or has queued.
func (a *App) ActiveGoals() int { return a.runner.ActiveCount() }

func (a *App) now() time.Time { return a.clock.Now() }

type clock struct{}

func (clock) Now() time.Time                         { return time.Now() }
func (clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// The fits that the rest of the program relies on.
var (
	_ runner.Journal      = (*store.Store)(nil)
	_ runner.Session      = (*Session)(nil)
	_ api.Goals           = (*App)(nil)
	_ api.Panes           = (*panes)(nil)
	_ api.ProviderService = (*App)(nil)
	_ api.SSHServers      = (*App)(nil)
	_ api.Approvals       = (*App)(nil)
)

// Package app is the program without a window: it builds the object graph by hand and opens and closes it in
// order. The window, serve, the command line and the tests all use it.
package app

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/entry/editor"
	"goalpost/backend/entry/mcpserve"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/attention"
	"goalpost/backend/goals/calls"
	"goalpost/backend/goals/chats"
	"goalpost/backend/goals/doctor"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/keepawake"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/goals/mcpservers"
	"goalpost/backend/goals/models"
	"goalpost/backend/goals/network"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/schedules"
	"goalpost/backend/goals/session"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/host/update"
	"goalpost/backend/panes/stream"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/devices"
	"goalpost/backend/storage/library"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/store"
)

// defaultSlots is how many goals run at once unless the settings give a number.
const defaultSlots = 3

// Options configure the program.
type Options struct {
	Config  *config.Config
	Log     *slog.Logger
	Version string
	Page    fs.FS // the built page, for exports; nil if there is none
	// Stays reports that the program is long-lived: goals continue in it automatically, and it notifies the user.
	Stays bool
	// Attended reports that a user sits at this program's terminal and may answer approvals. With Stays a user
	// can always answer.
	Attended bool
	// Passphrase asks the user for the passphrase of the encrypted secrets. With nil only the page can supply
	// it.
	Passphrase func(context.Context) (string, error)
	// Rescue opens the goals' own folders if the database cannot be read; DatabaseProblem then says why. What is written
	// to the journal is discarded.
	Rescue bool
	// Began is when the process started, for the log; zero means now.
	Began time.Time
	// Engines replaces the external agents that may drive goals, in tests. With nil all supported ones may.
	Engines []engine.Profile
	// Clock replaces the real clock in tests; nil is the real one.
	Clock runner.Clock
	// ChatNetwork names the test's own servers; zero is the internet.
	ChatNetwork egress.Config
	// Slots is how many goals run at once; with 0 the settings decide.
	Slots int
	// Slowness gives pages the limits of tests on a machine that is this many times slower than a usual one; with 0 they
	// have those that suit a user's patience.
	Slowness int
	// Pace slows the scripted demonstration so that a user can follow it: the time between two words.
	Pace time.Duration
}

// App is the running program. All methods may be called concurrently after Open.
type App struct {
	Goals *lifecycle.Service // what can be done with goals

	options Options
	cfg     *config.Config
	log     *slog.Logger
	mask    *secret.Mask
	broker  event.Broker
	ports   *network.OwnPorts
	access  *access.Rules

	databaseProblem error // why the goals' own folders are used instead of the database

	secrets      *secret.Vault
	store        *store.Store
	userPrograms *sandbox.Supervisor // the user's terminals and Chromium
	models       *models.Providers
	library      *library.Library
	sandboxes    *goalsandbox.Factory
	mcpServers   *mcpservers.Servers
	denyAll      *network.DenyAllProxy
	sockets      *network.WebSocketProxies
	panes        *panes.Registry
	stream       *stream.Server
	sessions     *session.Registry
	chats        *chats.Service
	schedules    *schedules.Service
	runner       *runner.Runner
	notifier     *attention.Notifier
	keeper       *keepawake.Keeper
	powerLooks   *time.Ticker // of keeper
	webhooks     *attention.Webhooks
	looks        attention.Looks
	devices      *devices.List
	sharer       atomic.Pointer[Sharer] // nil if this process shares nothing
	updates      update.Checker
	endWatch     func() error // of the settings
}

// BoundAPIs returns the structs that Wails binds and serve exposes. ctx lasts as long as the program.
func (a *App) BoundAPIs(ctx context.Context) []any {
	return []any{
		a.GoalAPI(ctx),
		a.ApprovalAPI(ctx),
		a.ChangesAPI(ctx),
		a.ExportAPI(ctx),
		calls.NewWorktreeAPI(ctx, a.Goals),
		a.RaceAPI(ctx),
		calls.NewEngineAPI(ctx, a.Goals),
		calls.NewTerminalAPI(ctx, a.panes),
		calls.NewBrowserAPI(ctx, a.panes, a.store),
		calls.NewFileAPI(ctx, a.panes),
		calls.NewWorkspaceAPI(ctx, a.panes, a.store),
		a.ModelAPI(ctx),
		calls.NewSettingsAPI(ctx, a.doctor(), a.panes, a.StreamConnection),
		calls.NewLibraryAPI(ctx, a.library, a.cfg),
		a.MemoryAPI(ctx),
		calls.NewSSHAPI(ctx, a.panes.Servers),
		calls.NewMCPAPI(ctx, a.mcpServers),
		calls.NewSecretAPI(ctx, a.secrets),
		calls.NewSpendAPI(ctx, a.cfg, a.store.Spend, a.options.Clock.Now),
		calls.NewFiguresAPI(ctx, a.store.Outcomes),
		a.ChatAPI(ctx),
		a.ScheduleAPI(ctx),
		calls.NewWebhookAPI(ctx, a.webhooks),
		calls.NewDeviceAPI(ctx, a.devices, a.Sharing),
	}
}

// Looks returns what the user sees in connected pages.
func (a *App) Looks() *attention.Looks { return &a.looks }

// ShowGoalsIn sets the window in which notifications open their goals. The program must be open.
func (a *App) ShowGoalsIn(w attention.Window) {
	if a.notifier != nil {
		a.notifier.ShowGoalsIn(w)
	}
}

// Sharer lets other devices use the program at the address of the settings.
type Sharer interface {
	// Follow shares it there, and ends what is shared elsewhere.
	Follow(ctx context.Context)
	State() calls.Sharing
}

// ShareWith sets what shares the program, which follows the settings from then on. The program must be open.
func (a *App) ShareWith(ctx context.Context, s Sharer) {
	a.sharer.Store(&s)
	s.Follow(ctx)
}

func (a *App) followSharing(ctx context.Context) {
	if s := a.sharer.Load(); s != nil {
		(*s).Follow(ctx)
	}
}

// Sharing returns how other devices reach the program.
func (a *App) Sharing() calls.Sharing {
	if s := a.sharer.Load(); s != nil {
		return (*s).State()
	}
	return calls.Sharing{}
}

// Devices returns the browsers that are logged in.
func (a *App) Devices() *devices.List { return a.devices }

// ScheduleAPI returns the calls about schedules. The command line uses it too.
func (a *App) ScheduleAPI(ctx context.Context) *calls.ScheduleAPI {
	return calls.NewScheduleAPI(ctx, a.schedules, a.store)
}

// ActiveSchedules counts the schedules that are not off.
func (a *App) ActiveSchedules(ctx context.Context) int { return a.schedules.Count(ctx) }

// UnsentNotices counts the notifications that are held back until the quiet hours end, and the daily digest.
func (a *App) UnsentNotices() int {
	if a.notifier == nil {
		return 0
	}
	return a.notifier.CountUnsent()
}

// StartSchedules starts what is due, now and from now on. One process of a data folder does that.
func (a *App) StartSchedules(ctx context.Context) { a.schedules.Open(ctx) }

// ChatAPI returns the calls about chats. The command line uses it too.
func (a *App) ChatAPI(ctx context.Context) *calls.ChatAPI { return calls.NewChatAPI(ctx, a.chats) }

// MemoryAPI returns the calls about notes of folders.
func (a *App) MemoryAPI(ctx context.Context) *calls.MemoryAPI {
	return calls.NewMemoryAPI(ctx, a.store.Memory, a.access.ValidateExistingDir)
}

// CheckFolder returns why no goal and no chat may use a folder, nil if they may.
func (a *App) CheckFolder(dir string) error {
	_, err := a.access.ValidateExistingDir(dir)
	return err
}

// GoalAPI returns the calls about goals. The command line uses it too.
func (a *App) GoalAPI(ctx context.Context) *calls.GoalAPI {
	return calls.NewGoalAPI(ctx, a.Goals, a.store)
}

// ChangesAPI returns the calls about what goals changed. The command line uses it too.
func (a *App) ChangesAPI(ctx context.Context) *calls.ChangesAPI {
	return calls.NewChangesAPI(ctx, a.Goals.History, a.store)
}

// ExportAPI returns the calls that make files of goals. The command line uses it too.
func (a *App) ExportAPI(ctx context.Context) *calls.ExportAPI {
	return calls.NewExportAPI(ctx, calls.ExportDeps{
		Goals:   a.GoalAPI(ctx),
		Changes: a.ChangesAPI(ctx),
		Store:   a.store,
		Mask:    a.mask,
		Page:    a.options.Page,
		Version: a.options.Version,
		Now:     a.options.Clock.Now,
	})
}

// RaceAPI returns the calls about races. The command line uses it too.
func (a *App) RaceAPI(ctx context.Context) *calls.RaceAPI {
	return calls.NewRaceAPI(ctx, a.Goals, a.store)
}

// ApprovalAPI returns the calls about approvals. The command line uses it too.
func (a *App) ApprovalAPI(ctx context.Context) *calls.ApprovalAPI {
	return calls.NewApprovalAPI(ctx, a.Goals, a.store)
}

// Events subscribes to all events of this process.
func (a *App) Events(buffer int) *event.Subscription { return a.broker.SubscribeReliable(buffer) }

// Interrupt pauses a goal of this process as interrupted, and waits until it has stopped.
func (a *App) Interrupt(ctx context.Context, id goal.ID) error { return a.runner.Interrupt(ctx, id) }

// Version returns the version of the program.
func (a *App) Version() string { return a.options.Version }

// Config returns the folders and settings.
func (a *App) Config() *config.Config { return a.cfg }

// Store returns the journal, for reading.
func (a *App) Store() *store.Store { return a.store }

// Stream returns the server of the page's streams; serve mounts it behind its cookie.
func (a *App) Stream() *stream.Server { return a.stream }

// streamURL returns the address of the streams, "" while they are not served.
func (a *App) streamURL() string {
	if a.stream == nil {
		return ""
	}
	return a.stream.URL()
}

// StreamConnection returns what the page needs to reach the streams.
func (a *App) StreamConnection() calls.Connection {
	return calls.Connection{
		URL: a.stream.URL(), Token: a.stream.Token(),
		Version: a.options.Version, OS: runtime.GOOS, DataDir: a.cfg.State(), WorkDir: a.cfg.Work(),
	}
}

// RegisterOwnPort adds a port that this program listens on and that no page may reach.
func (a *App) RegisterOwnPort(port int) { a.ports.Register(port) }

// Done is closed once this process no longer runs the goal.
func (a *App) Done(id goal.ID) <-chan struct{} { return a.runner.Done(id) }

// ActiveGoals counts the goals that this process runs or has queued.
func (a *App) ActiveGoals() int { return a.runner.ActiveCount() }

// Panes lists the panes of this process.
func (a *App) Panes() []pane.Info { return a.panes.Snapshot().Panes }

// UnregisterOwnPort reverts one call of RegisterOwnPort.
func (a *App) UnregisterOwnPort(port int) { a.ports.Unregister(port) }

// MCPServers returns the user's MCP servers.
func (a *App) MCPServers() *mcpservers.Servers { return a.mcpServers }

// DatabaseProblem returns why the database is not used, see Options.Rescue; otherwise nil.
func (a *App) DatabaseProblem() error { return a.databaseProblem }

// Doctor examines what this machine offers. It tests everything again each time.
func (a *App) Doctor() []api.DoctorFinding {
	return a.doctor().Findings()
}

func (a *App) doctor() *doctor.Doctor {
	return &doctor.Doctor{
		Config:          a.cfg,
		Store:           a.store,
		DatabaseProblem: a.databaseProblem,
		Access:          a.access,
		Models:          a.models,
		Sandboxes:       a.sandboxes,
		MCPServers:      a.mcpServers,
		Programs:        a.userPrograms,
		Version:         a.options.Version,
		Updates:         &a.updates,
	}
}

// ModelAPI returns the calls about providers. The command line uses it too.
func (a *App) ModelAPI(ctx context.Context) *calls.ModelAPI {
	return calls.NewModelAPI(ctx, a.cfg, a.models)
}

// RestoreWorkspace reopens the user's terminals and saves them from now on.
func (a *App) RestoreWorkspace(ctx context.Context) error {
	return a.panes.Workspace.RestoreWorkspace(ctx)
}

// OpenTrialSandbox opens the sandbox that a goal would get, passes it to do, and then ends everything in it.
func (a *App) OpenTrialSandbox(ctx context.Context, p policy.Policy, do func(*goalsandbox.TrialSandbox) error) error {
	return a.sandboxes.OpenTrialSandbox(ctx, p, do)
}

// OpenMCPServer opens the server through which another agent drives Goalpost, within a policy.
func (a *App) OpenMCPServer(ctx context.Context, p policy.Policy) (*mcpserve.Server, error) {
	return mcpserve.Open(ctx, mcpserve.Deps{
		Version:   a.options.Version,
		Log:       a.log,
		Store:     a.store,
		Broker:    &a.broker,
		Access:    a.access,
		Panes:     a.panes,
		Sessions:  a.sessions,
		Sandboxes: a.sandboxes,
		Goals:     a.Goals,
	}, p)
}

// ServeEditor speaks with an editor over in and out until the editor closes its end. Goals of the editor get the given
// engine, or that of the settings if it is "", and at most the given risk.
func (a *App) ServeEditor(ctx context.Context, risk policy.Risk, engine string, in io.Reader, out io.Writer) error {
	return editor.Serve(ctx, editor.Deps{
		Version: a.options.Version,
		Log:     a.log,
		Store:   a.store,
		Broker:  &a.broker,
		Access:  a.access,
		Goals:   a.Goals,
		Changes: a.ChangesAPI(ctx),
		State:   a.cfg.State(),
		Risk:    risk,
		Engine:  engine,
	}, in, out)
}

var _ runner.Session = (*session.Session)(nil)

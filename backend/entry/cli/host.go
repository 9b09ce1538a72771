package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/entry/serve"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// hostCommands are the host process, and what is asked of it.
type hostCommands struct{ program Program }

// HostArguments start the host process for hostsocket.Client.Connect.
var HostArguments = []string{"host", "--started"}

func (h hostCommands) host() *cobra.Command {
	var idle time.Duration
	var isStarted bool
	c := &cobra.Command{
		Use: "host", Short: "Own the goals, terminals and pages of a data folder, and outlive the window",
		Long: "Own the goals, terminals and pages of a data folder. There is one host process for each data folder; the " +
			"first program that needs one starts it. It ends when nothing is left to own and no program is connected for the " +
			"time in the settings (host_idle_minutes).",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return h.runHost(c.Context(), idle, isStarted) },
	}
	c.Flags().DurationVar(&idle, "idle", 0, "end after this time with nothing to own and no program connected (default: "+
		"the setting)")
	c.Flags().BoolVar(&isStarted, "started", false, "the socket is inherited")
	_ = c.Flags().MarkHidden("started") // the flag exists
	c.AddCommand(h.status(), h.stop(), h.restart(), h.install())
	return c
}

func (h hostCommands) runHost(ctx context.Context, idle time.Duration, isStarted bool) error {
	const minIdle = 5 * time.Second
	if idle != 0 && idle < minIdle {
		return fault.Invalid("idle", "the host process cannot end that soon", "give --idle 5s or more")
	}
	var state string
	if err := h.program.withConfig(func(c *config.Config) error { state = c.State(); return nil }); err != nil {
		return err
	}
	place, err := hostsocket.Claim(ctx, state, isStarted)
	if err != nil {
		return err
	}
	err = h.program.withApp(ctx, app.Options{Stays: true, Pace: demoPace, Passphrase: askCaller}, func(a *app.App) error {
		s, shared, err := h.open(ctx, a, idle)
		if err != nil {
			return err
		}
		defer shared.Close(ctx)
		return h.program.serveUntilSignal(ctx, func(ctx context.Context) error { return s.Run(ctx, place) },
			func(context.Context) error { return nil })
	})
	if err != nil {
		place.Fail(err)
	}
	return errors.Join(err, place.Close())
}

// open restores what the last host left, makes the server, and shares what it serves with other devices.
func (h hostCommands) open(
	ctx context.Context, a *app.App, idle time.Duration,
) (s *hostsocket.Server, shared *sharing, err error) {
	if err := a.Goals.Recover(ctx); err != nil {
		return nil, nil, fmt.Errorf("recover: %w", err)
	}
	if err := a.RestoreWorkspace(ctx); err != nil {
		return nil, nil, fmt.Errorf("restore: %w", err)
	}
	a.StartSchedules(ctx)
	methods := func(env []string) (hostsocket.Methods, error) {
		ctx := ctx
		if env != nil {
			a.HideEnvironment(env)
			ctx = environ.With(ctx, env)
		}
		return serve.NewRegistry(a.BoundAPIs(ctx)...)
	}
	s, err = hostsocket.NewServer(hostsocket.Options{
		Version: a.Version(), Log: a.Config().Log(), Methods: methods,
		Streams: a.Stream().Handler(isAdmitted), Page: h.program.page(), Run: h.runFor(a),
		Owned: func() hostsocket.Owned { return countOwned(ctx, a) }, Keep: a.Goals.KeepForNextHost,
		Idle:         idleTime(a.Config(), idle),
		RegisterPort: a.RegisterOwnPort, UnregisterPort: a.UnregisterOwnPort,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("host: %w", err)
	}
	a.ShowGoalsIn(hostWindow{h.program, s})
	registry, err := serve.NewRegistry(a.BoundAPIs(ctx)...)
	if err != nil {
		return nil, nil, fmt.Errorf("host: %w", err)
	}
	shared = &sharing{program: h.program, app: a, methods: registry, log: a.Config().Log()}
	a.ShareWith(ctx, shared)
	return s, shared, nil
}

// idleTime returns what tells how long the host stays idle: the time that it was started with, or else the setting.
func idleTime(cfg *config.Config, given time.Duration) func() time.Duration {
	return func() time.Duration {
		if given != 0 {
			return given
		}
		if minutes := cfg.Settings().HostIdleMinutes; minutes != 0 {
			return time.Duration(minutes) * time.Minute
		}
		return hostsocket.NoIdleEnd
	}
}

// askCaller asks the program for which something is done. A page asks by itself.
func askCaller(ctx context.Context) (string, error) {
	c, ok := api.CallerOf(ctx)
	if !ok {
		return "", secret.ErrLocked
	}
	return c.AskPassphrase(ctx)
}

// isAdmitted admits every request: the socket admits only programs of this user.
func isAdmitted(*http.Request) bool { return true }

func countOwned(ctx context.Context, a *app.App) hostsocket.Owned {
	o := hostsocket.Owned{Goals: a.ActiveGoals(), Schedules: a.ActiveSchedules(ctx), Notices: a.UnsentNotices()}
	for _, info := range a.Panes() {
		switch {
		case !info.Running: // only its output is left, which is saved
		case info.Kind == pane.Terminal:
			o.Terminals++
		default:
			o.Pages++
		}
	}
	if a.Sharing().URL != "" {
		o.Shares = 1
	}
	return o
}

// withHost passes the client of the data folder's host.
func (h hostCommands) withHost(do func(*hostsocket.Client) error) error {
	state, err := config.StateDir(h.program.Getenv)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	client := hostsocket.NewClient(state, h.program.Version)
	defer client.Close()
	return do(client)
}

// connect finds the host process, and starts one if there is none.
func (p Program) connect(ctx context.Context, client *hostsocket.Client) (err error) {
	if p.Executable == "" {
		_, err = client.Find(ctx)
		return err
	}
	if err := p.withConfig(func(*config.Config) error { return nil }); err != nil { // makes the folder
		return err
	}
	_, err = client.Connect(ctx, p.Executable, HostArguments...)
	return err
}

func (h hostCommands) status() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "status", Short: "Show whether a host process runs, and what it owns",
		RunE: func(c *cobra.Command, _ []string) error {
			return h.withHost(func(client *hostsocket.Client) error {
				s, err := client.Status(c.Context())
				return h.program.printResult(c, s, err, func() error {
					return h.program.printf("Host process %d, version %s, since %s\nIt owns %s.\n", s.PID, s.Version,
						s.Began.Local().Format("Mon 15:04"), describeOwned(s.Owned))
				})
			})
		},
	})
}

// describeOwned lists what a host owns, such as "1 goal and 2 terminals".
func describeOwned(o hostsocket.Owned) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{
		{o.Goals, "active goal"},
		{o.Terminals, "terminal"},
		{o.Pages, "page"},
		{o.Schedules, "schedule"},
		{o.Notices, "unsent notification"},
		{o.Shares, "address for other devices"},
	} {
		if p.n > 0 {
			parts = append(parts, goal.FormatCount(p.n, p.word))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// hostEnd is a way to end the host process.
type hostEnd struct {
	end   func(*hostsocket.Client, context.Context) error
	ask   string // what it asks, with what the host owns
	after string // what becomes of that
}

func (h hostCommands) stop() *cobra.Command {
	how := hostEnd{
		(*hostsocket.Client).Stop, "End %s? Goals pause, and can be resumed.", "goals pause, and can be resumed",
	}
	return h.ending(how, &cobra.Command{
		Use: "stop", Short: "End the host process: its goals pause, its terminals and pages close",
	}, func(_ context.Context, _ *hostsocket.Client, pid int) error {
		return h.program.printf("The host process %d has ended.\n", pid)
	})
}

func (h hostCommands) restart() *cobra.Command {
	how := hostEnd{
		(*hostsocket.Client).StopForNext, "Restart %s? Goals continue; the programs in terminals end.",
		"goals continue; the programs in terminals end",
	}
	return h.ending(how, &cobra.Command{
		Use: "restart", Short: "End the host process and start another one, such as after an update: its goals continue",
	}, func(ctx context.Context, client *hostsocket.Client, _ int) error {
		if err := h.program.connect(ctx, client); err != nil {
			return err
		}
		s, err := client.Status(ctx)
		if err != nil {
			return err
		}
		return h.program.printf("Host process %d, version %s, owns %s.\n", s.PID, s.Version, describeOwned(s.Owned))
	})
}

// ending completes a command that ends the host process. then is called afterwards with its id.
func (h hostCommands) ending(
	how hostEnd, c *cobra.Command, then func(context.Context, *hostsocket.Client, int) error,
) *cobra.Command {
	yes := c.Flags().Bool("yes", false, "do not ask")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return h.withHost(func(client *hostsocket.Client) error {
			s, err := client.Status(c.Context())
			if err != nil {
				return err
			}
			what := describeOwned(s.Owned)
			switch {
			case *yes || s.IsEmpty():
			case !h.program.isTerminal(0):
				return fault.Invalid("", "the host process owns "+what, "pass --yes to end it; "+how.after)
			case !h.program.confirmAtTerminal(fmt.Sprintf(how.ask, what) + " [y/N] "):
				return h.program.printf("Nothing was stopped.\n")
			}
			if err := how.end(client, c.Context()); err != nil {
				return err
			}
			return then(c.Context(), client, s.PID)
		})
	}
	return c
}

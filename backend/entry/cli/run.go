package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// runCommand creates a goal and runs it.
type runCommand struct{ program Program }

// runFlags holds the flags of run as the user wrote them.
type runFlags struct {
	in        goal.Request
	criterion string
	template  templateFlags
	yes       bool
	baseURL   string
	window    int // of the model of baseURL, in tokens; 0 is unknown
	demo      bool
	detach    bool
	out       output
}

func (r runCommand) run() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [flags] OBJECTIVE", Short: "Create a goal and run it until it stops",
		Args: func(c *cobra.Command, args []string) error {
			if (f.demo || f.template.name != "") && len(args) == 0 {
				return nil
			}
			return checkArguments(c, args)
		},
		Example: "  " + r.program.Name + " run --check 'test -f done.txt' 'create done.txt'\n  " + r.program.Name +
			" run --demo",
	}
	fl := c.Flags()
	bindFlags(fl, f.in.Flags())
	fl.StringVar(&f.criterion, "criterion", "", "read the checks from this YAML file, which is shown before the start")
	setGroup(fl, goal.CheckFlags, "criterion")
	f.template.add(fl)
	fl.StringVar(&f.baseURL, "base-url", "",
		"a server, such as http://127.0.0.1:11434/v1, which is saved as a provider; providers add has more settings")
	setGroup(fl, goal.ModelFlags, "base-url")
	fl.BoolVar(&f.yes, "yes", false, "skip the confirmation of --criterion")
	fl.BoolVar(&f.demo, "demo", false, "the built-in offline demonstration (scripted, no AI)")
	fl.BoolVar(&f.detach, "detach", false,
		"start the goal, print its id and exit; the goal keeps running in the host process")
	f.addFormer(fl)
	f.out.add(fl)
	setGroup(fl, goal.ProcessFlags, "yes", "demo", "detach", "json", "no-wait")
	groupFlagsInHelp(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		err := f.template.apply(r.program, c.Flags(), &f.in, args)
		if err != nil {
			return err
		}
		in, err := f.request(r.program, args)
		if err == nil {
			err = r.loadCriterion(f, &in)
		}
		if err != nil {
			return err
		}
		return r.runGoal(c.Context(), f, in)
	}
	return c
}

// request converts the flags to the request that the dialog would send.
func (rf runFlags) request(p Program, args []string) (goal.Request, error) {
	in := rf.in
	if len(args) > 0 {
		in.Objective = args[0]
	}
	switch {
	case rf.demo && (in.Objective != "" || len(in.Checks) > 0 || rf.criterion != ""):
		return in, fault.Invalid("", "--demo cannot be combined with an objective or checks", "remove the other flags")
	case rf.detach && p.caller == nil:
		return in, fault.Invalid("", "--detach needs the host process, in which the goal keeps running",
			"leave out --no-host, or --detach")
	case rf.demo && (in.Model != "" || rf.baseURL != ""):
		return in, fault.Invalid("", "--demo cannot be combined with a model", "remove --base-url and --model")
	}
	if in.NewWorktree && in.Dir == "" {
		in.Dir = "."
	}
	return in, p.makePathsAbsolute(&in.Policy)
}

// makePathsAbsolute makes the paths of flags absolute: they are relative to the user's folder.
func (p Program) makePathsAbsolute(access *policy.Policy) error {
	from := func(path *string) error {
		if *path == "" || strings.HasPrefix(*path, "~") {
			return nil
		}
		abs, err := p.absolute(*path)
		*path = abs
		return err
	}
	if err := errors.Join(from(&access.Dir), from(&access.CheckDir)); err != nil {
		return err
	}
	for _, list := range [][]string{access.AllowRead, access.AllowWrite, access.AllowSocket} {
		for i := range list {
			if err := from(&list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveProvider saves the server of --base-url as a provider, so that this goal can be resumed and others can use the
// server. forget undoes that if the start is refused.
func (rf runFlags) saveProvider(c *config.Config, in *goal.Request) (forget func() error, err error) {
	if rf.baseURL == "" || rf.demo {
		return func() error { return nil }, nil
	}
	u, err := url.Parse(rf.baseURL)
	if err != nil || u.Host == "" {
		return nil, fault.Invalid("provider", fmt.Sprintf("--base-url %q is not an address", rf.baseURL),
			"give one like http://127.0.0.1:11434/v1")
	}
	in.Provider = u.Host
	forget = func() error { return c.DeleteProvider(u.Host) }
	_, err = c.ChangeProvider(u.Host, func(provider *config.Provider) error {
		if before := *provider; before.Kind != "" {
			forget = func() error { return c.SaveProvider(before) }
		}
		provider.BaseURL = rf.baseURL
		if provider.Kind == "" {
			provider.Kind = config.OpenAI
		}
		if in.Model != "" && in.Model != provider.Model { // the window belonged to another model
			provider.Model, provider.ContextWindow = in.Model, 0
		}
		if rf.window != 0 {
			provider.ContextWindow = rf.window
		}
		if provider.Model == "" {
			return fault.Invalid("model", "--base-url needs --model", "name the model as the server calls it")
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("--base-url: %w", err)
	}
	return forget, nil
}

func (r runCommand) runGoal(ctx context.Context, f runFlags, in goal.Request) error {
	preflight := preflightPrinter{program: r.program, isLimited: len(in.Work) > 0}
	return r.program.withApp(ctx, app.Options{
		Pace:     demoPace,
		Attended: r.program.isTerminal(0),
	}, func(a *app.App) error {
		if err := r.program.recover(ctx, a); err != nil {
			return err
		}
		if f.demo {
			demo := a.Goals.DemoInput()
			in.Objective, in.Checks, in.Provider = demo.Objective, demo.Checks, demo.Provider
		}
		begin := func(ctx context.Context) (runningGoal, error) {
			forget, err := f.saveProvider(a.Config(), &in)
			if err != nil {
				return runningGoal{}, err
			}
			r.program.printWork(in)
			r.program.confirmRunOutside(&in)
			defer preflight.announceSlow()()
			id, err := a.Goals.Start(api.WithPreflighted(ctx, preflight.print), in)
			preflight.stop()
			if err != nil {
				return runningGoal{}, errors.Join(fmt.Errorf("start: %w", err), forget())
			}
			return runningGoal{id: id}, nil
		}
		if f.detach {
			return liveView(r).detach(ctx, begin)
		}
		return liveView(r).follow(ctx, a, f.out, begin)
	})
}

// loadCriterion reads the checks of --criterion, after showing the whole file.
func (r runCommand) loadCriterion(f runFlags, in *goal.Request) error {
	if f.criterion == "" {
		return nil
	}
	path, err := r.program.absolute(f.criterion)
	if err != nil {
		return err
	}
	file, err := config.ReadCriterion(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &fault.Error{
			Code:    fault.NotFound,
			Message: "there is no criterion file " + f.criterion,
			Hint:    "name a YAML file, such as .goalpost/done.yaml in the goal's folder",
			Field:   "criterion",
		}
	}
	if err != nil {
		return fmt.Errorf("--criterion: %w", err)
	}
	r.program.errorf("%s proposes:\n", f.criterion)
	for line := range strings.Lines(file.Text) {
		r.program.errorf("  | %s\n", strings.TrimRight(line, "\r\n"))
	}
	r.program.errorf("meaning: done when %s\n", file.Criterion.Describe())
	if hosts := goalsandbox.CheckHosts(file.Criterion.Checks); len(hosts) > 0 {
		r.program.errorf("these checks may contact: %s\n", singleLine(strings.Join(hosts, ", ")))
	}
	if !f.yes && r.program.isTerminal(0) && !r.program.confirmAtTerminal("Use these checks? [y/N] ") {
		return fault.Invalid("criterion", "the criterion was not confirmed", "confirm it, or pass --yes; nothing was started")
	}
	in.Checks = append(in.Checks, file.Criterion.Checks...)
	in.Any = in.Any || file.Criterion.Any
	return nil
}

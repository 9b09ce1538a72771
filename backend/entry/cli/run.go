package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// runCommand creates a goal and runs it.
type runCommand struct{ program Program }

// runFlags holds the flags of run as the user wrote them.
type runFlags struct {
	in               goal.Request
	checks           checkFlags
	criterion        string
	yes              bool
	risk             string
	provider         providerFlags
	criticEvery      int
	review, noReview bool
	limits           limitFlags
	demo             bool
	out              output
	after            []string
	unconfined       bool
}

func (r runCommand) run() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [flags] OBJECTIVE", Short: "Create a goal and run it until it stops",
		Args: func(c *cobra.Command, args []string) error {
			if f.demo && len(args) == 0 {
				return nil
			}
			return checkArguments(c, args)
		},
		Example: "  " + r.program.Name + " run --check-shell 'test -f done.txt' 'create done.txt'\n  " + r.program.Name +
			" run --demo",
	}
	fl := c.Flags()
	f.checks.add(fl)
	fl.StringVar(&f.criterion, "criterion", "", "read the checks from this YAML file, which is shown before the start")
	fl.BoolVar(&f.yes, "yes", false, "skip the confirmation of --criterion")
	fl.BoolVar(&f.in.Any, "any", false, "one passing check is enough")
	fl.StringVar((*string)(&f.in.Require), "require", "",
		"the minimum assurance of the checks: strong, shared, judged or claimed (default: any)")
	fl.IntVar(&f.in.Runs, "runs", 0,
		"how many times in a row the command of a check must pass, to find flaky checks (default: once)")
	fl.BoolVar(&f.in.AllowPassing, "allow-passing", false, "allow checks that already pass")
	fl.BoolVar(&f.in.AllowMissing, "allow-missing", false, "allow checks whose program does not exist yet")
	fl.StringVar(&f.in.Dir, "dir", "", "the goal's folder, in which it works (default: a new one)")
	fl.BoolVar(&f.in.NewWorktree, "worktree", false,
		"work in a new git worktree of the folder's repository, on a branch of its own (default folder: the present one)")
	fl.StringVar(&f.risk, "risk", string(policy.WriteLocal), "maximum risk level: "+policy.RiskNames())
	fl.StringArrayVar(&f.in.AllowTools, "allow-tool", nil, "only these tools")
	fl.StringArrayVar(&f.in.DenyTools, "deny-tool", nil, "not these tools")
	fl.StringArrayVar(&f.in.AllowHosts, "allow-host", nil, "hosts that it may contact")
	fl.StringArrayVar(&f.in.DenyHosts, "deny-host", nil,
		"hosts that it never contacts, whatever else is allowed; *.NAME is every name below NAME")
	fl.IntSliceVar(&f.in.AllowLocal, "allow-local", nil, "loopback ports of this machine that it may reach")
	fl.StringArrayVar(&f.in.AllowWrite, "allow-write", nil, "another folder that it may write to")
	addWorkFlags(fl, &f.in.Policy)
	fl.StringVar((*string)(&f.in.CheckOutput), "check-output", "",
		"what the agent reads of a failing check: exit, names, full (default: full, or exit with --check-dir)")
	fl.BoolVar(&f.in.RunOutside, "yes-run-outside", false,
		"confirm that checks with --where host run code of the agent outside the sandbox")
	fl.StringArrayVar(&f.in.AllowRead, "allow-read", nil, "another file or folder that it may read")
	fl.StringArrayVar(&f.in.AllowSocket, "allow-socket", nil,
		"a Unix socket that it may use: the program behind it may give it all of your rights")
	fl.StringArrayVar(&f.in.Secrets, "secret", nil,
		"a secret that it may use as {{secret:NAME}} without asking; it never sees the value")
	fl.BoolVar(&f.in.RequireSteps, "require-steps", false, "require a declared step before each change")
	fl.StringArrayVar(&f.in.Protect, "protect", nil,
		"also protect files that match this pattern, relative to the folder, such as 'tests/**'")
	fl.StringArrayVar(&f.in.NoProtect, "no-protect", nil, "do not protect files that match this pattern")
	fl.StringArrayVar(&f.after, "after", nil, "run after this goal is completed")
	fl.StringArrayVar(&f.in.Panes, "pane", nil,
		"share a pane of the open window or of serve with the goal, such as t1; the goal then runs there")
	fl.StringVar(&f.in.Persona, "persona", "", "the agent's persona (default: engineer)")
	fl.StringVar(&f.in.OnAsk, "on-ask", "park",
		"what to do if nobody answers an approval: park (pause the goal), deny, allow")
	fl.IntVar(&f.criticEvery, "critic-every", goal.DefaultCriticEvery, "run the critic every N turns; 0 = no critic")
	fl.StringVar(&f.in.CriticProvider, "critic-provider", "", "id of the critic's provider (default: the goal's own)")
	fl.StringVar(&f.in.JudgeProvider, "judge-provider", "",
		"id of the provider that judges and reviews (default: the goal's own)")
	fl.BoolVar(&f.review, "review", false,
		"have an independent reviewer check claims that passed (default: if no deterministic check decides)")
	fl.BoolVar(&f.noReview, "no-review", false, "no reviewer")
	fl.BoolVar(&f.unconfined, "unconfined", false, "no sandbox: the goal's programs get all of your rights (journaled)")
	fl.StringVar(&f.in.Provider, "provider", "", "id of a provider (default: the active one)")
	f.provider.add(fl,
		"a server, such as http://127.0.0.1:11434/v1, which is saved as a provider; omitted fields are unchanged")
	fl.StringVar(&f.in.Model, "model", "", "the model's name")
	fl.StringVar(&f.in.Engine, "engine", "",
		"what drives the goal: model, or an external agent that engines lists (default: the one set there)")
	fl.StringVar(&f.in.Effort, "effort", "",
		"reasoning effort: low, medium, high, or another value of its server (default: the provider's own)")
	f.limits.add(fl, goal.DefaultLimits())
	fl.BoolVar(&f.demo, "demo", false, "the built-in offline demonstration (scripted, no AI)")
	f.out.add(fl)
	c.RunE = func(c *cobra.Command, args []string) error {
		in, err := f.startInput(args)
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

// startInput converts the flags to the input that the dialog would send.
func (rf runFlags) startInput(args []string) (goal.Request, error) {
	in := rf.in
	if len(args) > 0 {
		in.Objective = args[0]
	}
	if rf.demo && (in.Objective != "" || len(rf.checks.list) > 0 || rf.criterion != "") {
		return in, fault.Invalid("", "--demo cannot be combined with an objective or checks",
			"remove the other flags")
	}
	if err := rf.validateModel(); err != nil {
		return in, err
	}
	if rf.review && rf.noReview {
		return in, fault.Invalid("review", "--review and --no-review cannot be used together", "keep one of them")
	}
	in.Checks, in.Risk, in.CriticEvery = rf.checks.list, policy.Risk(rf.risk), int(limitValue(int64(rf.criticEvery)))
	switch {
	case rf.review:
		in.Review = goal.ReviewAlways
	case rf.noReview:
		in.Review = goal.ReviewNever
	}
	for _, id := range rf.after {
		in.After = append(in.After, goal.ID(id))
	}
	r, err := rf.limits.resume(func(string) bool { return true })
	if err != nil {
		return in, err
	}
	in.Limits = r.Limits
	if in.NewWorktree && in.Dir == "" {
		in.Dir = "."
	}
	return in, makePathsAbsolute(&in.Policy)
}

// makePathsAbsolute makes the paths of flags absolute: they are relative to the user's folder.
func makePathsAbsolute(p *policy.Policy) error {
	from := func(path *string) error {
		if *path == "" || strings.HasPrefix(*path, "~") {
			return nil
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("the path %s: %w", *path, err)
		}
		*path = abs
		return nil
	}
	if err := errors.Join(from(&p.Dir), from(&p.CheckDir)); err != nil {
		return err
	}
	for _, list := range [][]string{p.AllowRead, p.AllowWrite, p.AllowSocket} {
		for i := range list {
			if err := from(&list[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// validateModel refuses flags that name two models, or that need --base-url without it.
func (rf runFlags) validateModel() error {
	server := rf.provider.baseURL != ""
	switch {
	case rf.demo && (rf.in.Provider != "" || rf.in.Model != "" || server):
		return fault.Invalid("", "--demo cannot be combined with a model",
			"remove --provider, --base-url and --model")
	case rf.in.Provider != "" && server:
		return fault.Invalid("provider", "--provider and --base-url cannot be used together", "keep one of them")
	case server:
		return nil
	}
	for _, flag := range []string{"kind", "api-key-env", "api-key-secret", "context-window"} {
		if rf.provider.given(flag) {
			return fault.Invalid("provider", fmt.Sprintf("--%s needs a server", flag),
				"give --base-url too, or change a provider with providers add ID --"+flag)
		}
	}
	return nil
}

// saveProvider saves the server of --base-url as a provider, so that this goal can be resumed and others can use the
// server. forget undoes that if the start is refused.
func (rf runFlags) saveProvider(c *config.Config, in *goal.Request) (forget func() error, err error) {
	if rf.provider.baseURL == "" || rf.demo {
		return func() error { return nil }, nil
	}
	u, err := url.Parse(rf.provider.baseURL)
	if err != nil || u.Host == "" {
		return nil, fault.Invalid("provider", fmt.Sprintf("--base-url %q is not an address", rf.provider.baseURL),
			"give one like http://127.0.0.1:11434/v1")
	}
	in.Provider = u.Host
	forget = func() error { return c.DeleteProvider(u.Host) }
	_, err = c.ChangeProvider(u.Host, func(kept *config.Provider) error {
		if before := *kept; before.Kind != "" {
			forget = func() error { return c.SaveProvider(before) }
		}
		if rf.provider.applyTo(kept, in.Model); kept.Model == "" {
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
		Pace:        demoPace,
		Unconfined:  f.unconfined,
		Attended:    isTerminal(os.Stdin),
		Preflighted: preflight.print,
	}, func(a *app.App) error {
		if err := a.Goals.Recover(ctx); err != nil {
			return fmt.Errorf("recover: %w", err)
		}
		if f.demo {
			demo := a.Goals.DemoInput()
			in.Objective, in.Checks, in.Provider = demo.Objective, demo.Checks, demo.Provider
		}
		follow, begin := liveView(r).follow, a.Goals.Start
		if len(in.Panes) > 0 {
			in.Unconfined = f.unconfined
			follow, begin = liveView(r).followInOwner, a.StartInOwnerProcess
		}
		return follow(ctx, a, f.out, func(ctx context.Context) (runningGoal, error) {
			forget, err := f.saveProvider(a.Config(), &in)
			if err != nil {
				return runningGoal{}, err
			}
			if len(in.Panes) > 0 { // its pre-flight runs in the process that has the panes
				receiptCommand(r).printProtected(ctx, a, in)
			}
			r.program.printWork(in)
			r.program.confirmRunOutside(&in)
			defer preflight.announceSlow()()
			id, err := begin(ctx, in)
			preflight.stop()
			if err != nil {
				return runningGoal{}, errors.Join(fmt.Errorf("start: %w", err), forget())
			}
			return runningGoal{id: id}, nil
		})
	})
}

// loadCriterion reads the checks of --criterion, after showing the whole file.
func (r runCommand) loadCriterion(f runFlags, in *goal.Request) error {
	if f.criterion == "" {
		return nil
	}
	file, err := config.ReadCriterion(f.criterion)
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
	if !f.yes && isTerminal(os.Stdin) && !r.program.confirmAtTerminal("Use these checks? [y/N] ") {
		return fault.Invalid("criterion", "the criterion was not confirmed", "confirm it, or pass --yes; nothing was started")
	}
	in.Checks = append(in.Checks, file.Criterion.Checks...)
	in.Any = in.Any || file.Criterion.Any
	return nil
}

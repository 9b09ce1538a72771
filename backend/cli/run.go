package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/config"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// runFlags are the flags of run as the person wrote them.
type runFlags struct {
	in                       api.StartInput
	shell                    []string
	risk, baseURL, keyEnv    string
	kind                     string
	wallClock                time.Duration
	maxIterations, maxClaims int
	maxTokens                int64
	maxUSD                   float64
	demo, json, deltas       bool
}

func (p Program) run() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [flags] OBJECTIVE", Short: "Create a goal and run it to its exit", Args: cobra.MaximumNArgs(1),
		Example: "  " + p.Name + " run --check-shell 'test -f done.txt' 'create done.txt'\n  " + p.Name + " run --demo",
	}
	fl := c.Flags()
	fl.StringArrayVar(&f.shell, "check-shell", nil, "a command whose exit code decides (repeatable; all must pass)")
	fl.BoolVar(&f.in.Any, "any", false, "one passing check is enough")
	fl.BoolVar(&f.in.AllowPassing, "allow-passing", false, "take a check that passes already")
	fl.BoolVar(&f.in.AllowMissing, "allow-missing", false, "take a check whose program does not exist yet")
	fl.StringVar(&f.in.Dir, "dir", "", "sandbox folder and working folder (default: a new one)")
	fl.StringVar(&f.risk, "risk", string(policy.WriteLocal), "what it may do at most: "+policy.RiskNames())
	fl.StringArrayVar(&f.in.AllowTools, "allow-tool", nil, "only these tools")
	fl.StringArrayVar(&f.in.DenyTools, "deny-tool", nil, "not these tools")
	fl.StringArrayVar(&f.in.AllowHosts, "allow-host", nil, "hosts that it may contact")
	fl.StringVar(&f.in.Provider, "provider", "", "id of a provider (default: the active one)")
	fl.StringVar(&f.baseURL, "base-url", "", "an OpenAI-compatible server, such as http://127.0.0.1:11434/v1")
	fl.StringVar(&f.in.Model, "model", "", "the model's name")
	fl.StringVar(&f.keyEnv, "api-key-env", "", "environment variable that holds the key")
	fl.StringVar(&f.kind, "kind", string(config.OpenAI), "what the server speaks: openai")
	limits := goal.DefaultLimits()
	fl.DurationVar(&f.wallClock, "wall-clock", limits.WallClock, "how long it may take; 0 = no limit")
	fl.IntVar(&f.maxIterations, "max-iterations", limits.Iterations, "how many passes of the loop; 0 = no limit")
	fl.IntVar(&f.maxClaims, "max-claims", limits.ClaimsPerGate, "failed claims in a row on one check; 0 = no limit")
	fl.Int64Var(&f.maxTokens, "max-tokens", 0, "tokens in and out; 0 = no limit")
	fl.Float64Var(&f.maxUSD, "max-usd", 0, "money, where a price is known; 0 = no limit")
	fl.BoolVar(&f.demo, "demo", false, "the built-in offline demonstration (scripted, no AI)")
	fl.BoolVar(&f.json, "json", false, "one event per line on stdout, progress on stderr")
	fl.BoolVar(&f.deltas, "deltas", false, "with --json: also the model's text as it streams")
	c.RunE = func(c *cobra.Command, args []string) error {
		in, err := f.input(args)
		if err != nil {
			return err
		}
		return p.runGoal(c.Context(), f, in)
	}
	return c
}

// input turns the flags into what the dialog would send.
func (f runFlags) input(args []string) (api.StartInput, error) {
	in := f.in
	if len(args) > 0 {
		in.Objective = args[0]
	}
	if f.demo && (in.Objective != "" || len(f.shell) > 0) {
		return in, &api.Problem{Code: api.Refused, Message: "--demo brings its own objective and check", Hint: "leave the others out"}
	}
	for _, command := range f.shell {
		in.Checks = append(in.Checks, goal.Check{Type: goal.Shell, Command: command})
	}
	in.Risk = policy.Risk(f.risk)
	in.WallClockMS, in.Iterations, in.ClaimsPerGate = limit(f.wallClock.Milliseconds()), int(limit(int64(f.maxIterations))), int(limit(int64(f.maxClaims)))
	in.Tokens, in.USD = f.maxTokens, f.maxUSD
	if f.wallClock < 0 || f.maxIterations < 0 || f.maxClaims < 0 || f.maxTokens < 0 || f.maxUSD < 0 {
		return in, &api.Problem{Code: api.Refused, Message: "a limit is negative", Hint: "use 0 for no limit", Field: "limits"}
	}
	if in.Dir != "" && !strings.HasPrefix(in.Dir, "~") {
		dir, err := filepath.Abs(in.Dir)
		if err != nil {
			return in, fmt.Errorf("--dir: %w", err)
		}
		in.Dir = dir
	}
	return in, nil
}

func limit(n int64) int64 {
	if n == 0 {
		return api.NoLimit
	}
	return n
}

// remember keeps the server of --base-url as a provider, so that the goal can be
// resumed and the next one can use it. forget undoes it after a refusal.
func (f runFlags) remember(c *config.Config, in *api.StartInput) (forget func() error, err error) {
	if f.baseURL == "" || f.demo {
		return func() error { return nil }, nil
	}
	u, err := url.Parse(f.baseURL)
	if err != nil || u.Host == "" {
		return nil, &api.Problem{Code: api.Refused, Message: fmt.Sprintf("--base-url %q is not an address", f.baseURL), Hint: "give one like http://127.0.0.1:11434/v1", Field: "provider"}
	}
	if in.Model == "" {
		return nil, &api.Problem{Code: api.Refused, Message: "--base-url needs --model", Hint: "name the model as the server calls it", Field: "model"}
	}
	in.Provider = u.Host
	forget = func() error { return c.DeleteProvider(u.Host) }
	for _, before := range c.Providers() {
		if before.ID == u.Host {
			forget = func() error { return c.SaveProvider(before) }
		}
	}
	err = c.SaveProvider(config.Provider{ID: u.Host, Kind: config.Kind(f.kind), BaseURL: f.baseURL, Model: in.Model, APIKeyEnv: f.keyEnv})
	if err != nil {
		return nil, fmt.Errorf("--base-url: %w", err)
	}
	return forget, nil
}

func (p Program) runGoal(ctx context.Context, f runFlags, in api.StartInput) error {
	return p.started(ctx, app.Options{Pace: demoPace}, func(a *app.App) error {
		if err := a.Recover(ctx); err != nil {
			return fmt.Errorf("recover: %w", err)
		}
		if f.demo {
			risk, dir := in.Risk, in.Dir
			in = a.DemoInput()
			in.Risk, in.Dir = risk, dir
		}
		return p.follow(ctx, a, output{json: f.json, deltas: f.deltas}, func(ctx context.Context) (started, error) {
			forget, err := f.remember(a.Config(), &in)
			if err != nil {
				return started{}, err
			}
			id, err := a.Start(ctx, in)
			if err != nil {
				return started{}, errors.Join(fmt.Errorf("start: %w", err), forget())
			}
			return started{id: id}, nil
		})
	})
}

// demoPace lets a person follow the demonstration in a terminal.
const demoPace = 30 * time.Millisecond

func (p Program) resume() *cobra.Command {
	var o output
	c := &cobra.Command{
		Use: "resume ID", Short: "Continue a goal that stopped, with the same steps and numbers", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.started(c.Context(), app.Options{Pace: demoPace}, func(a *app.App) error {
				ctx := c.Context()
				if err := a.Recover(ctx); err != nil {
					return fmt.Errorf("recover: %w", err)
				}
				row, err := a.Store().Find(ctx, args[0])
				if err != nil {
					return fmt.Errorf("resume: %w", err)
				}
				return p.follow(ctx, a, o, func(ctx context.Context) (started, error) {
					return started{id: row.ID, seen: row.Seq}, errors.Join(a.Resume(ctx, row.ID)) // what the goal did before is not shown again
				})
			})
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "one event per line on stdout")
	c.Flags().BoolVar(&o.deltas, "deltas", false, "with --json: also the model's text as it streams")
	return c
}

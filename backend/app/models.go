package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/config"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/runner"
	"goalpost/backend/tools"
)

const (
	demoProvider = "demo"
	// demoWordDelay lets a user follow the demonstration.
	demoWordDelay      = 25 * time.Millisecond
	defaultTurnTimeout = 180 * time.Second // unless the user's settings say another
	reachTimeout       = 3 * time.Second
)

// chooseModel finds the provider and looks whether it can be reached.
func (a *App) chooseModel(ctx context.Context, g *goal.Goal, in api.StartInput) error {
	p, err := a.provider(in.Provider)
	if err != nil {
		return err
	}
	g.Provider, g.Model, g.Scripted = p.ID, p.Model, p.Kind == config.Demo
	if in.Model != "" {
		g.Model = in.Model
	}
	if err := validateEffort(p, g.Options.Effort); err != nil {
		return err
	}
	if p.Kind == config.Demo {
		g.Model = "demo (scripted, no AI)"
	} else {
		if g.Model == "" {
			return &fault.Error{Field: "model", Message: "no model is chosen", Hint: "name one, as the provider calls it"}
		}
		if err := checkReachable(ctx, p); err != nil {
			return err
		}
	}
	return errors.Join(a.validateSecondaryModel(ctx, "critic_provider", g.Options.CriticProvider, p), a.validateSecondaryModel(ctx, "judge_provider", g.Options.JudgeProvider, p))
}

// validateEffort refuses an effort for which the provider's protocol has no word.
func validateEffort(p config.Provider, effort string) error {
	words := model.Protocol(p.Kind).Efforts()
	switch {
	case effort == "" || slices.Contains(words, effort):
		return nil
	case len(words) == 0:
		return &fault.Error{Field: "effort", Message: "the scripted model knows no effort", Hint: "leave it out, or choose another provider"}
	}
	return &fault.Error{Field: "effort", Message: fmt.Sprintf("%s knows no effort %q", p.ID, effort), Hint: "use one of " + strings.Join(words, ", ") + ", or leave it out"}
}

// validateSecondaryModel refuses a critic or a judge that could not be asked when its time comes.
func (a *App) validateSecondaryModel(ctx context.Context, field, id string, own config.Provider) error {
	if id == "" || id == own.ID {
		return nil
	}
	p, err := a.provider(id)
	switch {
	case err != nil:
	case p.Kind == config.Demo:
		err = &fault.Error{Message: "the scripted model can judge nothing", Hint: "choose another provider"}
	case p.Model == "":
		err = &fault.Error{Message: fmt.Sprintf("the provider %q names no model", id), Hint: "name one in the settings"}
	default:
		err = checkReachable(ctx, p)
	}
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return &fault.Error{Field: field, Message: refusal.Message, Hint: refusal.Hint}
	}
	return err
}

// provider is the one with the given id, or the active one.
func (a *App) provider(id string) (config.Provider, error) {
	if id == demoProvider {
		return config.Provider{ID: demoProvider, Kind: config.Demo}, nil
	}
	for _, p := range a.cfg.Providers() {
		if p.ID == id || id == "" && p.Active {
			return p, nil
		}
	}
	if id == "" {
		return config.Provider{}, &fault.Error{Field: "provider", Message: "no model is configured", Hint: "add a provider in the settings or give --base-url and --model; --demo runs without one"}
	}
	return config.Provider{}, &fault.Error{Field: "provider", Message: fmt.Sprintf("there is no provider %q", id), Hint: "the settings and `providers list` show them"}
}

// checkReachable looks whether something listens at the provider's address, so that a
// goal is not created for a server that is off. Behind a proxy it cannot tell.
func checkReachable(ctx context.Context, p config.Provider) error {
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Hostname() == "" {
		return &fault.Error{Field: "provider", Message: fmt.Sprintf("%q is not an address", p.BaseURL), Hint: "give one like http://127.0.0.1:11434/v1"}
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); err != nil || proxy != nil {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	d := net.Dialer{Timeout: reachTimeout}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return &fault.Error{Field: "provider", Message: fmt.Sprintf("the model at %s cannot be reached: %v", p.BaseURL, rootCause(err)), Hint: "is the server running there?"}
	}
	if err := conn.Close(); err != nil {
		return fmt.Errorf("reach %s: %w", p.BaseURL, err)
	}
	return nil
}

func rootCause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// modelSet are the models of one goal's run.
type modelSet struct {
	runner.Models
	judge  model.Client // nil: nobody judges a scripted goal that names no judge
	window int          // of the judge's model in tokens
}

// openModels makes them, each retried and each wait journaled. A scripted goal has
// no critic: there is nothing to criticise in a script, and a script is no critic.
func (r *Session) openModels(ctx context.Context, g goal.Goal) (modelSet, error) {
	provider, err := r.app.provider(g.Provider)
	if err != nil {
		return modelSet{}, errorWithHint(err)
	}
	provider.Model = g.Model // the user may have named another than the provider's
	own := providerChoice{provider, g.Options.Effort}
	agent, err := r.openModel(ctx, "model", own)
	if err != nil {
		return modelSet{}, err
	}
	m := modelSet{Models: runner.Models{Agent: agent, Window: window(provider)}}
	if !g.Scripted {
		critic, err := r.chooseProvider(ctx, "critic", g.Options.CriticProvider, own)
		if err != nil {
			return modelSet{}, err
		}
		m.Critic, m.CriticModel, m.CriticWindow = critic.Client, critic.name, critic.window
	}
	if !g.Scripted || g.Options.JudgeProvider != "" && g.Options.JudgeProvider != own.ID {
		judge, err := r.chooseProvider(ctx, "judge", g.Options.JudgeProvider, own)
		if err != nil {
			return modelSet{}, err
		}
		m.judge, m.window = pausableModel{judge}, judge.window
	}
	return m, r.warnUnpriced(g, provider)
}

// warnUnpriced says where a limit of money cannot hold: what a model costs counts
// only where its price is known.
func (r *Session) warnUnpriced(g goal.Goal, own config.Provider) error {
	if g.Limits.USD <= 0 || g.Scripted {
		return nil
	}
	var free []string
	for _, id := range []string{own.ID, g.Options.CriticProvider, g.Options.JudgeProvider} {
		p := own
		if id != "" && id != own.ID {
			var err error
			if p, err = r.app.provider(id); err != nil {
				return errorWithHint(err)
			}
		}
		if !model.HasPrice(p.BaseURL, p.Model) && !slices.Contains(free, p.Model) {
			free = append(free, p.Model)
		}
	}
	if len(free) > 0 {
		r.warn("usd", fmt.Sprintf("no price is known for %s: what it costs is not counted, and the limit of $%.2f does not hold it; limit the tokens, too (--max-tokens)", strings.Join(free, ", "), g.Limits.USD))
	}
	return nil
}

// namedModel is a model with the name that its provider knows, and its window in tokens.
type namedModel struct {
	model.Client
	name   string
	window int
}

// Turn asks its own model, whatever the turn says.
func (m namedModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	t.Model = m.name
	return m.Client.Turn(ctx, t, delta)
}

// providerChoice is a provider with the effort that its model is asked for.
type providerChoice struct {
	config.Provider
	effort string // "" is the provider's own
}

// chooseProvider is the model of the provider with that id, or of the goal's own, which
// is asked for the goal's effort whatever its role.
func (r *Session) chooseProvider(ctx context.Context, role, id string, own providerChoice) (namedModel, error) {
	p := own
	if id != "" && id != own.ID {
		other, err := r.app.provider(id)
		if err != nil {
			return namedModel{}, fmt.Errorf("the %s: %w", role, err)
		}
		p = providerChoice{Provider: other}
	}
	m, err := r.openModel(ctx, role, p)
	return namedModel{m, p.Model, window(p.Provider)}, err
}

// pausableModel asks through the gate of the run, which a user's pause shuts.
type pausableModel struct{ model.Client }

func (m pausableModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	return runner.AskModel(ctx, m.Client, t, delta)
}

// openModel makes one model. How often the goal was parked for it outlives the run.
func (r *Session) openModel(ctx context.Context, role string, p providerChoice) (model.Client, error) {
	m, err := r.app.newClient(ctx, p)
	if err != nil {
		return nil, err
	}
	if r.parkCounters[role] == nil {
		r.parkCounters[role] = model.NewParkCounter(r.parkedInARow)
	}
	return model.Retry{
		Model: m, Clock: r.app.clock, TurnTimeout: r.app.turnTime(), Parks: r.parkCounters[role],
		OnWait: func(err error, d time.Duration) {
			r.warn(role, fmt.Sprintf("%v; trying again in %s", err, goal.FormatDuration(d)))
		},
	}, nil
}

// defaultTurnTimeout is how long a model may take for one turn.
func (a *App) turnTime() time.Duration {
	if m := a.cfg.Settings().TurnMinutes; m > 0 {
		return time.Duration(m) * time.Minute
	}
	return defaultTurnTimeout
}

// window is how many tokens the model's context holds, 0 for the script.
func window(p config.Provider) int {
	switch {
	case p.Kind == config.Demo:
		return 0
	case p.ContextWindow > 0:
		return p.ContextWindow
	}
	return model.ContextWindow(p.Model)
}

// validateWindow refuses a model whose window does not hold what every turn of a goal begins with.
func (a *App) validateWindow(g goal.Goal) error {
	p, err := a.provider(g.Provider)
	if err != nil {
		return err
	}
	p.Model = g.Model
	specs, err := tools.Specs(g.Policy.Dir)
	if err != nil {
		return fmt.Errorf("what the model is told: %w", err)
	}
	if w, needs := window(p), runner.MinContextWindow(g, specs); w > 0 && w < needs {
		return &fault.Error{
			Field:   "provider",
			Message: fmt.Sprintf("the model %s has a window of %d tokens, and a goal needs about %d for its rules and tools alone", g.Model, w, needs),
			Hint:    "choose a model with a larger window; if this one has it, correct the window in the provider's settings",
		}
	}
	return nil
}

// newClient is a client of a provider, without retries.
func (a *App) newClient(ctx context.Context, p providerChoice) (m model.Client, err error) {
	key, err := a.apiKey(ctx, p.Provider)
	if err != nil {
		return nil, err
	}
	o := model.Options{
		BaseURL: p.BaseURL, Model: p.Model, Effort: p.effort, APIKey: key, KeyName: cmp.Or(p.APIKeyEnv, p.APIKeySecret), Transport: a.modelTransport, Clock: a.clock,
	}
	switch p.Kind {
	case config.Demo:
		return model.Demo{Pace: a.pace, Server: staticServer()}, nil
	case config.OpenAI:
		m, err = model.NewOpenAI(o)
	case config.Anthropic:
		m, err = model.NewAnthropic(o)
	default:
		err = fmt.Errorf("unknown kind of provider %q", p.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", p.ID, err)
	}
	return redactingModel{m, a.mask}, nil
}

// TestProvider asks the model one short question.
func (a *App) TestProvider(ctx context.Context, id string) api.DoctorFinding {
	f := api.DoctorFinding{ID: "model", Title: "The model answers"}
	p, err := a.provider(id)
	if err == nil && p.Kind != config.Demo {
		err = checkReachable(ctx, p)
	}
	if err == nil && p.Kind == config.Demo {
		f.State, f.Detail = "ok", "scripted, no AI: it plays the demonstration only"
		return f
	}
	var reply goal.Reply
	if err == nil {
		var m model.Client
		if m, err = a.newClient(ctx, providerChoice{Provider: p}); err == nil {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			reply, err = m.Turn(ctx, goal.Turn{Model: p.Model, Messages: []goal.Message{{Role: goal.User, Text: "Reply with the word ready."}}}, nil)
		}
	}
	if err != nil {
		problem := api.ToProblem(err)
		f.State, f.Detail, f.Hint = "bad", problem.Message, problem.Hint
		return f
	}
	f.State, f.Detail = "ok", fmt.Sprintf("%s answered %q", p.Model, truncateWords(reply.Text))
	return f
}

func truncateWords(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

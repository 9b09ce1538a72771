// Package models finds the user's providers and makes clients for their models.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// Providers manages the user's providers. All methods may be called concurrently.
type Providers struct {
	Config  *config.Config
	Secrets *secret.Vault
	Mask    *secret.Mask
	Clock   runner.Clock
	Budget  *Budget

	Pace      time.Duration
	Transport *http.Transport // for all requests to models

	windows windowCache
}

const (
	DemoProvider = "demo"
	reachTimeout = 3 * time.Second
)

// Choose completes the goal's provider and model, and checks that the provider can be reached.
func (pr *Providers) Choose(ctx context.Context, g *goal.Goal) error {
	if own, others, _ := strings.Cut(g.Model, ","); others != "" {
		g.Model, g.Options.Fallbacks = strings.TrimSpace(own), nil
		for name := range strings.SplitSeq(others, ",") {
			if name = strings.TrimSpace(name); name != "" {
				g.Options.Fallbacks = append(g.Options.Fallbacks, name)
			}
		}
	}
	p, err := pr.Chosen(g.Provider, g.Model)
	if err != nil {
		return err
	}
	for _, name := range g.Options.Fallbacks {
		if err := pr.validateSecondaryModel(ctx, "model", name, p); err != nil {
			return err
		}
	}
	g.Provider, g.Model, g.Scripted = p.ID, p.Model, p.Kind == config.Demo
	if err := pr.chooseRoles(g, p); err != nil {
		return err
	}
	if err := validateEffort(p, g.Options.Effort); err != nil {
		return err
	}
	if p.Kind == config.Demo {
		g.Model = "demo (scripted, no AI)"
	} else {
		if g.Model == "" {
			return &fault.Error{Field: "model", Message: "no model is selected", Hint: "enter a model of the provider"}
		}
		if err := checkReachable(ctx, p); err != nil {
			return err
		}
	}
	var errs []error
	for _, r := range rolesOf(&g.Options) {
		errs = append(errs, pr.validateSecondaryModel(ctx, r.field, *r.model, p))
	}
	return errors.Join(errs...)
}

// Chosen returns the provider with an id, and its model with a name; "" is the default one. Without an id, the name may
// also be PROVIDER/MODEL or PROVIDER.
func (pr *Providers) Chosen(id, name string) (config.Provider, error) {
	name, _, _ = strings.Cut(name, ",") // fallbacks follow
	if id == "" && name != "" {
		if p, err := pr.Find(name, config.Provider{}); err == nil {
			return p, nil
		}
	}
	p, err := pr.Get(id)
	if err == nil && name != "" {
		p = WithModel(p, name)
	}
	return p, err
}

// ChooseOther returns the model that a goal is to use from now on, and those for while it is away, which follow commas.
// A name without a provider is a model of the goal's.
func (pr *Providers) ChooseOther(ctx context.Context, g goal.Goal, name string) (config.Provider, []string, error) {
	own, _, _ := strings.Cut(name, ",")
	g.Model, g.Options.Fallbacks = name, nil
	if _, err := pr.Find(strings.TrimSpace(own), config.Provider{}); err == nil {
		g.Provider = ""
	}
	if err := pr.Choose(ctx, &g); err != nil {
		return config.Provider{}, nil, err
	}
	if g.Scripted {
		return config.Provider{}, nil, fault.Invalid("model", "the scripted model cannot continue a goal",
			"choose another model")
	}
	p, err := pr.Get(g.Provider)
	return WithModel(p, g.Model), g.Options.Fallbacks, err
}

// validateEffort refuses an effort that the provider's protocol does not know.
func validateEffort(p config.Provider, effort string) error {
	words := model.Protocol(p.Kind).Efforts()
	switch {
	case effort == "" || slices.Contains(words, effort):
		return nil
	case len(words) == 0:
		return fault.Invalid("effort", "the scripted model has no effort setting", "leave it out, or choose another provider")
	}
	return fault.Invalid("effort", fmt.Sprintf("%s does not know the effort %q", p.ID, effort),
		"use one of "+strings.Join(words, ", ")+", or leave it out")
}

// validateSecondaryModel refuses a model that could not answer as a critic or a judge.
func (pr *Providers) validateSecondaryModel(ctx context.Context, field, name string, provider config.Provider) error {
	if name == "" {
		return nil
	}
	p, err := pr.Find(name, provider)
	if err == nil && p.ID == provider.ID {
		return nil
	}
	switch {
	case err != nil:
	case p.Kind == config.Demo:
		err = &fault.Error{Message: "the scripted model cannot judge", Hint: "choose another provider"}
	case p.Model == "":
		err = &fault.Error{
			Message: fmt.Sprintf("the provider %q names no model", name),
			Hint:    "name one in the settings, or PROVIDER/MODEL here",
		}
	default:
		err = checkReachable(ctx, p)
	}
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return &fault.Error{Field: field, Message: refusal.Message, Hint: refusal.Hint}
	}
	return err
}

// Get returns the provider with the given id, or the default one if id is "".
func (pr *Providers) Get(id string) (config.Provider, error) {
	if id == DemoProvider {
		return config.Provider{ID: DemoProvider, Kind: config.Demo}, nil
	}
	for _, p := range pr.Config.Providers() {
		if p.ID == id || id == "" && p.Active {
			return p, nil
		}
	}
	if id == "" {
		return config.Provider{}, &fault.Error{
			Field:   "provider",
			Message: "no model is connected",
			Hint:    "connect one in the settings",
			CommandHint: "connect one in the settings or with `goalctl providers add`, or give --base-url and --model; " +
				"--demo runs without one",
		}
	}
	return config.Provider{}, fault.Invalid("provider", fmt.Sprintf("there is no provider %q", id),
		"the settings show them").OnCommandLine("`goalctl providers list` shows them")
}

// Find returns the provider, with the model, that PROVIDER/MODEL or PROVIDER means; "" is the given provider.
func (pr *Providers) Find(name string, provider config.Provider) (config.Provider, error) {
	if name == "" {
		return provider, nil
	}
	if p, err := pr.Get(name); err == nil {
		return p, nil
	}
	id, rest, _ := strings.Cut(name, "/")
	p, err := pr.Get(cmp.Or(id, name))
	if err != nil {
		return p, err
	}
	return WithModel(p, cmp.Or(rest, p.Model)), nil
}

// checkReachable checks that a server listens at the provider's address, so that no goal is created for a server that
// is off. Behind a proxy it returns nil, because it cannot find out.
func checkReachable(ctx context.Context, p config.Provider) error {
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Hostname() == "" {
		return fault.Invalid("provider", fmt.Sprintf("%q is not an address", p.BaseURL),
			"give one like http://127.0.0.1:11434/v1")
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
		return fault.Invalid("provider", fmt.Sprintf("the model at %s cannot be reached: %v", p.BaseURL, rootCause(err)),
			"is the server running there?")
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

// Choice is a provider with the effort to request from its model.
type Choice struct {
	config.Provider
	Effort string // "" is the provider's default
}

// WithModel returns the provider with another model. It drops the price and the test of the provider's own model.
func WithModel(p config.Provider, name string) config.Provider {
	if p.Model != name {
		p.Model, p.Price, p.Test = name, nil, nil
	}
	return p
}

// silence returns how long a model may send nothing.
func (pr *Providers) silence() model.Silence {
	if m := pr.Config.Settings().SilenceMinutes; m > 0 {
		limit := time.Duration(m) * time.Minute
		return model.Silence{Start: limit, Between: limit}
	}
	return model.DefaultSilence()
}

// NewClient makes a client for a provider. It does not retry.
func (pr *Providers) NewClient(ctx context.Context, p Choice) (m model.Client, err error) {
	key, err := pr.apiKey(ctx, p.Provider)
	if err != nil {
		return nil, err
	}
	return pr.newClient(p, key)
}

// newClient makes a client for a provider with its key.
func (pr *Providers) newClient(p Choice, key string) (m model.Client, err error) {
	o := model.Options{
		BaseURL:   p.BaseURL,
		Model:     p.Model,
		Effort:    p.Effort,
		APIKey:    key,
		KeyName:   cmp.Or(p.APIKeyEnv, p.APIKeySecret),
		Transport: pr.Transport,
		Clock:     pr.Clock,
		Silence:   pr.silence(),
	}
	if p.Price != nil {
		o.Price = catalog.Price{In: p.Price.Input, Out: p.Price.Output, CacheRead: p.Price.CachedInput}
	}
	switch p.Kind {
	case config.Demo:
		return model.Demo{Pace: pr.Pace, Server: staticServer()}, nil
	case config.OpenAI:
		m, err = model.NewOpenAI(o)
	case config.OpenAIResponses:
		m, err = model.NewResponses(o)
	case config.Anthropic:
		m, err = model.NewAnthropic(o)
	default:
		err = fmt.Errorf("unknown kind of provider %q", p.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", p.ID, err)
	}
	return redactingModel{m, pr.Mask}, nil
}

// JudgeFor returns the model that judges in the pre-flight of a goal. It returns nil if there is none, as for the
// scripted model.
func (pr *Providers) JudgeFor(ctx context.Context, r goal.Request) judge.Model {
	p, err := pr.Chosen(r.Provider, r.Model)
	if r.Judge != "" {
		p, err = pr.Find(r.Judge, p)
	}
	if err != nil || p.ID == DemoProvider {
		return nil
	}
	m, err := pr.NewClient(ctx, Choice{Provider: p})
	if err != nil {
		return nil
	}
	return pr.Budget.Meter(m, p, Spender{Role: "judge"})
}

// apiKey returns a provider's key from the vault or the environment, "" if it needs none.
func (pr *Providers) apiKey(ctx context.Context, p config.Provider) (string, error) {
	key := environ.Get(ctx, p.APIKeyEnv)
	if p.APIKeySecret != "" {
		var err error
		if key, err = pr.Secrets.Get(ctx, p.APIKeySecret); err != nil {
			return "", fmt.Errorf("the key of the provider %s: %w", p.ID, err)
		}
	}
	pr.Mask.Add("[hidden: the key of the provider "+p.ID+"]", key)
	return key, nil
}

// redactingModel hides secrets in the texts for a model, and in its errors, because some servers repeat a key that they
// refuse.
type redactingModel struct {
	model.Client
	mask *secret.Mask
}

func (r redactingModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	t.System, t.Messages = r.mask.Text(t.System), slices.Clone(t.Messages)
	for i, m := range t.Messages {
		m.Text, m.Calls = r.mask.Text(m.Text), slices.Clone(m.Calls)
		for j, c := range m.Calls {
			m.Calls[j].Arguments = string(r.mask.JSON([]byte(c.Arguments)))
		}
		t.Messages[i] = m
	}
	reply, err := r.Client.Turn(ctx, t, delta)
	if e, ok := model.AsError(err); ok {
		masked := *e
		masked.Message, masked.Hint = r.mask.Text(e.Message), r.mask.Text(e.Hint)
		if masked.Message != e.Message || masked.Hint != e.Hint {
			return reply, &masked
		}
	}
	return reply, err
}

// staticServer returns a command line that serves the current folder on a free loopback port and prints the address. It
// runs this program, so that the demonstration needs nothing else on the machine.
func staticServer() string {
	self, err := os.Executable()
	if err != nil {
		self = "goalpost"
	}
	return shell.Quote(self) + " static ."
}

// windowRetryInterval is how long to wait before asking a server again if it did not report a model's window.
const windowRetryInterval = 10 * time.Minute

// windowCache stores the context windows that servers reported.
type windowCache struct {
	mu      sync.Mutex
	windows map[[2]string]reportedWindow // by base URL and model
}

// reportedWindow is the answer of a server; tokens are 0 if it did not report the window.
type reportedWindow struct {
	tokens int
	until  time.Time // when an answer without tokens expires; others do not expire
}

// find returns an answer that has not expired.
func (w *windowCache) find(at [2]string, now time.Time) (tokens int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one, ok := w.windows[at]
	return one.tokens, ok && (one.tokens > 0 || now.Before(one.until))
}

func (w *windowCache) store(at [2]string, tokens int, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.windows == nil {
		w.windows = map[[2]string]reportedWindow{}
	}
	w.windows[at] = reportedWindow{tokens, now.Add(windowRetryInterval)}
}

package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/config"
	"goalpost/backend/goal"
	"goalpost/backend/model"
)

const (
	demoProvider = "demo"
	// demoPace lets a person follow the demonstration.
	demoPace     = 25 * time.Millisecond
	turnTimeout  = 180 * time.Second
	reachTimeout = 3 * time.Second
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
	if p.Kind == config.Demo {
		g.Model = "demo (scripted, no AI)"
		return nil
	}
	if g.Model == "" {
		return &goal.Refusal{Field: "model", Reason: "no model is chosen", Hint: "name one, as the provider calls it"}
	}
	return reach(ctx, p)
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
		return config.Provider{}, &goal.Refusal{Field: "provider", Reason: "no model is configured", Hint: "add a provider in the settings or give --base-url and --model; --demo runs without one"}
	}
	return config.Provider{}, &goal.Refusal{Field: "provider", Reason: fmt.Sprintf("there is no provider %q", id), Hint: "the settings list them"}
}

// reach looks whether something listens at the provider's address, so that a
// goal is not created for a server that is off. Behind a proxy it cannot tell.
func reach(ctx context.Context, p config.Provider) error {
	u, err := url.Parse(p.BaseURL)
	if err != nil || u.Hostname() == "" {
		return &goal.Refusal{Field: "provider", Reason: fmt.Sprintf("%q is not an address", p.BaseURL), Hint: "give one like http://127.0.0.1:11434/v1"}
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
		return &goal.Refusal{Field: "provider", Reason: fmt.Sprintf("the model at %s cannot be reached: %v", p.BaseURL, cause(err)), Hint: "is the server running there?"}
	}
	if err := conn.Close(); err != nil {
		return fmt.Errorf("reach %s: %w", p.BaseURL, err)
	}
	return nil
}

func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// modelOf makes the model of a goal's run: retried, and each wait journaled.
func (a *App) modelOf(_ context.Context, g goal.Goal, warn func(what, text string)) (model.Turner, error) {
	p, err := a.provider(g.Provider)
	if err != nil {
		return nil, err
	}
	m, err := a.turner(p)
	if err != nil {
		return nil, err
	}
	return model.Retry{
		Model: m, Clock: a.clock, TurnTimeout: turnTimeout,
		OnWait: func(err error, d time.Duration) {
			warn("model", fmt.Sprintf("%v; trying again in %s", err, d.Round(100*time.Millisecond)))
		},
	}, nil
}

func (a *App) turner(p config.Provider) (model.Turner, error) {
	if p.Kind == config.Demo {
		return model.Demo{Pace: a.pace, Server: staticServer()}, nil
	}
	m, err := model.NewOpenAI(model.Options{BaseURL: p.BaseURL, Model: p.Model, APIKey: os.Getenv(p.APIKeyEnv), KeyName: p.APIKeyEnv})
	if err != nil {
		return nil, fmt.Errorf("provider %s: %w", p.ID, err)
	}
	return m, nil
}

// TestProvider asks the model one short question.
func (a *App) TestProvider(ctx context.Context, id string) api.Finding {
	f := api.Finding{ID: "model", Title: "The model answers"}
	p, err := a.provider(id)
	if err == nil && p.Kind != config.Demo {
		err = reach(ctx, p)
	}
	if err == nil && p.Kind == config.Demo {
		f.State, f.Detail = "ok", "scripted, no AI: it plays the demonstration only"
		return f
	}
	var reply goal.Reply
	if err == nil {
		var m model.Turner
		if m, err = a.turner(p); err == nil {
			ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
			defer cancel()
			reply, err = m.Turn(ctx, goal.Turn{Model: p.Model, Messages: []goal.Message{{Role: goal.User, Text: "Reply with the word ready."}}}, nil)
		}
	}
	if err != nil {
		problem := api.ProblemOf(err)
		f.State, f.Detail, f.Hint = "bad", problem.Message, problem.Hint
		return f
	}
	f.State, f.Detail = "ok", fmt.Sprintf("%s answered %q", p.Model, firstWords(reply.Text))
	return f
}

func firstWords(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

package models

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// windowTimeout bounds how long a server may take to report the context window of a model.
const windowTimeout = 3 * time.Second

// Window returns the size of the model's context in tokens, 0 for the scripted model. It asks the server only if no
// other source knows it.
func (pr *Providers) Window(ctx context.Context, p config.Provider) int {
	tokens, from := pr.findWindow(ctx, p)
	if from != "" {
		return tokens
	}
	return model.DefaultContextWindow
}

// findWindow returns the context window of a provider's model in tokens, and its source: user, server or catalog. from
// is "" if the window is unknown. For the scripted model tokens is 0.
func (pr *Providers) findWindow(ctx context.Context, p config.Provider) (tokens int, from string) {
	switch {
	case p.Kind == config.Demo:
		return 0, "user"
	case p.ContextWindow > 0:
		return p.ContextWindow, "user"
	case p.Test != nil && p.Test.Model == p.Model && p.Test.Window > 0:
		return p.Test.Window, "server"
	}
	if tokens, isKnown := model.ContextWindow(p.BaseURL, p.Model); isKnown {
		return tokens, "catalog"
	}
	if tokens = pr.askWindow(ctx, p); tokens > 0 {
		return tokens, "server"
	}
	return 0, ""
}

// askWindow asks the server for the context window of a model; 0 if the server does not report it. It caches answers,
// but not that a server cannot be reached.
func (pr *Providers) askWindow(ctx context.Context, p config.Provider) int {
	at := [2]string{p.BaseURL, p.Model}
	if tokens, ok := pr.windows.find(at, pr.Clock.Now()); ok {
		return tokens
	}
	key, err := pr.apiKey(ctx, p)
	if err != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, windowTimeout)
	defer cancel()
	s := server{p, key, pr.Transport}
	tokens := s.loadedWindow(ctx, p.Model)
	if tokens == 0 {
		list, err := s.listModels(ctx)
		if err != nil {
			return 0
		}
		for _, m := range list {
			if m.id == p.Model {
				tokens = m.window
			}
		}
	}
	pr.windows.store(at, tokens, pr.Clock.Now())
	return tokens
}

// ValidateWindow refuses a model whose context is too small for the rules and tools at the beginning of each turn.
func (pr *Providers) ValidateWindow(ctx context.Context, g goal.Goal) error {
	p, err := pr.Get(g.Provider)
	if err != nil {
		return err
	}
	p = WithModel(p, g.Model)
	specs, err := tools.Specs(g.Policy.Dir)
	if err != nil {
		return fmt.Errorf("the tools: %w", err)
	}
	if w, needs := pr.Window(ctx, p), runner.MinContextWindow(g, specs); w > 0 && w < needs {
		return &fault.Error{
			Field: "provider",
			Message: fmt.Sprintf(
				"the model %s has a window of %d tokens, but a goal needs about %d for its rules and tools alone", g.Model, w,
				needs),
			Hint: "choose a model with a larger window, or correct the window in the provider's settings",
		}
	}
	return nil
}

package models

import (
	"context"
	"net/url"
	"sync"
	"time"

	"goalpost/backend/config"
	"goalpost/backend/model"
	"goalpost/backend/model/catalog"
)

// windowTimeout is how long a server may take to tell the context window of a model.
const windowTimeout = 3 * time.Second

// unknownWindowTime is how long a server that did not tell the window of a model is not asked again.
const unknownWindowTime = 10 * time.Minute

// windowCache has what servers reported of context windows.
type windowCache struct {
	mu    sync.Mutex
	known map[[2]string]reportedWindow // by base URL and model
}

// reportedWindow is the answer of a server; tokens are 0 if it did not tell the window.
type reportedWindow struct {
	tokens int
	until  time.Time // of an answer without tokens; others hold as long as the program runs
}

// find returns an answer that still holds.
func (c *windowCache) find(at [2]string, now time.Time) (tokens int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.known[at]
	return one.tokens, ok && (one.tokens > 0 || now.Before(one.until))
}

func (c *windowCache) store(at [2]string, tokens int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[[2]string]reportedWindow{}
	}
	c.known[at] = reportedWindow{tokens, now.Add(unknownWindowTime)}
}

// Window returns the size of the model's context in tokens, 0 for the scripted model. It asks the server if nothing
// else is known.
func (ps *Providers) Window(ctx context.Context, p config.Provider) int {
	tokens, from := ps.findWindow(ctx, p)
	if from != "" {
		return tokens
	}
	return model.DefaultContextWindow
}

// findWindow returns the context window of a provider's model in tokens, and who says so: user, server or catalog. Both
// are zero for the scripted model; otherwise from is "" if nothing is known.
func (ps *Providers) findWindow(ctx context.Context, p config.Provider) (tokens int, from string) {
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
	if tokens = ps.askWindow(ctx, p); tokens > 0 {
		return tokens, "server"
	}
	return 0, ""
}

// askWindow asks the server for the context window of a model; 0 if it does not tell it. Answers are cached; a server
// that cannot be reached is asked again.
func (ps *Providers) askWindow(ctx context.Context, p config.Provider) int {
	at := [2]string{p.BaseURL, p.Model}
	if tokens, ok := ps.windows.find(at, ps.Clock.Now()); ok {
		return tokens
	}
	key, err := ps.apiKey(ctx, p)
	if err != nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, windowTimeout)
	defer cancel()
	s := server{p, key, ps.Transport}
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
	ps.windows.store(at, tokens, ps.Clock.Now())
	return tokens
}

// HasPrice reports whether the cost of a provider's model is counted: it has a price, costs nothing, or the server
// reports the cost of each turn. Without, a limit of money does not hold.
func (ps *Providers) HasPrice(p config.Provider) bool {
	if preset, ok := config.FindPreset(p.Preset); ok && preset.IsLocal && isLoopback(p.BaseURL) {
		return true
	}
	if p.Kind == config.Demo || p.Price != nil || reportsCost(p.BaseURL) {
		return true
	}
	m, ok := catalog.Find(p.BaseURL, p.Model)
	return ok && m.Price.IsKnown()
}

// reportsCost reports whether a server is known to send the cost of each turn.
func reportsCost(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	for _, p := range config.Presets() {
		if own, err := url.Parse(p.BaseURL); err == nil && p.ReportsCost && own.Host == u.Host {
			return true
		}
	}
	return u.Host == "ai-gateway.vercel.sh"
}

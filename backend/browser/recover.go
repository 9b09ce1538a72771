package browser

import (
	"context"
	"time"
)

// A Chromium that ends unexpectedly is started again at most so often within limits.restarts.
const restarts = 3

// mayRestart counts the end of a process and reports whether to start it again. The caller holds
// mu of the manager.
func (e *browserProcess) mayRestart(now time.Time) bool {
	kept := e.ends[:0]
	for _, t := range e.ends {
		if now.Sub(t) < e.m.limits.restarts {
			kept = append(kept, t)
		}
	}
	e.ends = append(kept, now)
	return len(e.ends) <= restarts
}

// reloadPanes loads the pages of a Chromium that ended in a new one.
func (m *Manager) reloadPanes(lost []*Pane) {
	for _, p := range lost {
		if p.Info().Inspects != "" {
			continue // developer tools close with the page that they knew
		}
		p.state.runAsync(func(ctx context.Context) error {
			address := p.Info().URL
			if err := p.attachNew(ctx); err != nil {
				return err
			}
			words := "the browser ended unexpectedly and was started again"
			if address != "about:blank" {
				if err := p.navigation.navigate(ctx, address); err != nil {
					return err
				}
				words += "; the page was loaded again, without what was typed into it"
			}
			p.state.showNotice("%s", words)
			return nil
		})
	}
}

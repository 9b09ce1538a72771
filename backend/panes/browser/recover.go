package browser

import (
	"context"
	"time"
)

// maxRestarts limits the restarts of a Chromium that ends unexpectedly, within limits.restartWindow.
const maxRestarts = 3

// mayRestart counts the end of a process and reports whether to start it again. The caller holds
// mu of the manager.
func (b *browserProcess) mayRestart(now time.Time) bool {
	recent := b.ends[:0]
	for _, t := range b.ends {
		if now.Sub(t) < b.m.limits.restartWindow {
			recent = append(recent, t)
		}
	}
	b.ends = append(recent, now)
	return len(b.ends) <= maxRestarts
}

// reloadPanes reloads the pages of a Chromium that ended, in a new Chromium.
func (m *Manager) reloadPanes(panes []*Pane) {
	for _, p := range panes {
		if p.State.Info().Inspects != "" {
			continue // developer tools close with the page that they knew
		}
		p.State.runAsync(func(ctx context.Context) error {
			address := p.State.Info().URL
			if err := p.attachNew(ctx); err != nil {
				return err
			}
			words := "the browser ended unexpectedly and was started again"
			if address != "about:blank" {
				if err := p.Navigation.navigate(ctx, address); err != nil {
					return err
				}
				words += "; the page was loaded again, without what was typed into it"
			}
			p.State.showNotice("%s", words)
			return nil
		})
	}
}

package browser

import "github.com/go-rod/rod/lib/proto"

// userAgent returns the user agent with which pages of the user load, "" for Chromium's own. Pages of goals always have
// Chromium's own.
func (s *State) userAgent() string {
	if s.goalID != "" || s.isTools || s.scriptless || s.m.cfg.UserAgent == nil {
		return ""
	}
	return s.m.cfg.UserAgent()
}

// ApplyUserAgent gives the open pages of the user the user agent of the configuration. Their next documents have it.
func (m *Manager) ApplyUserAgent() {
	for _, info := range m.List() {
		p, ok := m.Get(info.ID)
		if !ok {
			continue
		}
		agent := p.State.userAgent()
		p.State.mu.Lock()
		pages := p.frames.pageAndFrames()
		p.State.mu.Unlock()
		for _, pg := range pages {
			pg.Post(proto.EmulationSetUserAgentOverride{UserAgent: agent})
		}
	}
}

package models

import (
	"net/url"

	"goalpost/backend/agent/model/catalog"
	"goalpost/backend/storage/config"
)

// HasPrice reports whether the cost of a provider's model is known: it has a price, it is free, or the server reports
// the cost of each turn. Otherwise spending limits have no effect.
func (pr *Providers) HasPrice(p config.Provider) bool {
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
		if base, err := url.Parse(p.BaseURL); err == nil && p.ReportsCost && base.Host == u.Host {
			return true
		}
	}
	return u.Host == "ai-gateway.vercel.sh"
}

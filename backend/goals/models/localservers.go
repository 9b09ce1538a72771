package models

import (
	"context"
	"sync"
	"time"

	"goalpost/backend/goals/api"
	"goalpost/backend/storage/config"
)

// probeTimeout bounds how long a local server may take to answer.
const probeTimeout = 700 * time.Millisecond

// FindServers looks for model servers on the usual ports of 127.0.0.1, on all at once.
func (pr *Providers) FindServers(ctx context.Context) []api.FoundServer {
	var presets []config.Preset
	for _, p := range config.Presets() {
		if p.IsLocal {
			presets = append(presets, p)
		}
	}
	return pr.probeServers(ctx, presets)
}

// probeServers returns the servers at the presets' addresses that answer with a list of models.
func (pr *Providers) probeServers(ctx context.Context, presets []config.Preset) []api.FoundServer {
	answers := make([]*api.FoundServer, len(presets))
	var all sync.WaitGroup
	for i, preset := range presets {
		all.Go(func() { answers[i] = pr.probeServer(ctx, preset) })
	}
	all.Wait()
	found := []api.FoundServer{}
	for _, f := range answers {
		if f != nil {
			found = append(found, *f)
		}
	}
	return found
}

// probeServer returns the server at a preset's address, nil if none answers with a list of models.
func (pr *Providers) probeServer(ctx context.Context, preset config.Preset) *api.FoundServer {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	p := config.Provider{ID: preset.ID, Kind: preset.Kind, BaseURL: preset.BaseURL}
	// Request nothing but the list, because other programs use the same ports.
	s := server{p, "", pr.Transport}
	body, err := s.get(ctx, preset.BaseURL+"/models")
	if err != nil {
		return nil
	}
	list, err := parseModels(body)
	if err != nil {
		return nil
	}
	f := &api.FoundServer{Preset: preset.ID, Name: preset.Name, BaseURL: preset.BaseURL, Models: []string{}}
	for _, m := range list {
		f.Models = append(f.Models, m.id)
	}
	return f
}

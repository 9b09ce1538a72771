package session

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"goalpost/backend/agent/tools"
	"goalpost/backend/agent/tools/websearch"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// searchEngine is the search engine of the settings. It reads the settings again for each query.
type searchEngine struct {
	config  *config.Config
	secrets *secret.Vault
	mask    *secret.Mask
}

// searchTool returns the user's search engine, nil if none is set up.
func (reg *Registry) searchTool() tools.Search {
	if !reg.Config.Settings().HasWebSearch() {
		return nil
	}
	return searchEngine{reg.Config, reg.Secrets, reg.Mask}
}

func (s searchEngine) engine() websearch.Engine {
	settings := s.config.Settings()
	return websearch.Engine{Kind: settings.WebSearch, Address: settings.WebSearchAddress}
}

// Server returns the host and the port to which a query is sent.
func (s searchEngine) Server() (host, port string) {
	u, err := url.Parse(s.engine().BaseURL())
	if err != nil {
		return "", ""
	}
	switch port = u.Port(); {
	case port != "":
	case u.Scheme == "http":
		port = "80"
	default:
		port = "443"
	}
	return u.Hostname(), port
}

// Search sends a query from this process, so that the goal's programs never see the key.
func (s searchEngine) Search(ctx context.Context, query string, count int) ([]websearch.Hit, error) {
	e := s.engine()
	if name := s.config.Settings().WebSearchSecret; name != "" {
		key, err := s.secrets.Get(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("the key of the search engine: %w", err)
		}
		s.mask.Add("[hidden: the key of the search engine]", key)
		e.Key = key
	}
	e.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	hits, err := e.Search(ctx, query, count)
	if err != nil {
		return nil, fmt.Errorf("web search: %w", err)
	}
	return hits, nil
}

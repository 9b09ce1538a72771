package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/agent/tools/websearch"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Search is the search engine that the user set up.
type Search interface {
	// Server returns the host and the port to which queries are sent.
	Server() (host, port string)
	Search(ctx context.Context, query string, count int) ([]websearch.Hit, error)
}

const (
	defaultHits = 8
	maxHits     = 20
	maxQuery    = 400 // bytes
)

type webSearchArgs struct {
	Query string `json:"query"`
	Count int    `json:"count,omitempty"`
}

func webSearch(r Deps) (Tool, error) {
	return defineTool("web_search", func(_ context.Context, a webSearchArgs) (policy.Effect, error) {
		switch {
		case strings.TrimSpace(a.Query) == "":
			return policy.Effect{}, errors.New("the query is empty")
		case len(a.Query) > maxQuery:
			return policy.Effect{}, fmt.Errorf("the query has %d bytes, at most %d", len(a.Query), maxQuery)
		}
		host, port := r.Search.Server()
		effect := policy.Effect{Risk: policy.NetworkGet, Reason: "sends the query to " + host}
		if !isLoopback(host) { // the user set up an engine on this machine for this purpose
			effect.Hosts, effect.Ports = []string{host}, []string{port}
		}
		return effect, nil
	}, func(ctx context.Context, a webSearchArgs) goal.Result {
		count := a.Count
		if count <= 0 {
			count = defaultHits
		}
		hits, err := r.Search.Search(ctx, a.Query, min(count, maxHits))
		if err != nil {
			return failedResult("the search failed. %s", wrapOutside("the search engine", text.TruncateBytes(err.Error(), 1000)))
		}
		if len(hits) == 0 {
			return okResult("nothing was found")
		}
		lines := make([]string, 0, 3*len(hits))
		for i, h := range hits[:min(len(hits), maxHits)] {
			lines = append(lines,
				fmt.Sprintf("%d. %s\n   %s", i+1, text.TruncateBytes(h.Title, 200), text.TruncateBytes(h.URL, 500)))
			if extract := strings.TrimSpace(h.Date + " " + h.Extract); extract != "" {
				lines = append(lines, "   "+text.TruncateBytes(extract, 400))
			}
		}
		return okResult("%s", wrapOutside("the search engine", strings.Join(lines, "\n")))
	})
}

// unsetSearch is used instead of a search engine where only descriptions are needed.
type unsetSearch struct{}

func (unsetSearch) Server() (host, port string) { return "search.invalid", "443" }

func (unsetSearch) Search(context.Context, string, int) ([]websearch.Hit, error) {
	return nil, errors.New("no search engine is set up")
}

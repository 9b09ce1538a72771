package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say whose servers they are.
type Options struct {
	Servers     []Server
	Environment Environment
	// Listings are what the servers offered when they were asked (Ask).
	Listings ToolCache
	// Warn hears why a server, or a tool of one, is left out.
	Warn func(server, why string)
}

// Clients are the servers of one goal. Its methods may be called concurrently.
type Clients struct {
	links []*client
	tools []*Tool
}

// Open makes the tools of the servers that were asked before. It starts none:
// the first call of a tool does.
func Open(o Options) *Clients {
	s := &Clients{}
	offers := make([][]ToolInfo, len(o.Servers))
	for i, server := range o.Servers {
		s.links = append(s.links, &client{server: server, env: o.Environment})
		list, known, err := o.Listings.Get(server)
		switch {
		case err != nil:
			o.Warn(server.Name, err.Error())
		case !known:
			o.Warn(server.Name, "what it offers is not known, so this goal does without. Test it in the settings once.")
		}
		offers[i] = list.Tools
	}
	s.buildTools(offers, o.Warn)
	return s
}

// buildTools makes the tools, in an order that is the same each time. Two that come
// to the same name are one too many.
func (s *Clients) buildTools(offers [][]ToolInfo, warn func(server, why string)) {
	taken := map[string]bool{}
	for i, l := range s.links {
		for _, o := range offers[i] {
			t, err := toolOf(l, o)
			switch {
			case err != nil:
				warn(l.server.Name, err.Error())
			case taken[t.spec.Name]:
				warn(l.server.Name, fmt.Sprintf("two tools come to the name %s; the second is left out", t.spec.Name))
			default:
				taken[t.spec.Name] = true
				s.tools = append(s.tools, t)
			}
		}
	}
}

// Tools are what the goal may call.
func (s *Clients) Tools() []*Tool { return s.tools }

// Close ends the servers and waits for them.
func (s *Clients) Close() {
	var all sync.WaitGroup
	for _, l := range s.links {
		all.Go(l.close)
	}
	all.Wait()
}

// FetchTools starts a server, keeps what it offers, and ends it.
func FetchTools(ctx context.Context, server Server, room Environment, kept ToolCache, now time.Time) (CachedToolList, error) {
	if err := server.Validate(); err != nil {
		return CachedToolList{}, err
	}
	l := &client{server: server, env: room}
	defer l.close()
	session, err := l.currentSession(ctx)
	if err != nil {
		return CachedToolList{}, err
	}
	list := CachedToolList{At: now.UTC(), Title: session.title}
	for _, o := range session.offers {
		list.Tools = append(list.Tools, o)
	}
	slices.SortFunc(list.Tools, func(a, b ToolInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, kept.Put(server, list)
}

package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/lib/toolschema"
)

// Options say which servers a goal has, and how they are started.
type Options struct {
	Servers     []Server
	Environment Environment
	// Listings are the cached tool lists of the servers (FetchTools).
	Listings ToolCache
	// Warn is called with the reason when a server, or one of its tools, is left out.
	Warn func(server, why string)
	// Failed is called when a server does not do its part in a call. It may be called concurrently.
	Failed func(server, why string)
}

// Clients holds the servers of one goal. Its methods may be called concurrently.
type Clients struct {
	links []*client
	tools []*Tool
}

// Open makes the tools of the servers whose lists are cached. It starts no server; the first call of a tool does.
func Open(o Options) *Clients {
	s := &Clients{}
	offers := make([][]ToolInfo, len(o.Servers))
	for i, server := range o.Servers {
		s.links = append(s.links, &client{
			server: server, env: o.Environment, warn: func(why string) { o.Failed(server.Name, why) },
		})
		list, isKnown, err := o.Listings.Get(server)
		switch {
		case err != nil:
			o.Warn(server.Name, err.Error())
		case !isKnown:
			o.Warn(server.Name, "its tools are not known, so this goal cannot use it. Test it once in the settings.")
		}
		offers[i] = list.Tools
	}
	s.buildTools(offers, o.Warn)
	return s
}

// buildTools makes the tools, always in the same order. Of two tools with the same name, the second is left out.
func (c *Clients) buildTools(offers [][]ToolInfo, warn func(server, why string)) {
	var names []string
	for i, l := range c.links {
		for _, o := range offers[i] {
			names = append(names, l.server.Name+NameSeparator+o.Name)
		}
	}
	fitting := toolschema.FitToolNames(names)
	for i, l := range c.links {
		for _, o := range offers[i] {
			name := fitting[l.server.Name+NameSeparator+o.Name]
			t, err := newTool(l, o, name)
			switch {
			case err != nil:
				warn(l.server.Name, err.Error())
			case slices.ContainsFunc(c.tools, func(other *Tool) bool { return other.spec.Name == name }):
				warn(l.server.Name, fmt.Sprintf("two tools have the name %s; the second is left out", name))
			default:
				c.tools = append(c.tools, t)
			}
		}
	}
}

// Tools returns the tools that the goal may call.
func (c *Clients) Tools() []*Tool { return c.tools }

// Close ends the servers and waits for them.
func (c *Clients) Close() {
	var all sync.WaitGroup
	for _, l := range c.links {
		all.Go(l.close)
	}
	all.Wait()
}

// FetchTools starts a server, caches its tool list, and ends it.
func FetchTools(
	ctx context.Context, server Server, env Environment, cache ToolCache, now time.Time,
) (CachedToolList, error) {
	if err := server.Validate(); err != nil {
		return CachedToolList{}, err
	}
	l := &client{server: server, env: env, warn: func(string) {}}
	defer l.close()
	session, err := l.currentSession(ctx)
	if err != nil {
		return CachedToolList{}, err
	}
	list := CachedToolList{At: now.UTC(), Title: session.title, Notes: session.notes}
	if note := session.skippedNote(); note != "" {
		list.Notes = append(list.Notes, note)
	}
	for _, o := range session.tools {
		list.Tools = append(list.Tools, o)
	}
	slices.SortFunc(list.Tools, func(a, b ToolInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, cache.Put(server, list)
}

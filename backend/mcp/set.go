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
	Servers []Server
	Room    Room
	// Listings are what the servers offered when they were asked (Ask).
	Listings Listings
	// Warn hears why a server, or a tool of one, is left out.
	Warn func(server, why string)
}

// Set are the servers of one goal. Its methods may be called concurrently.
type Set struct {
	links []*link
	tools []*Tool
}

// Open makes the tools of the servers that were asked before. It starts none:
// the first call of a tool does.
func Open(o Options) *Set {
	s := &Set{}
	offers := make([][]Offer, len(o.Servers))
	for i, server := range o.Servers {
		s.links = append(s.links, &link{server: server, room: o.Room})
		list, known, err := o.Listings.Get(server)
		switch {
		case err != nil:
			o.Warn(server.Name, err.Error())
		case !known:
			o.Warn(server.Name, "what it offers is not known, so this goal does without. Test it in the settings once.")
		}
		offers[i] = list.Tools
	}
	s.equip(offers, o.Warn)
	return s
}

// equip makes the tools, in an order that is the same each time. Two that come
// to the same name are one too many.
func (s *Set) equip(offers [][]Offer, warn func(server, why string)) {
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
func (s *Set) Tools() []*Tool { return s.tools }

// Close ends the servers and waits for them.
func (s *Set) Close() {
	var all sync.WaitGroup
	for _, l := range s.links {
		all.Go(l.close)
	}
	all.Wait()
}

// Ask starts a server, keeps what it offers, and ends it.
func Ask(ctx context.Context, server Server, room Room, kept Listings, now time.Time) (Listing, error) {
	if err := server.Valid(); err != nil {
		return Listing{}, err
	}
	l := &link{server: server, room: room}
	defer l.close()
	session, err := l.get(ctx)
	if err != nil {
		return Listing{}, err
	}
	list := Listing{At: now.UTC(), Title: session.title}
	for _, o := range session.offers {
		list.Tools = append(list.Tools, o)
	}
	slices.SortFunc(list.Tools, func(a, b Offer) int { return strings.Compare(a.Name, b.Name) })
	return list, kept.Put(server, list)
}

package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/lib/text"
)

const (
	maxTools = 500 // of one server
	maxPages = 500 // of its list
)

// listTools stores the tools of the server. A list that does not come to an end is taken as far as it got, with a note.
func (s *session) listTools(ctx context.Context) error {
	if info := s.client.InitializeResult(); info != nil && info.ServerInfo != nil {
		s.title = text.SanitizeLine(info.ServerInfo.Name+" "+info.ServerInfo.Version, 80)
	}
	cursors := map[string]bool{"": true}
	for cursor := ""; ; cursors[cursor] = true {
		page, err := s.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return fmt.Errorf("listing its tools: %w", err)
		}
		if !s.addTools(page.Tools) {
			s.notes = append(s.notes, fmt.Sprintf("it lists more than %d tools; the others are left out", maxTools))
			return nil
		}
		switch cursor = page.NextCursor; {
		case cursor == "":
			return nil
		case cursors[cursor], len(cursors) == maxPages:
			s.notes = append(s.notes, "its list of tools repeats itself and does not end; the tools until there are used")
			return nil
		}
	}
}

// addTools stores the tools of one page. It reports whether there was space for all of them.
func (s *session) addTools(page []*sdk.Tool) bool {
	for _, t := range page {
		o, err := toolInfoFrom(t)
		if err != nil {
			s.notes = append(s.notes, err.Error()+"; it is left out")
			continue
		}
		if _, isKnown := s.tools[o.Name]; !isKnown && len(s.tools) == maxTools {
			return false
		}
		s.tools[o.Name] = o
	}
	return true
}

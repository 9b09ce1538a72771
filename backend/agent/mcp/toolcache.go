package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// CachedToolList is the tool list that a server sent last. From it, a goal knows the tools of a server before that is
// started.
type CachedToolList struct {
	Server string     `json:"server"` // fingerprint of the configuration
	At     time.Time  `json:"at"`
	Title  string     `json:"title"` // the server's own name for itself
	Tools  []ToolInfo `json:"tools"`
	Notes  []string   `json:"notes,omitempty"` // what was unusual, for the user
}

// hash returns a fingerprint of the server's configuration without the values of its variables and headers.
func (s Server) hash() string {
	return hashTools([]any{s.Name, s.Command, s.Args, s.URL})
}

// ToolCache stores tool lists in a folder, one file per server. Several processes may use the same folder.
type ToolCache struct{ Dir string }

func (t ToolCache) path(name string) string { return filepath.Join(t.Dir, name+".json") }

// Get returns the list of a server; ok is false if there is no list, or if it belongs to another configuration.
func (t ToolCache) Get(s Server) (list CachedToolList, ok bool, err error) {
	b, err := os.ReadFile(t.path(s.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return list, false, nil
	}
	if err != nil {
		return list, false, fmt.Errorf("listing of %s: %w", s.Name, err)
	}
	if err := json.Unmarshal(b, &list); err != nil || list.Server != s.hash() {
		return CachedToolList{}, false, nil //nolint:nilerr // an unreadable list is fetched again
	}
	return list, true, nil
}

// Put replaces the list of a server atomically.
func (t ToolCache) Put(s Server, list CachedToolList) error {
	list.Server = s.hash()
	err := os.MkdirAll(t.Dir, 0o700)
	if err == nil {
		err = fileio.WriteJSON(t.path(s.Name), list)
	}
	if err != nil {
		return fmt.Errorf("listing of %s: %w", s.Name, err)
	}
	return nil
}

// Forget removes a server's list.
func (t ToolCache) Forget(name string) error {
	if err := os.Remove(t.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("listing of %s: %w", name, err)
	}
	return nil
}

// ToolSummary describes one tool to users.
type ToolSummary struct {
	Name        string
	Description string
	Risk        string // the risk level of its calls
}

// Summaries describes the tools of a server with their risk levels.
func (c CachedToolList) Summaries(s Server) []ToolSummary {
	list := make([]ToolSummary, 0, len(c.Tools))
	for _, o := range c.Tools {
		list = append(list, ToolSummary{
			Name:        text.SanitizeLine(o.Name, maxName),
			Description: text.SanitizeLine(o.Description, 300),
			Risk:        string(effectOf(s, o.Annotations).Risk),
		})
	}
	return list
}

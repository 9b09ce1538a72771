package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/fileio"
)

// CachedToolList is a server's tool list at the last contact. With it a goal knows the tools of a server that is not
// started yet.
type CachedToolList struct {
	Server string     `json:"server"` // fingerprint of the configuration
	At     time.Time  `json:"at"`
	Title  string     `json:"title"` // the server's own name for itself
	Tools  []ToolInfo `json:"tools"`
}

// hash is the fingerprint of the server's identity: it excludes the values of variables and headers.
func (s Server) hash() string {
	return hashTools([]any{s.Name, s.Command, s.Args, s.URL})
}

// ToolCache stores the lists in a folder, one file for each server. Processes may share it.
type ToolCache struct{ Dir string }

func (l ToolCache) path(name string) string { return filepath.Join(l.Dir, name+".json") }

// Get reads the list of a server; ok is false if there is none, or if it belongs to another configuration.
func (l ToolCache) Get(s Server) (list CachedToolList, ok bool, err error) {
	b, err := os.ReadFile(l.path(s.Name))
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

// Put stores a list atomically.
func (l ToolCache) Put(s Server, list CachedToolList) error {
	list.Server = s.hash()
	err := os.MkdirAll(l.Dir, 0o700)
	if err == nil {
		err = fileio.WriteJSON(l.path(s.Name), list)
	}
	if err != nil {
		return fmt.Errorf("listing of %s: %w", s.Name, err)
	}
	return nil
}

// Forget removes a server's list.
func (l ToolCache) Forget(name string) error {
	if err := os.Remove(l.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("listing of %s: %w", name, err)
	}
	return nil
}

// ToolSummary is one tool as described to users.
type ToolSummary struct {
	Name        string
	Description string
	Risk        string // the risk level of its calls
}

// Summaries describes a server's tools with their risk levels.
func (l CachedToolList) Summaries(s Server) []ToolSummary {
	list := make([]ToolSummary, 0, len(l.Tools))
	for _, o := range l.Tools {
		list = append(list, ToolSummary{
			Name:        sanitizeLine(o.Name, maxName),
			Description: sanitizeLine(o.Description, 300),
			Risk:        string(effectOf(s, o.Annotations).Risk),
		})
	}
	return list
}

package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
)

// file is the content of settings.json.
type file struct {
	// Schema is the address of the schema of this file, for editors.
	Schema   string   `json:"$schema,omitempty"`
	Settings Settings `json:"settings"`
	// Providers are the servers that offer models.
	Providers []Provider `json:"providers"`
	// Active is the id of the default provider for new goals.
	Active string `json:"active"`
	// MCPServers are the MCP servers whose tools goals may use, sorted by name.
	MCPServers []MCPServer `json:"mcp_servers,omitempty"`
	// Webhooks are the services that receive notifications, sorted by name.
	Webhooks []Webhook `json:"webhooks,omitempty"`
	// TerminalProfiles are how your terminals can start, sorted by name.
	TerminalProfiles []TerminalProfile `json:"terminal_profiles,omitempty"`
	// ColorSchemes are the imported color schemes of terminals, sorted by name.
	ColorSchemes []ColorScheme `json:"color_schemes,omitempty"`
}

func defaultSettings() Settings {
	return Settings{
		Theme:           ThemeSystem,
		FontSize:        13,
		Scrollback:      10_000,
		HostIdleMinutes: 10,
		KeepAwake:       AwakePluggedIn,
		PageIdleMinutes: 15,
		ApprovalMinutes: 10,
		Notifications:   true,
		EscalateAfter:   8,
		GraceMinutes:    30,
	}
}

// schemaName is the name of the schema beside the settings file, so that editors find it.
const schemaName = "settings.schema.json"

// Path returns the path of the settings file, which need not exist.
func (c *Config) Path() string { return filepath.Join(c.state, "settings.json") }

// FileState is where the settings file is, and what is wrong in it.
type FileState struct {
	Path     string        `json:"path"`
	Problems []FileProblem `json:"problems"`
}

// FileState reads the settings file again. With problems, it is not changed: what can be read of it is in effect.
func (c *Config) FileState() FileState {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refreshOrLog()
	return FileState{Path: c.Path(), Problems: slices.Clone(c.problems)}
}

// load reads the settings at the start.
func (c *Config) load() error {
	c.file = file{Settings: defaultSettings()}
	return c.refresh()
}

// refresh reads the present content of the file; mu is held. Missing settings keep their defaults, and so do those
// whose value is wrong. A missing file changes nothing, and neither does one that is not JSON.
func (c *Config) refresh() error {
	b, err := os.ReadFile(c.Path())
	if errors.Is(err, os.ErrNotExist) {
		c.read, c.problems = nil, nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if c.read != nil && bytes.Equal(b, c.read) {
		return nil
	}
	f, problems := parseFile(b)
	if len(problems) > 0 {
		c.log.Warn("the settings have errors", "first", problems[0].describe(), "errors", len(problems))
	}
	c.read, c.problems = b, problems
	if f == nil {
		c.file.Settings.Welcomed = true // a user with such a file has been here before
		return nil
	}
	c.file = *f
	return nil
}

func (c *Config) refreshOrLog() {
	if err := c.refresh(); err != nil {
		c.log.Warn("the settings cannot be read again", "error", err)
	}
}

// current returns the present content of the file, even if another process wrote it.
func (c *Config) current() file {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refreshOrLog()
	return c.file
}

// change applies one change to the present content of the file. It excludes other changes of this and other
// processes. A file with problems is not changed, because what is wrong in it would be lost.
func (c *Config) change(edit func(*file) error) error {
	return c.locked(func() error {
		if err := c.refresh(); err != nil {
			return err
		}
		if len(c.problems) > 0 {
			return c.refuseChange(c.problems[0])
		}
		next := c.file
		next.Providers = slices.Clone(next.Providers)
		if err := edit(&next); err != nil {
			return err
		}
		return c.save(next)
	})
}

func (c *Config) refuseChange(p FileProblem) error {
	return fault.New(fault.Conflict, "nothing was saved, because settings.json has an error: "+p.describe(),
		"open settings.json and fix it, or move it aside; both are at the top of the settings").
		OnCommandLine("fix it in " + c.Path() + ", or move it aside with `settings move-aside`")
}

// locked runs do while no other thread and no other process changes the file.
func (c *Config) locked(do func() error) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lock := flock.New(c.Path() + ".lock") // against other processes, which hold it for one write
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("settings: lock: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do()
}

// WriteIfMissing writes the settings in effect if there is no file.
func (c *Config) WriteIfMissing() error {
	if _, err := os.Lstat(c.Path()); !errors.Is(err, os.ErrNotExist) {
		return nil //nolint:nilerr // its reader says so
	}
	return c.change(func(*file) error { return nil })
}

// MoveAside keeps a settings file with errors under another name, which it returns, and saves what is in effect in its
// place.
func (c *Config) MoveAside() (kept string, err error) {
	err = c.locked(func() error {
		if err := c.refresh(); err != nil {
			return err
		}
		if len(c.problems) == 0 {
			return fault.New(fault.Conflict, "settings.json has no error, so it stays where it is", "change it there")
		}
		kept = c.Path() + ".unreadable"
		err := os.Link(c.Path(), kept) // fails if there is one, which is kept as well
		for n := 2; errors.Is(err, os.ErrExist); n++ {
			kept = fmt.Sprintf("%s.unreadable-%d", c.Path(), n)
			err = os.Link(c.Path(), kept)
		}
		if err != nil {
			return fmt.Errorf("settings: %w", err)
		}
		return c.save(c.file)
	})
	return kept, err
}

// save writes the file and its schema, each atomically.
func (c *Config) save(next file) error {
	if next.Schema == "" {
		next.Schema = "./" + schemaName
	}
	b, err := json.MarshalIndent(next, "", "  ")
	if err == nil {
		err = fileio.WriteDurably(c.Path(), append(b, '\n'), 0o600)
	}
	if err == nil {
		err = c.saveSchema()
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	c.file, c.read, c.problems = next, nil, nil
	return nil
}

// saveSchema writes the schema if it is not there as this version has it.
func (c *Config) saveSchema() error {
	path := filepath.Join(c.state, schemaName)
	if have, err := os.ReadFile(path); err == nil && string(have) == Schema() {
		return nil
	}
	return fileio.WriteDurably(path, []byte(Schema()), 0o600)
}

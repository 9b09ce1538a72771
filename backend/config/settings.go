package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// Settings is what the user chose.
type Settings struct {
	Theme      string `json:"theme"` // system, dark, light
	FontSize   int    `json:"font_size"`
	Scrollback int    `json:"scrollback"` // lines
	// FontFamily of terminals, "" is the built-in one. WebGL draws them with the
	// graphics card, ScreenReader reads them out.
	FontFamily   string `json:"font_family"`
	WebGL        bool   `json:"webgl"`
	ScreenReader bool   `json:"screen_reader"`
	Welcomed     bool   `json:"welcomed"`
	// ApprovalMinutes is how long an approval waits for a user before its goal pauses.
	ApprovalMinutes int `json:"approval_minutes"`
	// TurnMinutes is how long a model may take for one turn before it is asked again; 0
	// is the usual three.
	TurnMinutes int `json:"turn_minutes"`
	// Notifications tells the user's desktop when a goal needs somebody or is over.
	Notifications bool `json:"notifications"`
	// SecretsInFile keeps secrets in the encrypted file also where a keyring runs.
	SecretsInFile bool `json:"secrets_in_file"`
	// GoalsAtOnce is how many goals run at the same time; 0 is the usual three.
	GoalsAtOnce int `json:"goals_at_once"`
	// KeepDays is after how many days an ended goal is deleted, 0 never.
	KeepDays int `json:"keep_days"`
	// LingerMinutes is how long the programs of a goal stay after done, so that its
	// user can look at what was built; 0 is not at all.
	GraceMinutes int `json:"linger_minutes"`
	// GoalMemory is how many MiB of memory all programs of a goal take together; 0 is
	// three quarters of the machine's.
	GoalMemory int `json:"goal_memory"`
	// Toolchains are folders that goals see besides the usual ones, separated as in PATH.
	Toolchains string `json:"toolchains,omitempty"`
	// WorkDir is where new goals get their folders, "" the usual place.
	WorkDir string `json:"work_dir"`
	// HomePage is where the house of a browser pane leads, "" a blank page.
	HomePage string `json:"home_page"`
	// SearchPage is where words in the address of a browser pane lead, %s standing for
	// them; "" nowhere.
	SearchPage string `json:"search_page"`
}

// Kind says what a provider speaks.
type Kind string

// The kinds. Demo is built in and never stored.
const (
	OpenAI    Kind = "openai"
	Anthropic Kind = "anthropic"
	Demo      Kind = "demo"
)

// Provider is where a model is reached. Keys are never stored here: APIKeyEnv
// names the environment variable that holds one, APIKeySecret a secret.
type Provider struct {
	ID        string `json:"id"`
	Kind      Kind   `json:"kind"`
	BaseURL   string `json:"base_url"`
	Model     string `json:"model"`
	APIKeyEnv string `json:"api_key_env,omitempty"`
	// APIKeySecret names a secret of the vault that is the key instead.
	APIKeySecret string `json:"api_key_secret,omitempty"`
	// ContextWindow is how many tokens the model's context holds; 0 takes what is known of the model.
	ContextWindow int  `json:"context_window,omitempty"`
	Active        bool `json:"-"`
}

type file struct {
	Settings  Settings   `json:"settings"`
	Providers []Provider `json:"providers"`
	Active    string     `json:"active"` // id of the provider that new goals get
	// MCPServers are sorted by name.
	MCPServers []MCPServer `json:"mcp_servers,omitempty"`
}

func defaults() Settings {
	return Settings{Theme: "system", FontSize: 13, Scrollback: 10_000, ApprovalMinutes: 10, Notifications: true, GraceMinutes: 30}
}

func (c *Config) path() string { return filepath.Join(c.state, "settings.json") }

// load reads the settings at the start. A file that cannot be understood is set
// aside, never overwritten.
func (c *Config) load() error {
	c.file = file{Settings: defaults()}
	return c.refresh(true)
}

// refresh takes over what the file says now; mu is held. What it says nothing
// about stays at its default, and a missing file changes nothing. A file that
// cannot be understood may be one that somebody is just writing: it changes
// nothing either, and is moved out of the way only when it has to be.
func (c *Config) refresh(setAside bool) error {
	b, err := os.ReadFile(c.path())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	f := file{Settings: defaults()}
	if err := json.Unmarshal(b, &f); err != nil {
		if !setAside {
			return nil
		}
		aside := c.path() + ".unreadable"
		c.log.Warn("the settings cannot be read and are kept aside", "error", err, "kept", aside)
		if err := os.Rename(c.path(), aside); err != nil {
			return fmt.Errorf("settings: %w", err)
		}
		return nil
	}
	if err := f.Settings.check(); err != nil {
		c.log.Warn("a setting is not possible; defaults are used", "error", err)
		welcomed := f.Settings.Welcomed
		f.Settings = defaults()
		f.Settings.Welcomed = welcomed
	}
	c.file = f
	return nil
}

// current is what the file says now, also when another process wrote it.
func (c *Config) current() file {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refresh(false); err != nil {
		c.log.Warn("the settings cannot be read again", "error", err)
	}
	return c.file
}

// change makes one change to what the file holds now, and keeps others, of this
// process and of the next one, out.
func (c *Config) change(edit func(*file) error) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lock := flock.New(c.path() + ".lock") // against other processes, which hold it for one write
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("settings: lock: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := c.refresh(true); err != nil {
		return err
	}
	next := c.file
	next.Providers = slices.Clone(next.Providers)
	if err := edit(&next); err != nil {
		return err
	}
	return c.save(next)
}

// save writes the file whole or not at all.
func (c *Config) save(next file) error {
	b, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	f, err := os.CreateTemp(c.state, ".settings-*")
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), c.path())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("settings: %w", err), os.Remove(f.Name()))
	}
	c.file = next
	return nil
}

// isPageURL says whether an address is one that a pane opens, written out.
func isPageURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func (s Settings) check() error {
	const minFont, maxFont, minLines, maxLines, maxMinutes, maxGoals, maxDays, minMemory, maxMemory = 8, 32, 100, 200_000, 24 * 60, 32, 36_500, 128, 16 << 20
	switch {
	case !slices.Contains([]string{"system", "dark", "light"}, s.Theme):
		return &InvalidError{"theme", fmt.Sprintf("unknown theme %q", s.Theme), "use system, dark or light"}
	case s.FontSize < minFont || s.FontSize > maxFont:
		return &InvalidError{"font_size", fmt.Sprintf("a font size of %d cannot be read", s.FontSize), fmt.Sprintf("use %d to %d", minFont, maxFont)}
	case len(s.FontFamily) > 200 || strings.ContainsAny(s.FontFamily, ";{}<>\\\n\r"):
		return &InvalidError{"font_family", fmt.Sprintf("%q is no font", s.FontFamily), "name one that is installed, or several with commas in between"}
	case s.Scrollback < minLines || s.Scrollback > maxLines:
		return &InvalidError{"scrollback", fmt.Sprintf("%d lines of scrollback are not possible", s.Scrollback), fmt.Sprintf("use %d to %d", minLines, maxLines)}
	case s.GoalsAtOnce < 0 || s.GoalsAtOnce > maxGoals:
		return &InvalidError{"goals_at_once", fmt.Sprintf("%d goals at once are not possible", s.GoalsAtOnce), fmt.Sprintf("use 1 to %d, or 0 for the usual three", maxGoals)}
	case s.TurnMinutes < 0 || s.TurnMinutes > maxMinutes:
		return &InvalidError{"turn_minutes", fmt.Sprintf("a model cannot take %d minutes for a turn", s.TurnMinutes), fmt.Sprintf("use 1 to %d, or 0 for the usual three", maxMinutes)}
	case s.KeepDays < 0 || s.KeepDays > maxDays:
		return &InvalidError{"keep_days", fmt.Sprintf("goals cannot be kept for %d days", s.KeepDays), fmt.Sprintf("use 1 to %d, or 0 to keep them until you delete them", maxDays)}
	case s.GraceMinutes < 0 || s.GraceMinutes > maxMinutes:
		return &InvalidError{"linger_minutes", fmt.Sprintf("programs cannot stay for %d minutes", s.GraceMinutes), fmt.Sprintf("use 0 (they end with the goal) to %d", maxMinutes)}
	case s.GoalMemory != 0 && (s.GoalMemory < minMemory || s.GoalMemory > maxMemory):
		return &InvalidError{"goal_memory", fmt.Sprintf("a goal cannot work with %d MiB of memory", s.GoalMemory), fmt.Sprintf("use %d to %d, or 0 for three quarters of the machine's", minMemory, maxMemory)}
	case s.HomePage != "" && !isPageURL(s.HomePage):
		return &InvalidError{"home_page", fmt.Sprintf("%q is not the address of a page", s.HomePage), "give it whole, such as https://example.org/, or leave it empty"}
	case s.SearchPage != "" && (!isPageURL(s.SearchPage) || strings.Count(s.SearchPage, "%s") != 1):
		return &InvalidError{"search_page", fmt.Sprintf("%q is not the address of a search", s.SearchPage), "give it with %s where the words go, such as https://example.org/?q=%s, or leave it empty"}
	case s.WorkDir != "" && !filepath.IsAbs(s.WorkDir):
		return &InvalidError{"work_dir", fmt.Sprintf("%q does not say which folder", s.WorkDir), "give it from the root on, such as /home/you/goals, or leave it empty"}
	case s.ApprovalMinutes < 0 || s.ApprovalMinutes > maxMinutes:
		return &InvalidError{"approval_minutes", fmt.Sprintf("an approval cannot wait for %d minutes", s.ApprovalMinutes), fmt.Sprintf("use 0 (the goal pauses at once) to %d", maxMinutes)}
	}
	return nil
}

// Settings reads what the user chose.
func (c *Config) Settings() Settings {
	return c.current().Settings
}

// SaveSettings keeps what the user chose.
func (c *Config) SaveSettings(s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	if s.WorkDir != "" {
		s.WorkDir = filepath.Clean(s.WorkDir)
		if rel, err := filepath.Rel(c.state, s.WorkDir); err == nil && (rel == "." || filepath.IsLocal(rel)) {
			return &InvalidError{"work_dir", s.WorkDir + " is where Goalpost keeps its own data", "no goal may work there; choose another folder"}
		}
		if err := checkRootOwnership(s.WorkDir); err != nil {
			return err
		}
	}
	return c.change(func(f *file) error {
		f.Settings = s
		return nil
	})
}

// Providers lists them in the order in which they were added.
func (c *Config) Providers() []Provider {
	f := c.current()
	list := slices.Clone(f.Providers)
	for i := range list {
		list[i].Active = list[i].ID == f.Active
	}
	return list
}

var (
	idPattern    = regexp.MustCompile(`^[A-Za-z0-9[][][A-Za-z0-9._:-]{0,63}$`)
	secretForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (p Provider) check() error {
	const minWindow, maxWindow = 4_096, 100_000_000
	u, err := url.Parse(p.BaseURL)
	switch {
	case !idPattern.MatchString(p.ID) || p.ID == string(Demo):
		return &InvalidError{"id", fmt.Sprintf("%q cannot be the name of a provider", p.ID), "use letters, digits, dots and dashes; demo is taken"}
	case p.Kind != OpenAI && p.Kind != Anthropic:
		return &InvalidError{"kind", fmt.Sprintf("unknown kind of provider %q", p.Kind), "use openai (any server that speaks /chat/completions) or anthropic"}
	case err != nil || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return &InvalidError{"base_url", fmt.Sprintf("%q is not an address", p.BaseURL), "give one like http://127.0.0.1:11434/v1"}
	case u.User != nil || u.RawQuery != "":
		return &InvalidError{"base_url", "the address holds a password or a query", "put the key into an environment variable and name that"}
	case p.APIKeyEnv != "" && !variableForm.MatchString(p.APIKeyEnv):
		return &InvalidError{"api_key_env", "this is not the name of an environment variable", "name the variable that holds the key, not the key itself"}
	case p.APIKeySecret != "" && (!secretForm.MatchString(p.APIKeySecret) || p.APIKeyEnv != ""):
		return &InvalidError{"api_key_secret", "this is not the name of a secret, or the key is named twice", "give the name of a secret, not the key itself, and no environment variable"}
	case p.ContextWindow != 0 && (p.ContextWindow < minWindow || p.ContextWindow > maxWindow):
		return &InvalidError{"context_window", fmt.Sprintf("a context window of %d tokens is not possible", p.ContextWindow), fmt.Sprintf("use at least %d, or 0 for what is known of the model", minWindow)}
	}
	return nil
}

// SaveProvider adds a provider or replaces the one with its id. The first one
// becomes active.
func (c *Config) SaveProvider(p Provider) error {
	_, err := c.ChangeProvider(p.ID, func(now *Provider) error {
		*now = p
		return nil
	})
	return err
}

// ChangeProvider edits the provider with an id, or an empty one that is added then:
// what edit does not touch stays. It gives what is kept now.
func (c *Config) ChangeProvider(id string, edit func(*Provider) error) (p Provider, err error) {
	err = c.change(func(f *file) error {
		i := f.find(id)
		if p = (Provider{ID: id}); i >= 0 {
			p = f.Providers[i]
		}
		if err := edit(&p); err != nil {
			return err
		}
		if err := p.check(); err != nil {
			return err
		}
		if i >= 0 {
			f.Providers[i] = p
		} else {
			f.Providers = append(f.Providers, p)
		}
		if f.Active == "" {
			f.Active = p.ID
		}
		return nil
	})
	return p, err
}

// DeleteProvider removes one; if it was active, the first of the others is.
func (c *Config) DeleteProvider(id string) error {
	return c.change(func(f *file) error {
		i := f.find(id)
		if i < 0 {
			return unknownProvider(id)
		}
		f.Providers = slices.Delete(f.Providers, i, i+1)
		if f.Active == id {
			f.Active = ""
			if len(f.Providers) > 0 {
				f.Active = f.Providers[0].ID
			}
		}
		return nil
	})
}

// Use makes a provider the one that new goals get.
func (c *Config) Use(id string) error {
	return c.change(func(f *file) error {
		if f.find(id) < 0 {
			return unknownProvider(id)
		}
		f.Active = id
		return nil
	})
}

// find is the index of a provider, -1 if there is none.
func (f *file) find(id string) int {
	return slices.IndexFunc(f.Providers, func(p Provider) bool { return p.ID == id })
}

func unknownProvider(id string) error {
	return &InvalidError{"id", fmt.Sprintf("there is no provider %q", id), "the settings and `providers list` show them"}
}

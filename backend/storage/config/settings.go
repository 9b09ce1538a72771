package config

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// NoSearch is the SearchPage that disables searching from the address bar.
const NoSearch = "none"

// Theme is the look of the window and the terminals.
type Theme string

// The themes. ThemeSystem follows the desktop.
const (
	ThemeSystem Theme = "system"
	ThemeDark   Theme = "dark"
	ThemeLight  Theme = "light"
)

// CursorStyle is the shape of the cursor of terminals.
type CursorStyle string

// The cursor styles. A program may choose another one while it runs.
const (
	CursorBlock     CursorStyle = ""
	CursorBar       CursorStyle = "bar"
	CursorUnderline CursorStyle = "underline"
)

// KeepAwake is when the computer stays awake while goals run.
type KeepAwake string

// The choices. Only AwakeLid covers the lid, and not on battery: a closed laptop in a bag would become hot.
const (
	AwakeOff       KeepAwake = "off"
	AwakePluggedIn KeepAwake = "plugged_in"
	AwakeLid       KeepAwake = "lid"
	AwakeAlways    KeepAwake = "always"
)

// Settings are the user's choices. The comment of each field is its description in docs/guide/settings.md and in the
// schema. The tag range has the smallest and the largest number, and zero what 0 is for besides; values has the words
// that are allowed, and empty what no word means. A field that is removed is an error in older files.
type Settings struct {
	// Theme is the look of the window and the terminals: system, dark or light.
	Theme Theme `json:"theme" values:"system dark light"`
	// FontSize is the size of the font of terminals, in pixels.
	FontSize int `json:"font_size" range:"8 32"`
	// Scrollback is how many lines a terminal keeps.
	Scrollback int `json:"scrollback" range:"100 200000"`
	// FontFamily is the font of terminals; empty uses the built-in one.
	FontFamily string `json:"font_family"`
	// WebGL draws terminals with the graphics card.
	WebGL bool `json:"webgl"`
	// ScreenReader announces the output of terminals.
	ScreenReader bool `json:"screen_reader"`
	// CursorStyle is the shape of the cursor of terminals: bar or underline; empty is a block.
	CursorStyle CursorStyle `json:"cursor_style" values:"bar underline" empty:"a block"`
	// ColorScheme is the name of the color scheme of terminals; empty follows the theme.
	ColorScheme string `json:"color_scheme"`
	// Shell is the program of your new terminals, as an absolute path; empty is the one of your account.
	Shell string `json:"shell"`
	// KeepRunning leaves goals, terminals and pages running when the window closes, without asking.
	KeepRunning bool `json:"keep_running"`
	// HostIdleMinutes is how long the host process stays when nothing runs and no program is connected; 0 is until it is
	// stopped.
	HostIdleMinutes int `json:"host_idle_minutes" range:"1 1440" zero:"to keep it until it is stopped"`
	// KeepAwake keeps the computer from suspending while goals run, but not while they wait for you: plugged_in (not on
	// battery), lid (plugged in, also with the lid closed), always (on battery, too) or off.
	KeepAwake KeepAwake `json:"keep_awake" values:"off plugged_in lid always"`
	// Keys are your keys of the window's commands, by their id, such as {"pane.split": ["Ctrl+Shift+KeyX"]}; an empty list
	// is none. Others keep those of the [keyboard page](keyboard.md).
	Keys map[string][]string `json:"keys,omitempty"`
	// LeaderKeys are your letters of the window's commands after Ctrl+Shift+Space, by their id, such as
	// {"pane.split": "x"}; an empty one is none.
	LeaderKeys map[string]string `json:"leader_keys,omitempty"`
	// Welcomed is true once the first page has been closed.
	Welcomed bool `json:"welcomed"`
	// ApprovalMinutes is how long an approval waits for the user before its goal pauses.
	ApprovalMinutes int `json:"approval_minutes" range:"0 1440"`
	// SilenceMinutes is how long a model may send nothing before it is asked again; 0 is five before its reply begins
	// and two within it.
	SilenceMinutes int `json:"silence_minutes" range:"1 1440" zero:"for the default"`
	// ModelWaitHours is for how long a goal waits for a model that does not answer before it asks the user; 0 is without
	// end.
	ModelWaitHours int `json:"model_wait_hours" range:"1 720" zero:"to wait until it answers"`
	// ChatRounds is how often an answer of a chat may use tools before the user writes again; 0 is 20.
	ChatRounds int `json:"chat_rounds" range:"1 1000" zero:"for the default"`
	ModelRoles
	// Notifications shows desktop notifications when a goal needs the user or is over.
	Notifications bool `json:"notifications"`
	// NotificationSound lets the desktop play its sound for them.
	NotificationSound bool `json:"notification_sound"`
	// QuietHours is the time of each day, such as 22:00-07:00, in which desktop and webhooks receive nothing. What still
	// needs you then follows as one message; empty is never.
	QuietHours string `json:"quiet_hours,omitempty"`
	// EscalateAfter is after how many minutes without an answer a request is announced once more; 0 is never.
	EscalateAfter int `json:"escalate_after" range:"1 1440" zero:"for never"`
	// DigestAt is the time of day, such as 07:30, at which webhooks that chose it receive the digest of the last 24 hours;
	// empty is never.
	DigestAt string `json:"digest_at,omitempty"`
	// ShareAddress is where other devices reach Goalpost over TLS, such as 0.0.0.0:4444 for all networks of this computer;
	// empty lets none in. The [guide](serve.md) says how a device logs in.
	ShareAddress string `json:"share_address,omitempty"`
	// LinkAddress is the address of your `goalctl serve`, for links in messages to webhooks; empty sends no links.
	LinkAddress string `json:"link_address,omitempty"`
	// SecretsInFile stores secrets in the encrypted file even if a keyring is running.
	SecretsInFile bool `json:"secrets_in_file"`
	// GoalsAtOnce is how many goals run at the same time; 0 is the default of three.
	GoalsAtOnce int `json:"goals_at_once" range:"1 32" zero:"for the default of three"`
	// KeepDays is the number of days after which an ended goal is deleted; 0 never deletes goals.
	KeepDays int `json:"keep_days" range:"1 36500" zero:"to keep them until you delete them"`
	// GraceMinutes is how long the programs of a goal keep running after done, so that the user can look at the
	// result; 0 ends them at once.
	GraceMinutes int `json:"grace_minutes" range:"0 1440"`
	// GoalMemory is the maximum memory of all programs of a goal together, in MiB; 0 is three quarters of the
	// machine's.
	GoalMemory int `json:"goal_memory" range:"128 16777216" zero:"for three quarters of the machine's"`
	// DailyLimitUSD is how much all goals together may spend in a day, in the user's time zone; 0 is no limit.
	DailyLimitUSD float64 `json:"daily_limit_usd,omitempty" range:"0.01 1000000" zero:"for no limit"`
	// GoalFilters are your saved filters of the list of goals, in the order of their menu.
	GoalFilters []GoalFilter `json:"goal_filters,omitempty"`
	// Toolchains is a list of additional folders that goals can read, separated as in PATH.
	Toolchains string `json:"toolchains,omitempty"`
	// Engine is the external agent that drives new goals; empty or `model` uses Goalpost's own loop.
	Engine string `json:"engine,omitempty"`
	// WorkDir is where new goals get their folders; empty uses `~/Goalpost`.
	WorkDir string `json:"work_dir"`
	// HomePage is the address of the home button of a browser pane; empty opens a blank page.
	HomePage string `json:"home_page"`
	// SearchPage is the search address for words in the address bar of a browser pane, with %s for the words. Empty
	// asks the user before the first search, and `none` disables searching.
	SearchPage string `json:"search_page"`
	// UserAgent is what your pages call their browser, in headers and to scripts; empty is Chromium's own.
	UserAgent string `json:"user_agent"`
	// AskWhereToSave asks where each file that your pages download is saved; otherwise it is the folder for downloads.
	AskWhereToSave bool `json:"ask_where_to_save"`
	// PageIdleMinutes is after how long an unseen page of the user is discarded until it is shown again; 0 is never.
	PageIdleMinutes int `json:"page_idle_minutes" range:"1 1440" zero:"for never"`
	// UpdateFeed is the HTTPS address that each start asks once for the newest release; empty disables the check.
	UpdateFeed string `json:"update_feed,omitempty"`
	// WebSearch is the search engine of goals: searxng, brave or tavily; empty is none.
	WebSearch string `json:"web_search,omitempty" values:"searxng brave tavily" empty:"none"`
	// WebSearchAddress is the base address of that search engine. SearXNG needs one; the others have a default.
	WebSearchAddress string `json:"web_search_address,omitempty"`
	// WebSearchSecret is the name of the secret with the key of that search engine. Brave and Tavily need one.
	WebSearchSecret string `json:"web_search_secret,omitempty"`
}

// ModelRoles are the models that do what the model of a goal does otherwise: PROVIDER/MODEL.
type ModelRoles struct {
	// ChatModel answers in chats that name no model, as PROVIDER/MODEL; empty is the default model.
	ChatModel string `json:"chat_model"`
	// CriticModel looks at the progress of goals that name no critic; empty is the goal's own model.
	CriticModel string `json:"critic_model"`
	// JudgeModel decides the checks of goals that name no judge; empty is the goal's own model.
	JudgeModel string `json:"judge_model"`
	// ReviewModel reviews claims that passed; empty is the judge.
	ReviewModel string `json:"review_model"`
	// VisionModel decides what pictures show; empty is the judge.
	VisionModel string `json:"vision_model"`
	// SummaryModel shortens long conversations of goals; empty is the goal's own model.
	SummaryModel string `json:"summary_model"`
	// FallbackModel takes the turns of goals while their model does not answer or its quota is used up; empty is none,
	// and the goals wait.
	FallbackModel string `json:"fallback_model"`
}

// HasWebSearch reports whether a search engine for goals is set up completely: SearXNG needs an address, the others
// need a key.
func (s Settings) HasWebSearch() bool {
	if s.WebSearch == "searxng" {
		return s.WebSearchAddress != ""
	}
	return s.WebSearch != "" && s.WebSearchSecret != ""
}

// Kind is the protocol of a provider.
type Kind string

// The kinds. Demo is built in and never stored.
const (
	OpenAI          Kind = "openai"           // chat completions
	OpenAIResponses Kind = "openai-responses" // the Responses API, else chat completions
	Anthropic       Kind = "anthropic"
	Demo            Kind = "demo"
)

// Provider describes how a model is reached. It never contains a key: APIKeyEnv names the environment variable with
// the key, or APIKeySecret a secret.
type Provider struct {
	ID        string `json:"id"`
	Kind      Kind   `json:"kind"`
	BaseURL   string `json:"base_url"`
	Model     string `json:"model"`
	APIKeyEnv string `json:"api_key_env,omitempty"`
	// APIKeySecret names a secret of the vault that is used as the key instead.
	APIKeySecret string `json:"api_key_secret,omitempty"`
	// ContextWindow is the model's context window in tokens; 0 uses the known value for the model.
	ContextWindow int `json:"context_window,omitempty"`
	// Price is what the model costs here; nil uses the published price.
	Price *Price `json:"price,omitempty"`
	// Preset is the id of the preset that it was made from, "" if there was none.
	Preset string `json:"preset,omitempty"`
	// Test is the last test of exactly these values, nil if they were never tested.
	Test   *ProviderTest `json:"test,omitempty"`
	Active bool          `json:"-"`
}

// Price is in USD per million tokens.
type Price struct {
	Input       float64 `json:"input"`
	Output      float64 `json:"output"`
	CachedInput float64 `json:"cached_input,omitempty"` // 0 = as other input
}

// ProviderTest is the result of the last test of a provider.
type ProviderTest struct {
	At        time.Time `json:"at"`
	OK        bool      `json:"ok"`
	Model     string    `json:"model"`             // that called a tool, or should have
	LatencyMS int64     `json:"latency_ms"`        // of the model's reply
	Models    int       `json:"models,omitempty"`  // how many the server listed
	Window    int       `json:"window,omitempty"`  // context window that the server reported, in tokens
	Message   string    `json:"message,omitempty"` // what failed
}

// IsReady reports whether the last test of these values was successful.
func (p Provider) IsReady() bool { return p.Kind == Demo || p.Test != nil && p.Test.OK }

// isSameServer reports whether both reach the same model with the same key, so that a test of one is valid for the
// other.
func (p Provider) isSameServer(o Provider) bool {
	return p.Kind == o.Kind && p.BaseURL == o.BaseURL && p.Model == o.Model && p.APIKeyEnv == o.APIKeyEnv &&
		p.APIKeySecret == o.APIKeySecret
}

// isPageURL reports whether an address is a complete address of a page.
func isPageURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// isFeedURL reports whether an address can be asked for releases.
func isFeedURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.Scheme == "https" && u.User == nil
}

func (s Settings) validate() error {
	if err := validateTags(s); err != nil {
		return err
	}
	if _, err := ParseQuietHours(s.QuietHours); err != nil {
		return err
	}
	switch {
	case len(s.FontFamily) > 200 || strings.ContainsAny(s.FontFamily, ";{}<>\\\n\r"):
		return fault.Invalid("font_family", fmt.Sprintf("%q is not a font", s.FontFamily),
			"name one that is installed, or several with commas in between")
	case s.Shell != "" && !filepath.IsAbs(s.Shell):
		return fault.Invalid("shell", fmt.Sprintf("the shell %q is not an absolute path", s.Shell),
			"use one such as /bin/bash, or leave it empty")
	case s.invalidKey() != "":
		return fault.Invalid("keys", fmt.Sprintf("%.100q is not a command with a key", s.invalidKey()),
			"name a command and its keys, such as {\"pane.split\": [\"Ctrl+Shift+KeyX\"]}")
	case len(s.UserAgent) > maxUserAgent || strings.ContainsFunc(s.UserAgent, isNotPrintableASCII):
		return fault.Invalid("user_agent", "this user agent cannot be sent in a header",
			fmt.Sprintf("use at most %d characters without umlauts and line breaks, or leave it empty", maxUserAgent))
	case s.invalidLeaderKey() != "":
		return fault.Invalid("leader_keys", fmt.Sprintf("%.100q is not a command with a letter", s.invalidLeaderKey()),
			"name a command and a letter, digit or arrow, such as {\"pane.split\": \"x\"}")
	case s.DigestAt != "" && !isDayTime(s.DigestAt):
		return fault.Invalid("digest_at", fmt.Sprintf("%.20q is not a time of day", s.DigestAt),
			"give one such as 07:30, or leave it empty for no digest")
	case s.ShareAddress != "" && !isListenAddress(s.ShareAddress):
		return fault.Invalid("share_address", fmt.Sprintf("%.100q is not an address to listen on", s.ShareAddress),
			"give an address and a port, such as 0.0.0.0:4444, or leave it empty to let no device in")
	case s.LinkAddress != "" && (!isPageURL(s.LinkAddress) || strings.ContainsAny(s.LinkAddress, "?#@")):
		return fault.Invalid("link_address", fmt.Sprintf("%.200q is not the address of a page", s.LinkAddress),
			"give the address at which your phone opens Goalpost, such as https://desk.example:8443/, or leave it empty")
	case s.invalidGoalFilter() != "":
		return fault.Invalid("goal_filters", s.invalidGoalFilter(),
			fmt.Sprintf("save at most %d filters, each with another name of at most %d letters", maxFilters, maxFilterName))
	case s.HomePage != "" && !isPageURL(s.HomePage):
		return fault.Invalid("home_page", fmt.Sprintf("%q is not the address of a page", s.HomePage),
			"give a complete address, such as https://example.org/, or leave it empty")
	case s.SearchPage != "" && s.SearchPage != NoSearch &&
		(!isPageURL(s.SearchPage) || strings.Count(s.SearchPage, "%s") != 1):
		return fault.Invalid("search_page", fmt.Sprintf("%q is not the address of a search", s.SearchPage),
			"give one with %s for the words, such as https://example.org/?q=%s, or leave it empty")
	case s.UpdateFeed != "" && !isFeedURL(s.UpdateFeed):
		return fault.Invalid("update_feed", fmt.Sprintf("%.200q is not the address of a release feed", s.UpdateFeed),
			"give an https:// address without a password, or leave it empty to switch the check off")
	case s.WebSearchAddress != "" && (!isPageURL(s.WebSearchAddress) || strings.ContainsAny(s.WebSearchAddress, "?#")):
		return fault.Invalid("web_search_address",
			fmt.Sprintf("%q is not the address of a search engine", s.WebSearchAddress),
			"give its base address, such as http://127.0.0.1:8888, without a query")
	case s.WebSearchSecret != "" && !secretForm.MatchString(s.WebSearchSecret):
		return fault.Invalid("web_search_secret", fmt.Sprintf("%q is not the name of a secret", s.WebSearchSecret),
			"store the key under Secrets, and give the name of that secret")
	case s.WorkDir != "" && !filepath.IsAbs(s.WorkDir):
		return fault.Invalid("work_dir", fmt.Sprintf("%q is not an absolute path", s.WorkDir),
			"give an absolute path, such as /home/you/goals, or leave it empty")
	}
	return nil
}

// Limits of keys.
const maxCommands, maxKeys = 500, 5

// invalidKey returns a command or key that is none, "" if all are valid.
func (s Settings) invalidKey() string {
	for command, keys := range s.Keys {
		if !commandForm.MatchString(command) || len(s.Keys) > maxCommands || len(keys) > maxKeys {
			return command
		}
		if i := slices.IndexFunc(keys, func(k string) bool { return !keyForm.MatchString(k) }); i >= 0 {
			return cmp.Or(keys[i], command)
		}
	}
	return ""
}

// invalidLeaderKey returns a command that has no possible letter, "" if all are valid.
func (s Settings) invalidLeaderKey() string {
	for command, letter := range s.LeaderKeys {
		if !commandForm.MatchString(command) || !leaderForm.MatchString(letter) || len(s.LeaderKeys) > maxCommands {
			return command
		}
	}
	return ""
}

// Settings returns the user's choices.
func (c *Config) Settings() Settings {
	return c.current().Settings
}

// SaveSettings saves the user's choices.
func (c *Config) SaveSettings(s Settings) error {
	if err := s.validate(); err != nil {
		return err
	}
	if s.WorkDir != "" {
		s.WorkDir = filepath.Clean(s.WorkDir)
		if rel, err := filepath.Rel(c.state, s.WorkDir); err == nil && (rel == "." || filepath.IsLocal(rel)) {
			return fault.Invalid("work_dir", s.WorkDir+" is the folder of Goalpost's own data",
				"choose another folder; no goal may work there")
		}
		if err := checkRootOwnership(s.WorkDir); err != nil {
			return err
		}
	}
	return c.change(func(f *file) error {
		for name, model := range s.roles() {
			if id := providerOf(*model); *model != "" && f.find(id) < 0 {
				return fault.Invalid(name, fmt.Sprintf("there is no provider %q", id), "choose a model that is connected")
			}
		}
		if s.ColorScheme != f.Settings.ColorScheme {
			if err := f.validateColorScheme(s.ColorScheme); err != nil {
				return err
			}
		}
		f.Settings = s
		return nil
	})
}

// roles returns the models by the key of their setting.
func (m *ModelRoles) roles() map[string]*string {
	return map[string]*string{
		"chat_model": &m.ChatModel, "critic_model": &m.CriticModel, "judge_model": &m.JudgeModel,
		"review_model": &m.ReviewModel, "vision_model": &m.VisionModel, "summary_model": &m.SummaryModel,
		"fallback_model": &m.FallbackModel,
	}
}

// providerOf returns the provider of PROVIDER/MODEL.
func providerOf(model string) string {
	id, _, _ := strings.Cut(model, "/")
	return id
}

// Providers lists the saved providers in the order in which they were added.
func (c *Config) Providers() []Provider {
	f := c.current()
	list := slices.Clone(f.Providers)
	for i := range list {
		list[i].Active = list[i].ID == f.Active
	}
	return list
}

var (
	idPattern    = text.NewPattern(`^[A-Za-z0-9[][][A-Za-z0-9._:-]{0,63}$`)
	commandForm  = text.NewPattern(`^[a-z][a-z0-9.-]{0,63}$`)
	keyForm      = text.NewPattern(`^((Ctrl|Shift|Alt)[+]){0,3}[A-Z][A-Za-z0-9]{0,30}$`)
	leaderForm   = text.NewPattern(`^[a-z0-9←→↑↓]?$`)
	secretForm   = text.NewPattern(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	variableForm = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Validate refuses a provider that cannot work.
func (p Provider) Validate() error {
	const minWindow, maxWindow = 4_096, 100_000_000
	u, err := url.Parse(p.BaseURL)
	switch {
	case !idPattern.MatchString(p.ID) || p.ID == string(Demo):
		if p.ID == "" {
			return fault.Invalid("id", "the provider has no name", "enter a name")
		}
		return fault.Invalid("id", fmt.Sprintf("%q is not a valid provider name", p.ID),
			"use letters, digits, dots and dashes; demo is taken")
	case p.Kind != OpenAI && p.Kind != OpenAIResponses && p.Kind != Anthropic:
		return fault.Invalid("kind", fmt.Sprintf("unknown kind of provider %q", p.Kind),
			"use openai (any server that speaks /chat/completions), openai-responses or anthropic")
	case err != nil || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") || (u.Scheme != "http" && u.Scheme != "https"):
		return fault.Invalid("base_url", fmt.Sprintf("%q is not an address", p.BaseURL),
			"give one like http://127.0.0.1:11434/v1")
	case u.User != nil || !hasOnlyVersion(u):
		return fault.Invalid("base_url", "the address contains a password or a query",
			"put the key into an environment variable and name that")
	case p.APIKeyEnv != "" && !variableForm.MatchString(p.APIKeyEnv):
		return fault.Invalid("api_key_env", "this is not the name of an environment variable",
			"give the name of the variable that contains the key, not the key itself")
	case p.APIKeySecret != "" && (!secretForm.MatchString(p.APIKeySecret) || p.APIKeyEnv != ""):
		return fault.Invalid("api_key_secret", "this is not the name of a secret, or the key is named twice",
			"give the name of a secret, not the key itself, and no environment variable")
	case p.Price != nil && !p.Price.isValid():
		return fault.Invalid("price", "these are not prices in USD per million tokens",
			fmt.Sprintf("give the price of input and of output, each more than 0 and at most %d", maxPrice))
	case p.ContextWindow != 0 && (p.ContextWindow < minWindow || p.ContextWindow > maxWindow):
		return fault.Invalid("context_window", fmt.Sprintf("a context window of %d tokens is out of range", p.ContextWindow),
			fmt.Sprintf("use at least %d, or 0 for the known value of the model", minWindow))
	}
	return nil
}

// hasOnlyVersion reports whether an address has no query, or only the version of the API that Azure's older addresses
// need.
func hasOnlyVersion(u *url.URL) bool {
	query, err := url.ParseQuery(u.RawQuery)
	delete(query, "api-version")
	return err == nil && len(query) == 0
}

// maxPrice is the highest accepted price in USD per million tokens.
const maxPrice = 100_000

func (p *Price) isValid() bool {
	isPrice := func(usd float64) bool { return usd > 0 && usd <= maxPrice }
	return isPrice(p.Input) && isPrice(p.Output) && (p.CachedInput == 0 || isPrice(p.CachedInput))
}

// RecordTest stores the outcome of a test of a provider, unless the provider has been changed since.
func (c *Config) RecordTest(p Provider, t ProviderTest) error {
	return c.change(func(f *file) error {
		if i := f.find(p.ID); i >= 0 && f.Providers[i].isSameServer(p) {
			f.Providers[i].Test = &t
		}
		return nil
	})
}

// SaveProvider adds a provider or replaces the one with its id. The first one becomes the default.
func (c *Config) SaveProvider(p Provider) error {
	_, err := c.ChangeProvider(p.ID, func(now *Provider) error {
		*now = p
		return nil
	})
	return err
}

// ChangeProvider edits the provider with an id, or a new one if there is none, and returns what it saved. Fields that
// edit does not touch are unchanged.
func (c *Config) ChangeProvider(id string, edit func(*Provider) error) (p Provider, err error) {
	err = c.change(func(f *file) error {
		i := f.find(id)
		if p = (Provider{ID: id}); i >= 0 {
			p = f.Providers[i]
		}
		before := p
		if err := edit(&p); err != nil {
			return err
		}
		if p.Test == before.Test && !p.isSameServer(before) {
			p.Test = nil
		}
		if err := p.Validate(); err != nil {
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

// DeleteProvider removes a provider; if it was the default, the first of the others becomes the default. The roles of
// its models go to no model in particular.
func (c *Config) DeleteProvider(id string) error {
	return c.change(func(f *file) error {
		i := f.find(id)
		if i < 0 {
			return unknownProvider(id)
		}
		f.Providers = slices.Delete(f.Providers, i, i+1)
		for _, model := range f.Settings.roles() {
			if providerOf(*model) == id {
				*model = ""
			}
		}
		if f.Active == id {
			f.Active = ""
			if len(f.Providers) > 0 {
				f.Active = f.Providers[0].ID
			}
		}
		return nil
	})
}

// Use makes a provider the default for new goals.
func (c *Config) Use(id string) error {
	return c.change(func(f *file) error {
		if f.find(id) < 0 {
			return unknownProvider(id)
		}
		f.Active = id
		return nil
	})
}

// find returns the index of a provider, -1 if there is none.
func (f *file) find(id string) int {
	return slices.IndexFunc(f.Providers, func(p Provider) bool { return p.ID == id })
}

func unknownProvider(id string) error {
	return fault.Invalid("id", fmt.Sprintf("there is no provider %q", id), "the settings and `providers list` show them")
}

// maxUserAgent is the length of the longest user agent.
const maxUserAgent = 500

func isNotPrintableASCII(r rune) bool { return r < ' ' || r > '~' }

// isListenAddress reports whether an address is an IP address, or a name of this machine, with a port.
func isListenAddress(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && (host == "localhost" || net.ParseIP(host) != nil)
}

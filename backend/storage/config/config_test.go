package config_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// environment is a getenv over a map.
func environment(m map[string]string) func(string) string {
	return func(k string) string { return m[k] }
}

func open(t *testing.T, home string) *config.Config {
	t.Helper()
	c, err := config.Open(environment(map[string]string{config.HomeVariable: home}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func invalid(err error) *fault.Error {
	var e *fault.Error
	if errors.As(err, &e) {
		return e
	}
	return &fault.Error{}
}

func TestOpen_Environment_DecidesTheFolders(t *testing.T) {
	home := t.TempDir()
	for name, test := range map[string]struct {
		env         map[string]string
		state, work string
	}{
		"one folder": {map[string]string{
			config.HomeVariable: home + "/one",
			"HOME":              "/nowhere",
		}, home + "/one/state", home + "/one/work"},
		"XDG": {map[string]string{"HOME": home, "XDG_STATE_HOME": home + "/xdg"}, home + "/xdg/goalpost", home +
			"/Goalpost"},
		"no XDG": {map[string]string{"HOME": home}, home + "/.local/state/goalpost", home + "/Goalpost"},
		"a relative XDG": {
			map[string]string{"HOME": home, "XDG_STATE_HOME": "state"},
			home + "/.local/state/goalpost",
			home + "/Goalpost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := config.Open(environment(test.env))
			if err != nil {
				t.Fatal(err)
			}
			if c.State() != test.state || c.Work() != test.work {
				t.Errorf("state %s, work %s", c.State(), c.Work())
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := config.Open(environment(map[string]string{})); invalid(err).Field != "HOME" {
		t.Errorf("without HOME: %v", err)
	}
}

func TestOpen_StateFolder_IsPrivate(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := open(t, home)
	c.Log().Info("hello")
	if err := c.SaveSettings(c.Settings()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		"":                 0o700,
		"log":              0o700,
		"settings.json":    0o600,
		"log/goalpost.log": 0o600,
	} {
		info, err := os.Stat(filepath.Join(c.State(), path))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %o", path, got)
		}
	}
}

func TestOpen_FolderOfAnotherUser_IsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of another user")
	}
	const other = 54321
	user := filepath.Join(t.TempDir(), "user")
	for _, dir := range []string{user, filepath.Join(user, "state")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, other, other); err != nil {
			t.Fatal(err)
		}
	}
	for _, home := range []string{user, filepath.Join(user, "new", "deeper")} {
		_, err := config.Open(environment(map[string]string{config.HomeVariable: home}))
		if e := invalid(err); e.Field != config.HomeVariable || !strings.Contains(e.Message, "uid 54321") || e.Hint == "" {
			t.Errorf("%s: %v", home, err)
		}
	}
	if _, err := os.Stat(filepath.Join(user, "new")); err == nil {
		t.Error("root left a folder in the user's home")
	}
}

func TestSettings_AreReadBack(t *testing.T) {
	home := t.TempDir()
	c := open(t, home)
	if s := c.Settings(); s.Theme != "system" || s.Welcomed || s.Scrollback <= 0 {
		t.Errorf("defaults %+v", s)
	}
	want := config.Settings{
		Theme:           "dark",
		FontSize:        15,
		Scrollback:      5000,
		CursorStyle:     "bar",
		ColorScheme:     "Nord",
		Shell:           "/bin/zsh",
		Keys:            map[string][]string{"pane.split": {"Ctrl+Shift+KeyX"}, "pane.zoom": {}},
		Welcomed:        true,
		HostIdleMinutes: 25,
		KeepAwake:       config.AwakeLid,
		PageIdleMinutes: 30,
		AskWhereToSave:  true,
		UserAgent:       "Tester/1.0",
		ApprovalMinutes: 3,
		SilenceMinutes:  20,
		ModelWaitHours:  8,
		ChatRounds:      40,
		GoalsAtOnce:     5,
		KeepDays:        30,
		GraceMinutes:    7,
		GoalMemory:      2048,
		GoalFilters:     []config.GoalFilter{{Name: "Mine", Search: "cart", Folders: []string{"/srv/shop"}}, {Name: "All"}},
		Toolchains:      "/home/ada/.zig",
		WorkDir:         filepath.Join(home, "elsewhere"),
		HomePage:        "http://127.0.0.1:3000/",
		SearchPage:      "https://example.org/?q=%s",
		UpdateFeed:      "https://example.org/releases/latest",
		WebSearch:       "searxng", WebSearchAddress: "http://127.0.0.1:8888", WebSearchSecret: "search-key",
	}
	if c.Work() != filepath.Join(home, "work") {
		t.Errorf("goals get their folders in %s", c.Work())
	}
	if err := c.SaveSettings(want); err != nil {
		t.Fatal(err)
	}
	if got := open(t, home).Settings(); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(c.Settings(), want) {
		t.Errorf("came back as %+v", got)
	}
	for field, s := range map[string]config.Settings{
		"theme":      {Theme: "pink", FontSize: 13, Scrollback: 1000},
		"font_size":  {Theme: "dark", FontSize: 2, Scrollback: 1000},
		"scrollback": {Theme: "dark", FontSize: 13, Scrollback: -1},

		"cursor_style": {Theme: "dark", FontSize: 13, Scrollback: 1000, CursorStyle: "heart"},
		"color_scheme": {Theme: "dark", FontSize: 13, Scrollback: 1000, ColorScheme: "Sunset"},
		"shell":        {Theme: "dark", FontSize: 13, Scrollback: 1000, Shell: "fish"},
		"keys":         {Theme: "dark", FontSize: 13, Scrollback: 1000, Keys: map[string][]string{"pane.split": {"ctrl x"}}},

		"keep_awake":         {Theme: "dark", FontSize: 13, Scrollback: 1000, KeepAwake: "sometimes"},
		"goals_at_once":      {Theme: "dark", FontSize: 13, Scrollback: 1000, GoalsAtOnce: 1000},
		"keep_days":          {Theme: "dark", FontSize: 13, Scrollback: 1000, KeepDays: -1},
		"silence_minutes":    {Theme: "dark", FontSize: 13, Scrollback: 1000, SilenceMinutes: -1},
		"model_wait_hours":   {Theme: "dark", FontSize: 13, Scrollback: 1000, ModelWaitHours: 1000},
		"chat_rounds":        {Theme: "dark", FontSize: 13, Scrollback: 1000, ChatRounds: -1},
		"user_agent":         {Theme: "dark", FontSize: 13, Scrollback: 1000, UserAgent: "a\nb"},
		"page_idle_minutes":  {Theme: "dark", FontSize: 13, Scrollback: 1000, PageIdleMinutes: 1441},
		"host_idle_minutes":  {Theme: "dark", FontSize: 13, Scrollback: 1000, HostIdleMinutes: 1441},
		"grace_minutes":      {Theme: "dark", FontSize: 13, Scrollback: 1000, GraceMinutes: 1441},
		"goal_memory":        {Theme: "dark", FontSize: 13, Scrollback: 1000, GoalMemory: 127},
		"goal_filters":       {Theme: "dark", FontSize: 13, Scrollback: 1000, GoalFilters: []config.GoalFilter{{}}},
		"home_page":          {Theme: "dark", FontSize: 13, Scrollback: 1000, HomePage: "file:///etc/passwd"},
		"web_search":         {Theme: "dark", FontSize: 13, Scrollback: 1000, WebSearch: "other"},
		"web_search_address": {Theme: "dark", FontSize: 13, Scrollback: 1000, WebSearchAddress: "127.0.0.1:8888"},
		"web_search_secret":  {Theme: "dark", FontSize: 13, Scrollback: 1000, WebSearchSecret: "a b"},
		"search_page":        {Theme: "dark", FontSize: 13, Scrollback: 1000, SearchPage: "https://example.org/?q="},
		"work_dir":           {Theme: "dark", FontSize: 13, Scrollback: 1000, WorkDir: "goals"},
		"update_feed":        {Theme: "dark", FontSize: 13, Scrollback: 1000, UpdateFeed: "http://example.org/"},
	} {
		s.KeepAwake = cmp.Or(s.KeepAwake, config.AwakeOff)
		if e := invalid(c.SaveSettings(s)); e.Field != field || e.Hint == "" {
			t.Errorf("%s: %+v", field, e)
		}
	}
	within := want
	within.WorkDir = filepath.Join(c.State(), "browser")
	if e := invalid(c.SaveSettings(within)); e.Field != "work_dir" || e.Hint == "" {
		t.Errorf("goals would work in the program's own data: %+v", e)
	}
	if !reflect.DeepEqual(c.Settings(), want) || c.Work() != want.WorkDir {
		t.Error("a refused setting was kept")
	}
}

func TestGoalFilters_WithoutNameOrTooLarge_AreRefused(t *testing.T) {
	c := open(t, t.TempDir())
	many := make([]config.GoalFilter, 51)
	for i := range many {
		many[i].Name = fmt.Sprint(i)
	}
	for problem, filters := range map[string][]config.GoalFilter{
		"not a name":   {{Name: "one\ntwo"}},
		"two filters":  {{Name: "Mine"}, {Name: "Mine"}},
		"too long":     {{Name: "Mine", Search: strings.Repeat("x", 5000)}},
		"are too many": many,
	} {
		s := c.Settings()
		s.GoalFilters = filters
		if e := invalid(c.SaveSettings(s)); e.Field != "goal_filters" || !strings.Contains(e.Message, problem) {
			t.Errorf("%s: %+v", problem, e)
		}
	}
	s := c.Settings()
	s.GoalFilters = many[:50]
	if err := c.SaveSettings(s); err != nil {
		t.Error(err)
	}
}

func TestSettings_NotJSON_StayUntilTheUserMovesThemAside(t *testing.T) {
	for text, want := range map[string]config.FileProblem{
		"{":                                    {Line: 1, Column: 1, Message: "unexpected end"},
		"":                                     {Line: 1, Column: 1, Message: "unexpected end"},
		"[]":                                   {Line: 1, Column: 1, Message: "the file must be an object"},
		"\x00\xff":                             {Line: 1, Column: 1, Message: "invalid character"},
		"{\n  \"settings\": {},\n}":            {Line: 3, Column: 1, Message: "invalid character '}'"},
		"{\"ü\":1,\"settings\":{}}\n trailing": {Line: 2, Column: 2, Message: "invalid character 't'"},
	} {
		home := t.TempDir()
		state := filepath.Join(home, "state")
		if err := os.MkdirAll(state, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(state, "settings.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, home)
		if s := c.Settings(); s.Theme != "system" || !s.Welcomed || len(c.Providers()) != 0 {
			t.Errorf("%q: settings %+v", text, s)
		}
		checkProblem(t, c, want)
		if err := c.SaveSettings(c.Settings()); fault.Of(err).Code != fault.Conflict || fault.Of(err).Hint == "" {
			t.Errorf("%q: saving: %v", text, err)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
			t.Errorf("%q became %q, %v", text, kept, err)
		}
		if kept, err := c.MoveAside(); err != nil || kept != path+".unreadable" {
			t.Errorf("%q: moved to %q, %v", text, kept, err)
		}
		if kept, err := os.ReadFile(path + ".unreadable"); err != nil || string(kept) != text {
			t.Errorf("%q: kept %q, %v", text, kept, err)
		}
		if log, err := os.ReadFile(filepath.Join(state, "log", "goalpost.log")); err != nil ||
			!strings.Contains(string(log), "the settings have errors") {
			t.Errorf("the log says %q, %v", log, err)
		}
		if err := c.SaveSettings(c.Settings()); err != nil {
			t.Errorf("%q: saving afterwards: %v", text, err)
		}
	}
}

// checkProblem checks the only problem of the settings file.
func checkProblem(t *testing.T, c *config.Config, want config.FileProblem) {
	t.Helper()
	have := c.FileState().Problems
	if len(have) != 1 || have[0].Line != want.Line || have[0].Column != want.Column || have[0].Hint == "" ||
		!strings.Contains(have[0].Message, want.Message) {
		t.Errorf("problems %+v, want %+v", have, want)
	}
}

func TestSettings_FileBreaksLater_NothingIsLost(t *testing.T) {
	c := open(t, t.TempDir())
	if err := c.SaveProvider(validateFilesystem("one")); err != nil {
		t.Fatal(err)
	}
	broken := func(text string) {
		t.Helper()
		if err := os.WriteFile(c.Path(), []byte(text), 0o600); err != nil { // an editor, half way
			t.Fatal(err)
		}
		if n := len(c.Providers()); n != 1 {
			t.Errorf("%d providers", n)
		}
		if err := c.SaveProvider(validateFilesystem("two")); fault.Of(err).Code != fault.Conflict {
			t.Errorf("saving: %v", err)
		}
	}
	for _, name := range []string{".unreadable", ".unreadable-2"} {
		text := `{"settings":` + name
		broken(text)
		if _, err := c.MoveAside(); err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(c.Path() + name); err != nil || string(kept) != text {
			t.Errorf("kept %q, %v", kept, err)
		}
	}
	if err := c.SaveProvider(validateFilesystem("two")); err != nil || len(c.Providers()) != 2 {
		t.Errorf("%d providers, %v", len(c.Providers()), err)
	}
	if _, err := c.MoveAside(); fault.Of(err).Code != fault.Conflict {
		t.Errorf("a file without errors was moved: %v", err)
	}
}

func TestSettings_OneIsWrong_OnlyThatHasItsDefault(t *testing.T) {
	for part, want := range map[string]config.FileProblem{
		`"theme": "pink"`:           {Line: 4, Column: 14, Message: `unknown theme "pink"`},
		`"approval_minutes": -1`:    {Line: 4, Column: 25, Message: "-1 is out of range for approval minutes"},
		`"goal_memory": 100`:        {Line: 4, Column: 20, Message: "100 is out of range"},
		`"font_size": "14"`:         {Line: 4, Column: 18, Message: "font_size must be a whole number"},
		`"font_size": 13.5`:         {Line: 4, Column: 18, Message: "font_size must be a whole number"},
		`"webgl": 1`:                {Line: 4, Column: 14, Message: "webgl must be true or false"},
		`"keys": ["Ctrl+Alt+KeyO"]`: {Line: 4, Column: 13, Message: "keys must be an object"},
		`"keys": {"chat": "KeyO"}`:  {Line: 4, Column: 22, Message: "chat must be a list"},
		`"fontsize": 14`:            {Line: 4, Column: 5, Message: `"fontsize" is not a known key`},
		`"shell": "bash"`:           {Line: 4, Column: 14, Message: "not an absolute path"},
	} {
		t.Run(part, func(t *testing.T) {
			c := open(t, t.TempDir())
			text := "{\n  \"settings\": {\n    \"scrollback\": 5000,\n    " + part + "\n  },\n" +
				`  "providers":[{"id":"a","kind":"openai","base_url":"http://127.0.0.1:1/v1"}],"active":"a"}`
			if err := os.WriteFile(c.Path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s := c.Settings()
			if s.Scrollback != 5000 || s.Theme != "system" || s.FontSize != 13 || s.ApprovalMinutes != 10 || s.Shell != "" ||
				len(c.Providers()) != 1 || !c.Providers()[0].Active {
				t.Errorf("settings %+v, providers %+v", s, c.Providers())
			}
			checkProblem(t, c, want)
			if err := c.SaveSettings(s); fault.Of(err).Code != fault.Conflict {
				t.Errorf("saving: %v", err)
			}
			if kept, err := os.ReadFile(c.Path()); err != nil || string(kept) != text {
				t.Errorf("the file became %q, %v", kept, err)
			}
			fixed := strings.Replace(text, ",\n    "+part, "", 1)
			if err := os.WriteFile(c.Path(), []byte(fixed), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.SaveSettings(c.Settings()); err != nil || len(c.FileState().Problems) != 0 {
				t.Errorf("after the correction: %v, %+v", err, c.FileState())
			}
		})
	}
}

func TestSettings_Saved_NameTheirSchema(t *testing.T) {
	c := open(t, t.TempDir())
	if err := c.SaveSettings(c.Settings()); err != nil {
		t.Fatal(err)
	}
	var saved struct {
		Schema string `json:"$schema"`
	}
	if b, err := os.ReadFile(c.Path()); err != nil || json.Unmarshal(b, &saved) != nil {
		t.Fatalf("%s, %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(c.State(), saved.Schema)); err != nil || string(b) != config.Schema() {
		t.Errorf("the schema %q is not there: %v", saved.Schema, err)
	}
	if problems := c.FileState().Problems; len(problems) > 0 {
		t.Errorf("what was saved has the problems %+v", problems)
	}
}

func validateFilesystem(id string) config.Provider {
	return config.Provider{ID: id, Kind: config.OpenAI, BaseURL: "http://127.0.0.1:11434/v1", Model: "small"}
}

// The command line names the provider of --base-url after its host.
func TestProvider_NameOfAHost_IsValid(t *testing.T) {
	c := open(t, t.TempDir())
	for _, id := range []string{"127.0.0.1:11434", "[::1]:8080", "api.example.com", "box_2"} {
		if err := c.SaveProvider(validateFilesystem(id)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestProviders_EachChange_IsSaved(t *testing.T) {
	home := t.TempDir()
	c := open(t, home)
	for _, id := range []string{"one", "two", "three"} {
		if err := c.SaveProvider(validateFilesystem(id)); err != nil {
			t.Fatal(err)
		}
	}
	shape := func(c *config.Config) string {
		var out []string
		for _, p := range c.Providers() {
			out = append(out, fmt.Sprintf("%s:%s:%v", p.ID, p.Model, p.Active))
		}
		return strings.Join(out, " ")
	}
	changed := validateFilesystem("two")
	changed.Model = "big"
	steps := []struct {
		do   func() error
		want string
	}{
		{func() error { return nil }, "one:small:true two:small:false three:small:false"},
		{func() error { return c.SaveProvider(changed) }, "one:small:true two:big:false three:small:false"},
		{func() error { return c.Use("two") }, "one:small:false two:big:true three:small:false"},
		{func() error { return c.DeleteProvider("one") }, "two:big:true three:small:false"},
		{func() error { return c.DeleteProvider("two") }, "three:small:true"},
		{func() error { return c.DeleteProvider("three") }, ""},
	}
	for i, s := range steps {
		if err := s.do(); err != nil {
			t.Fatal(err)
		}
		if got, again := shape(c), shape(open(t, home)); got != s.want || again != s.want {
			t.Errorf("step %d: %q, from disk %q, want %q", i, got, again, s.want)
		}
	}
	for name, err := range map[string]error{"use": c.Use("nobody"), "delete": c.DeleteProvider("nobody")} {
		if e := invalid(err); e.Field != "id" || !strings.Contains(e.Message, "nobody") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProvider_Invalid_IsRefused(t *testing.T) {
	c := open(t, t.TempDir())
	for _, test := range []struct {
		field  string
		change func(*config.Provider)
	}{
		{"id", func(p *config.Provider) { p.ID = "" }},
		{"id", func(p *config.Provider) { p.ID = "demo" }},
		{"id", func(p *config.Provider) { p.ID = "a b" }},
		{"id", func(p *config.Provider) { p.ID = strings.Repeat("x", 65) }},
		{"context_window", func(p *config.Provider) { p.ContextWindow = -1 }},
		{"context_window", func(p *config.Provider) { p.ContextWindow = 100 }},
		{"price", func(p *config.Provider) { p.Price = &config.Price{Input: 1} }},
		{"price", func(p *config.Provider) { p.Price = &config.Price{Input: -1, Output: 1} }},
		{"kind", func(p *config.Provider) { p.Kind = "demo" }},
		{"kind", func(p *config.Provider) { p.Kind = "" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "localhost:8080" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "file:///etc/passwd" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "http://" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "http://127.0.0.1:" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "https://me:secret@host/v1" }},
		{"base_url", func(p *config.Provider) { p.BaseURL = "https://host/v1?key=secret" }},
		{"api_key_env", func(p *config.Provider) { p.APIKeyEnv = "sk-abcdef" }},
		{"api_key_env", func(p *config.Provider) { p.APIKeyEnv = "A=B" }},
	} {
		p := validateFilesystem("x")
		test.change(&p)
		e := invalid(c.SaveProvider(p))
		if e.Field != test.field || e.Hint == "" || strings.Contains(e.Message, "secret") ||
			strings.Contains(e.Message, "sk-") {
			t.Errorf("%+v: %+v", p, e)
		}
	}
	if n := len(c.Providers()); n != 0 {
		t.Errorf("%d providers were kept", n)
	}
}

func TestChangeProvider_AnotherServer_DropsTheTest(t *testing.T) {
	c := open(t, t.TempDir())
	p := validateFilesystem("x")
	if err := c.SaveProvider(p); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*config.Provider){
		"model":   func(p *config.Provider) { p.Model += "x" },
		"address": func(p *config.Provider) { p.BaseURL += "/x" },
		"key":     func(p *config.Provider) { p.APIKeyEnv = "ANOTHER" },
		"window":  nil,
	} {
		tested := c.Providers()[0]
		if err := c.RecordTest(tested, config.ProviderTest{At: time.Now(), OK: true, Model: tested.Model}); err != nil {
			t.Fatal(err)
		}
		if !c.Providers()[0].IsReady() {
			t.Fatalf("%s: not ready after a test", name)
		}
		if _, err := c.ChangeProvider("x", func(p *config.Provider) error {
			if p.ContextWindow = 9_000; change != nil {
				change(p)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := c.Providers()[0].IsReady(); got != (change == nil) {
			t.Errorf("%s: ready is %v", name, got)
		}
		// The outcome of a test that began before the change does not count.
		if err := c.RecordTest(tested, config.ProviderTest{OK: true}); err != nil {
			t.Fatal(err)
		}
		if got := c.Providers()[0].IsReady(); got != (change == nil) {
			t.Errorf("%s: ready is %v after an older test", name, got)
		}
	}
}

func TestPresets_EachOne_IsAProviderAndHasItsName(t *testing.T) {
	for _, p := range config.Presets() {
		if found, ok := config.FindPreset(strings.ToUpper(p.ID)); !ok || found.ID != p.ID {
			t.Errorf("%s is found as %+v", p.ID, found)
		}
		provider := config.Provider{ID: p.ID, Kind: p.Kind, BaseURL: p.BaseURL}
		if err := provider.Validate(); err != nil && p.BaseURL != "" {
			t.Errorf("%s: %v", p.ID, err)
		}
		if p.BaseURL != "" && !p.IsLocal && (len(p.KeyVariables) == 0 || p.KeyPage == "") {
			t.Errorf("%s has no key variable or page: %+v", p.ID, p)
		}
	}
	if p, ok := config.FindPreset("LM Studio"); !ok || p.ID != "lmstudio" {
		t.Errorf("LM Studio is %+v", p)
	}
	if _, err := config.RequirePreset("nobody"); invalid(err).Field != "preset" {
		t.Errorf("%v", err)
	}
}

// A window and the command line have the same folder open.
func TestSettings_TwoProcesses_KeepBothChanges(t *testing.T) {
	home := t.TempDir()
	a, b := open(t, home), open(t, home)
	var all sync.WaitGroup
	for n, c := range []*config.Config{a, b} {
		all.Go(func() {
			for i := range 20 {
				if err := c.SaveProvider(validateFilesystem(fmt.Sprintf("p%d-%d", n, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := a.SaveSettings(config.Settings{
		Theme: "light", FontSize: 13, Scrollback: 1000, KeepAwake: config.AwakeOff,
	}); err != nil {
		t.Fatal(err)
	}
	if n := len(open(t, home).Providers()); n != 40 || len(b.Providers()) != 40 || b.Settings().Theme != "light" {
		t.Errorf("%d providers are left, the other process sees %d and %+v", n, len(b.Providers()), b.Settings())
	}
}

func TestLog_Full_IsRotated(t *testing.T) {
	c := open(t, t.TempDir())
	dir := filepath.Join(c.State(), "log")
	line := strings.Repeat("x", 1<<20)
	for i := range 75 {
		c.Log().Info(line, "n", i)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 5 {
		t.Errorf("%d files", len(entries))
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 10<<20 {
			t.Errorf("%s has %d bytes", e.Name(), info.Size())
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(b)) {
			if !json.Valid([]byte(l)) {
				t.Fatalf("%s holds a broken line of %d bytes", e.Name(), len(l))
			}
		}
	}
	newest, err := os.ReadFile(filepath.Join(dir, "goalpost.log"))
	if err != nil || !strings.Contains(string(newest), `"n":74}`) {
		t.Errorf("the newest line is not in the newest file: %v", err)
	}
}

func TestLog_RotationFails_Continues(t *testing.T) {
	c := open(t, t.TempDir())
	blocked := filepath.Join(c.State(), "log", "goalpost.log.1")
	// a folder that is not empty cannot be replaced
	if err := os.MkdirAll(filepath.Join(blocked, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(c.State(), "log", "goalpost.log.2", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 1<<20)
	for range 12 {
		c.Log().Info(line)
	}
	c.Log().Info("the last word")
	b, err := os.ReadFile(filepath.Join(c.State(), "log", "goalpost.log"))
	if err != nil || !strings.Contains(string(b), "the last word") {
		t.Errorf("the log has stopped: %v", err)
	}
}

// TestRoles_UnknownProvider_IsRefused also checks that the roles of a deleted provider's models are free again.
func TestRoles_UnknownProvider_IsRefused(t *testing.T) {
	c := open(t, t.TempDir())
	for _, id := range []string{"a", "b"} {
		p := config.Provider{ID: id, Kind: config.OpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m"}
		if err := c.SaveProvider(p); err != nil {
			t.Fatal(err)
		}
	}
	s := c.Settings()
	s.CriticModel, s.FallbackModel, s.ChatModel = "a/small", "b/m", "gone/m"
	var refusal *fault.Error
	if err := c.SaveSettings(s); !errors.As(err, &refusal) || refusal.Field != "chat_model" {
		t.Errorf("a model of an unknown provider: %v", err)
	}
	s.ChatModel = "a/org/large"
	if err := c.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteProvider("a"); err != nil {
		t.Fatal(err)
	}
	if got := c.Settings(); got.ModelRoles != (config.ModelRoles{FallbackModel: "b/m"}) {
		t.Errorf("without the provider: %+v", got.ModelRoles)
	}
}

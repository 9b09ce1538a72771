package session

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/models"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// now is a clock on which every wait ends at once, except that for a silent model.
type now struct {
	mu sync.Mutex
	at time.Time
}

func (n *now) Now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.at
}

func (n *now) After(d time.Duration) <-chan time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	if d > time.Minute {
		return nil
	}
	n.at = n.at.Add(d)
	c := make(chan time.Time, 1)
	c <- n.at
	return c
}

// study returns a session that has only models, and its warnings.
func study(t *testing.T, providers ...config.Provider) (*Session, *[]string) {
	t.Helper()
	home := t.TempDir()
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: home}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range providers {
		if err := cfg.SaveProvider(p); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(home, "state", "settings.json"))
	if len(providers) > 0 && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the settings are %v, %v", info, err)
	}
	secrets, err := secret.Open(secret.Options{Dir: cfg.State(), Mask: &secret.Mask{}})
	if err != nil {
		t.Fatal(err)
	}
	clock := &now{}
	models := &models.Providers{
		Config:    cfg,
		Secrets:   secrets,
		Mask:      &secret.Mask{},
		Clock:     clock,
		Transport: model.NewTransport(),
	}
	t.Cleanup(func() {
		models.Transport.CloseIdleConnections()
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	warned := &[]string{}
	return &Session{
		registry: &Registry{Models: models, Clock: clock}, parkCounters: map[string]*model.ParkCounter{},
		warn: func(what, text string) { *warned = append(*warned, what+" "+text) },
	}, warned
}

func say(text string) modeltest.Script {
	return func(int, modeltest.Request) modeltest.Answer { return modeltest.Say(text) }
}

func ask(t *testing.T, m model.Client, name string) string {
	t.Helper()
	r, err := m.Turn(t.Context(), goal.Turn{Model: name, Messages: []goal.Message{{Role: goal.User, Text: "?"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Text
}

// TestOpenModels_SeveralProviders_EachAsksItsOwn also checks that each request names the provider's own model.
func TestOpenModels_SeveralProviders_EachAsksItsOwn(t *testing.T) {
	agent, critic, judge := modeltest.New(t, say("agent")), modeltest.New(t, say("critic")), modeltest.New(t, say("judge"))
	r, _ := study(
		t,
		config.Provider{ID: "a", Kind: config.OpenAI, BaseURL: agent.URL, Model: "small", ContextWindow: 9_000},
		config.Provider{ID: "c", Kind: config.Anthropic, BaseURL: critic.URL, Model: "strict"},
		config.Provider{ID: "j", Kind: config.OpenAI, BaseURL: judge.URL, Model: "fair"},
	)
	g := goal.Goal{Request: goal.Request{
		Provider: "a",
		Model:    "large",
		Options:  goal.Options{Critic: "c", Judge: "j"},
	}}
	m, err := r.openModels(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if m.other == nil || m.other.Name != "strict" {
		t.Errorf("after the judge, %+v is asked", m.other)
	}
	if m.Window != 9_000 || m.CriticModel != "strict" {
		t.Errorf("window %d, critic %q", m.Window, m.CriticModel)
	}
	if ask(t, m.Agent, g.Model) != "agent" || ask(t, m.Critic, m.CriticModel) != "critic" ||
		ask(t, m.judge, g.Model) != "judge" {
		t.Error("a mind asked the wrong provider")
	}
	if !critic.Requests()[0].Anthropic || agent.Requests()[0].Anthropic {
		t.Error("a provider was asked in the words of the other kind")
	}
	for name, s := range map[string]*modeltest.Server{"large": agent, "strict": critic, "fair": judge} {
		if got := s.Requests()[0].Model; got != name {
			t.Errorf("asked for %q, want %q", got, name)
		}
	}

	m, err = r.openModels(
		t.Context(),
		goal.Goal{Request: goal.Request{Provider: "a", Model: "large"}},
	) // all of one provider
	if err != nil {
		t.Fatal(err)
	}
	if m.other != nil || ask(t, m.Critic, "") != "agent" || ask(t, m.judge, "") != "agent" || m.CriticModel != "large" {
		t.Error("critic and judge are not the goal's own model")
	}
	if got := agent.Requests()[2].Model; got != "large" {
		t.Errorf("the judge asked for %q", got)
	}
	m, err = r.openModels(t.Context(), goal.Goal{Request: goal.Request{Provider: "c", Model: "strict"}})
	if err != nil || m.Window != model.DefaultContextWindow {
		t.Errorf("window of an unknown model: %d, %v", m.Window, err)
	}
}

// TestChoose_RolesInTheSettings_AreForGoalsThatNameNone: each role is asked from the provider of its setting. A goal's
// own choice comes first, and a scripted goal asks nobody.
func TestChoose_RolesInTheSettings_AreForGoalsThatNameNone(t *testing.T) {
	servers, providers := map[string]*modeltest.Server{}, []config.Provider{}
	for _, id := range []string{"own", "critic", "judge", "review", "vision", "summary", "spare", "other"} {
		servers[id] = modeltest.New(t, say(id))
		providers = append(providers, config.Provider{ID: id, Kind: config.OpenAI, BaseURL: servers[id].URL, Model: "m"})
	}
	r, _ := study(t, providers...)
	settings := r.registry.Models.Config.Settings()
	settings.ModelRoles = config.ModelRoles{
		CriticModel: "critic/m", JudgeModel: "judge/m", ReviewModel: "review/m", VisionModel: "vision/m",
		SummaryModel: "summary/m", FallbackModel: "spare/m",
	}
	if err := r.registry.Models.Config.SaveSettings(settings); err != nil {
		t.Fatal(err)
	}
	choose := func(in goal.Request) goal.Goal {
		t.Helper()
		g := goal.Goal{Request: in}
		if err := r.registry.Models.Choose(t.Context(), &g); err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := choose(goal.Request{})
	m, err := r.openModels(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for want, client := range map[string]judge.Model{
		"own": m.Agent, "critic": m.Critic, "judge": m.judge, "review": m.reviewer.Model, "vision": m.vision.Model,
		"summary": m.Summary,
	} {
		reply, err := client.Turn(t.Context(), goal.Turn{Messages: []goal.Message{{Role: goal.User, Text: "?"}}},
			func(string) {})
		if err != nil || reply.Text != want {
			t.Errorf("%s was answered by %q, %v", want, reply.Text, err)
		}
	}
	if got := g.Roles()["fallback"]; got != "spare/m" {
		t.Errorf("%q takes over", got)
	}
	g = choose(goal.Request{Model: "spare", Options: goal.Options{Critic: "other", Reviewer: "other/m"}})
	if g.Critic != "other" || g.Reviewer != "other/m" || g.Judge != "judge/m" || len(g.Fallbacks) != 0 {
		t.Errorf("a goal with choices of its own has %v", g.Roles())
	}
	if g = choose(goal.Request{Provider: models.DemoProvider}); len(g.Roles()) != 0 {
		t.Errorf("a scripted goal has %v", g.Roles())
	}
}

// TestOpenModels_Effort_IsForTheGoalsOwnProvider: every role of the goal's own provider gets the effort. Other
// providers do not, because they may not know it.
func TestOpenModels_Effort_IsForTheGoalsOwnProvider(t *testing.T) {
	own, other := modeltest.New(t, say("own")), modeltest.New(t, say("other"))
	r, _ := study(
		t,
		config.Provider{ID: "a", Kind: config.Anthropic, BaseURL: own.URL, Model: "large"},
		config.Provider{ID: "c", Kind: config.OpenAI, BaseURL: other.URL, Model: "strict"},
	)
	m, err := r.openModels(t.Context(), goal.Goal{
		Request: goal.Request{
			Provider: "a",
			Model:    "large",
			Options:  goal.Options{Effort: "max", Critic: "c"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, m.Agent, "")
	ask(t, m.judge, "")
	ask(t, m.Critic, "strict")
	if got := own.Requests(); got[0].Effort != "max" || got[1].Effort != "max" {
		t.Errorf("its own model was asked for the efforts %q and %q", got[0].Effort, got[1].Effort)
	}
	if got := other.Requests()[0].Effort; got != "" {
		t.Errorf("the critic of another provider was asked for %q", got)
	}
	for provider, effort := range map[string]string{"a": "minimal", "c": "much", models.DemoProvider: "low"} {
		err := r.registry.Models.Choose(t.Context(), &goal.Goal{Request: goal.Request{
			Provider: provider, Options: goal.Options{Effort: effort},
		}})
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Field != "effort" || refusal.Hint == "" {
			t.Errorf("%s %s: %v", provider, effort, err)
		}
	}
}

// TestOpenModels_ScriptedGoal_HasNoCriticOrJudge also checks that a judge that the user named is used.
func TestOpenModels_ScriptedGoal_HasNoCriticOrJudge(t *testing.T) {
	s := modeltest.New(t, say("judge"))
	r, _ := study(t, config.Provider{ID: "j", Kind: config.OpenAI, BaseURL: s.URL, Model: "fair"})
	scripted := goal.Goal{
		Request:  goal.Request{Provider: models.DemoProvider, Model: "demo (scripted, no AI)"},
		Scripted: true,
	}
	m, err := r.openModels(t.Context(), scripted)
	if err != nil || m.Agent == nil || m.Critic != nil || m.judge != nil || m.Window != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	scripted.Options.Judge = "j"
	if m, err = r.openModels(t.Context(), scripted); err != nil || m.Critic != nil || ask(t, m.judge, "") != "judge" {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestChoose_ProviderUnreachable_IsRefused covers the intake, which names the field, and the opening of a run.
func TestChoose_ProviderUnreachable_IsRefused(t *testing.T) {
	s := modeltest.New(t, say("x"))
	r, _ := study(
		t,
		config.Provider{ID: "a", Kind: config.OpenAI, BaseURL: s.URL, Model: "m"},
		config.Provider{ID: "nameless", Kind: config.OpenAI, BaseURL: s.URL},
		config.Provider{ID: "off", Kind: config.OpenAI, BaseURL: "http://127.0.0.1:1/v1", Model: "m"},
	)
	for _, id := range []string{"gone", models.DemoProvider, "nameless", "off"} {
		for field, o := range map[string]goal.Options{
			"critic": {Critic: id},
			"judge":  {Judge: id},
		} {
			err := r.registry.Models.Choose(t.Context(), &goal.Goal{Request: goal.Request{Provider: "a", Options: o}})
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Field != field || refusal.Hint == "" {
				t.Errorf("%s %s: %v", field, id, err)
			}
		}
	}
	if err := r.registry.Models.Choose(t.Context(), &goal.Goal{
		Request: goal.Request{Provider: "a", Options: goal.Options{Critic: "a", Judge: "a"}},
	}); err != nil {
		t.Error(err)
	}
	for role, o := range map[string]goal.Options{
		"critic": {Critic: "gone"},
		"judge":  {Judge: "gone"},
	} {
		if _, err := r.openModels(t.Context(), goal.Goal{Request: goal.Request{Provider: "a", Options: o}}); err == nil ||
			!strings.Contains(err.Error(), role) {
			t.Errorf("%s: %v", role, err)
		}
	}
	if _, err := r.openModels(t.Context(), goal.Goal{Request: goal.Request{Provider: "gone"}}); err == nil {
		t.Error("a goal without its provider runs")
	}
}

// TestOpenModels_LaterRun_ParksLonger: each run makes new models, but the session counts how often the goal was parked.
func TestOpenModels_LaterRun_ParksLonger(t *testing.T) {
	s := modeltest.New(t, func(int, modeltest.Request) modeltest.Answer { return modeltest.Fail(529, "overloaded") })
	r, warned := study(t, config.Provider{ID: "a", Kind: config.OpenAI, BaseURL: s.URL, Model: "m"})
	for n, want := range []time.Duration{30 * time.Second, time.Minute} {
		m, err := r.openModels(t.Context(), goal.Goal{Request: goal.Request{Provider: "a", Model: "m"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Agent.Turn(t.Context(), goal.Turn{}, nil)
		var away *goal.Unavailable
		if !errors.As(err, &away) || away.Until.Sub(r.registry.Clock.Now()) != want {
			t.Errorf("run %d: %v", n, err)
		}
	}
	if len(*warned) != 5 || !strings.HasPrefix((*warned)[0], "model overloaded") ||
		!regexp.MustCompile(`trying again in [0-9.]+ (ms|s|m)$`).MatchString((*warned)[0]) {
		t.Errorf("warned of %q", *warned)
	}
}

// TestOpenModels_OwnModelAway_FallbackTakesItsTurns: without asking the goal's own model before its time, and the user
// is told once. It gets its turns back when it answers again.
func TestOpenModels_OwnModelAway_FallbackTakesItsTurns(t *testing.T) {
	for name, fails := range map[string]modeltest.Answer{
		"away": modeltest.Fail(529, "overloaded"), "quota": modeltest.Fail(402, "no credit"),
	} {
		t.Run(name, func(t *testing.T) {
			isAway := true
			own := modeltest.New(t, func(int, modeltest.Request) modeltest.Answer {
				if isAway {
					return fails
				}
				return modeltest.Say("own")
			})
			other := modeltest.New(t, say("other"))
			r, warned := study(t, config.Provider{ID: "a", Kind: config.OpenAI, BaseURL: own.URL, Model: "m"},
				config.Provider{ID: "b", Kind: config.OpenAI, BaseURL: other.URL, Model: "spare", ContextWindow: 9_000})
			g := goal.Goal{Request: goal.Request{Model: "a/m, b"}}
			if err := r.registry.Models.Choose(t.Context(), &g); err != nil || g.Model != "m" || len(g.Options.Fallbacks) != 1 {
				t.Fatalf("%+v, %v", g, err)
			}
			m, err := r.openModels(t.Context(), g)
			if err != nil || m.Window != 9_000 {
				t.Fatalf("%d, %v", m.Window, err)
			}
			for range 2 {
				if ask(t, m.Agent, "m") != "other" {
					t.Error("the goal's own model answered")
				}
			}
			asked := len(own.Requests())
			isAway = false
			clock, ok := r.registry.Clock.(*now)
			if !ok {
				t.Fatal("no clock")
			}
			if ask(t, m.Agent, "m") != "other" || len(own.Requests()) != asked {
				t.Error("the goal's own model was asked before its time")
			}
			clock.at = clock.at.Add(time.Hour)
			if ask(t, m.Agent, "m") != "own" || other.Requests()[0].Model != "spare" {
				t.Error("the goal's own model did not get its turns back")
			}
			all := strings.Join(*warned, "\n")
			if strings.Count(all, ", so spare takes its turns") != 1 || strings.Count(all, "m answers again") != 1 {
				t.Errorf("warned of %s", all)
			}
		})
	}
}

// TestTestProvider_EachKind_CallsATool also checks that an error says what to do.
func TestTestProvider_EachKind_CallsATool(t *testing.T) {
	t.Setenv("GOALPOST_TEST_KEY", "sk-right")
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		if r.Header.Get("X-Api-Key")+r.Header.Get("Authorization") == "" {
			return modeltest.Fail(401, "no key")
		}
		return modeltest.Call("report_ready", map[string]string{"word": "ready"})
	})
	r, _ := study(
		t,
		config.Provider{ID: "o", Kind: config.OpenAI, BaseURL: s.URL, Model: "m", APIKeyEnv: "GOALPOST_TEST_KEY"},
		config.Provider{
			ID:        "a",
			Kind:      config.Anthropic,
			BaseURL:   strings.TrimSuffix(s.URL, "/v1"),
			Model:     "m",
			APIKeyEnv: "GOALPOST_TEST_KEY",
		},
		config.Provider{ID: "keyless", Kind: config.Anthropic, BaseURL: s.URL, Model: "m", APIKeyEnv: "GOALPOST_NO_SUCH_KEY"},
		config.Provider{ID: "off", Kind: config.Anthropic, BaseURL: "http://127.0.0.1:1", Model: "m"},
	)
	for id, want := range map[string][2]string{
		"o":       {"ok", "m called a tool"},
		"a":       {"ok", "m called a tool"},
		"keyless": {"bad", "set GOALPOST_NO_SUCH_KEY"},
		"off":     {"bad", "is the server running"},
		"gone":    {"bad", "settings"},
		"demo":    {"ok", "scripted"},
	} {
		if f := r.registry.Models.TestProvider(t.Context(), id); string(f.State) != want[0] ||
			!strings.Contains(f.Detail+f.Hint, want[1]) {
			t.Errorf("%s: %+v", id, f)
		}
	}
}

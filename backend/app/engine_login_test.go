package app_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// lookForLogin is run by the agent.
const lookForLogin = `file="$HOME/.claude/.credentials.json"
cp "$file" seen.json
for write in 'echo x >"$file"' 'rm "$file"' 'mv "$file" "$file.old"'; do
	eval "$write" && echo "$write"
done >written.txt 2>/dev/null
`

// tryHosts is run by the agent's program itself, after the claim. The hosts do not exist, so one that is allowed cannot
// be resolved.
const tryHosts = `code() { curl -s -o /dev/null -w '%{http_connect}' "https://$1"; }
echo "login $(code login.example) other $(code other.example)" >hosts.txt
`

// loginAgent returns scripted agents. The first plays the scenario "sandbox" with the sign-in of Claude Code, and asks
// the host's model, which must answer with a status.
func loginAgent(t *testing.T, status int) (agents []engine.Profile) {
	t.Helper()
	agent := shapes()[0]
	scripts := transcripts(t, agent, "sandbox", "$SEARCH", "sh look.sh", `(no output)`, "token-of-claude-"+loginToken)
	for i, text := range scripts {
		text = strings.ReplaceAll(text, `{"ask":{"status":200}}`, fmt.Sprintf(`{"ask":{"status":%d}}`, status))
		const claim = `{"call":{"tool":"claim_complete"`
		before, after, isClaimed := strings.Cut(text, claim)
		rest, after, _ := strings.Cut(after, "\n")
		if !isClaimed {
			t.Fatal("the scenario claims nothing")
		}
		scripts[i] = before + claim + rest + "\n" + `{"run":"sh hosts.sh"}` + "\n" + after
	}
	agents = shapesIn(installScripts(t, agent, scripts...))
	real, _ := engine.FindProfile(engine.Profiles(), "claude")
	login := *real.Login
	login.Hosts = []string{"login.example"}
	agents[0].Login, agents[0].OwnHosts = &login, []string{"login.example", "other.example"} // nobody is asked about these
	return agents
}

func writeLoginScripts(t *testing.T, dir, look string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, "look.sh"), []byte(look), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "hosts.sh"), []byte(tryHosts), 0o600))
}

var loginToken = rand.Text()

// writeClaudeLogin signs in to Claude Code in a new home of the user.
func writeClaudeLogin(t *testing.T, until time.Time) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	must(t, os.Mkdir(filepath.Join(home, ".claude"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, ".claude/.credentials.json"), fmt.Appendf(nil,
		`{"claudeAiOauth":{"accessToken":"token-of-claude-%s","refreshToken":"refresh-%[1]s","expiresAt":%d},
		"mcpOAuth":{"x":{"accessToken":"another"}}}`, loginToken, until.UnixMilli()), 0o600))
}

// TestEngineLogin_WithoutAModel_IsGivenToTheAgentAlone: no model is connected. The agent reads its sign-in without the
// refresh token, cannot change it, and reaches its provider's host and no other. The check does not see the file.
func TestEngineLogin_WithoutAModel_IsGivenToTheAgentAlone(t *testing.T) {
	writeClaudeLogin(t, time.Now().Add(time.Hour))
	p, dir := startOptions(t, t.TempDir(), app.Options{Engines: loginAgent(t, 404)}), t.TempDir()
	writeLoginScripts(t, dir, lookForLogin)
	id := p.startEngine(goal.Request{
		Objective: "look",
		Options:   goal.Options{Engine: "claude", EngineLogin: true, OnAsk: goal.OnAskDeny},
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell(`test -f done.txt && ! test -e "$HOME/.claude"`)},
	})
	events := p.doneWith(id)
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		return strings.TrimSpace(string(b))
	}
	var seen map[string]map[string]any
	must(t, json.Unmarshal([]byte(read("seen.json")), &seen))
	login := seen["claudeAiOauth"]
	if login["accessToken"] != "token-of-claude-"+loginToken || login["refreshToken"] != nil || seen["mcpOAuth"] != nil {
		t.Errorf("the agent's sign-in is %v", seen)
	}
	if written := read("written.txt"); written != "" {
		t.Errorf("the agent changed its sign-in: %s", written)
	}
	if got := read("hosts.txt"); got != "login 502 other 403" {
		t.Errorf("the proxy answered %q", got)
	}
	if !hasWarning(events, "does not count what this agent asks") {
		t.Error("the journal does not say what is lost")
	}
	journal, said := describeEvents(events), false
	if strings.Contains(journal, loginToken) || !strings.Contains(journal, "[hidden: the sign-in of Claude Code]") {
		t.Error("the token is not hidden in the journal")
	}
	for _, line := range events[len(events)-1].(*event.Ended).Report {
		said = said || strings.Contains(line, "used its own sign-in")
	}
	if !said {
		t.Error("the report does not say that tokens were not counted")
	}
}

// TestEngineLogin_Unchosen_GivesNothing: without the option, the agent asks the goal's model. It has no sign-in and
// does not reach its provider.
func TestEngineLogin_Unchosen_GivesNothing(t *testing.T) {
	writeClaudeLogin(t, time.Now().Add(time.Hour))
	p, dir := startOptions(t, t.TempDir(), app.Options{Engines: loginAgent(t, 200)}), t.TempDir()
	p.provide(func(int, modeltest.Request) modeltest.Answer { return modeltest.Say("continue") })
	writeLoginScripts(t, dir, `ls -a "$HOME/.claude" >seen.txt 2>&1`)
	p.doneWith(p.startEngine(goal.Request{
		Objective: "look",
		Options:   goal.Options{Engine: "claude"},
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	}))
	if b, err := os.ReadFile(filepath.Join(dir, "seen.txt")); err != nil || !strings.Contains(string(b), "No such file") {
		t.Errorf("the agent sees %q %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "hosts.txt")); string(b) != "login 403 other 403\n" {
		t.Errorf("the proxy answered %q %v", b, err)
	}
}

// TestEngineLogin_WithChecksOfAModel_NeedsOne: a judged check cannot be decided if no model is connected.
func TestEngineLogin_WithChecksOfAModel_NeedsOne(t *testing.T) {
	writeClaudeLogin(t, time.Now().Add(time.Hour))
	p := startOptions(t, t.TempDir(), app.Options{Engines: loginAgent(t, 404)})
	_, err := p.goal.Start(goal.Request{
		Objective: "look",
		Options:   goal.Options{Engine: "claude", EngineLogin: true},
		Policy:    policy.Policy{Dir: t.TempDir()},
		Criterion: goal.Criterion{Checks: []goal.Check{goal.ParseCheck("question:is it good?")}},
	})
	if e := fault.Of(err); err == nil || e.Field != "provider" || !strings.Contains(e.Message, "needs one") {
		t.Errorf("the goal is not refused: %v", err)
	}
}

// TestEngineLogin_MissingOrEnded_SaysWhatToRun: a goal is refused before anything is made if its agent is not signed
// in.
func TestEngineLogin_MissingOrEnded_SaysWhatToRun(t *testing.T) {
	p := startOptions(t, t.TempDir(), app.Options{Engines: loginAgent(t, 404)})
	refusal := func() *fault.Error {
		_, err := p.goal.Start(goal.Request{
			Objective: "look",
			Options:   goal.Options{Engine: "claude", EngineLogin: true},
			Policy:    policy.Policy{Dir: t.TempDir()},
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
		})
		if err == nil {
			t.Fatal("the goal was started")
		}
		return fault.Of(err)
	}
	t.Setenv("HOME", t.TempDir())
	if e := refusal(); e.Field != "engine_login" || !strings.Contains(e.Message, "no sign-in") ||
		!strings.Contains(e.Hint, "run `claude` in a terminal and enter /login") {
		t.Errorf("not signed in: %+v", e)
	}
	writeClaudeLogin(t, time.Now().Add(-time.Minute))
	if e := refusal(); !strings.Contains(e.Message, "ended at") || !strings.Contains(e.Hint, "run `claude`") {
		t.Errorf("the sign-in has ended: %+v", e)
	}
}

// TestEngineLogin_RefusedByTheProvider_SaysWhatToRun: the provider no longer accepts the sign-in, so the goal pauses
// with the command that signs in.
func TestEngineLogin_RefusedByTheProvider_SaysWhatToRun(t *testing.T) {
	writeClaudeLogin(t, time.Now().Add(time.Hour))
	agent := shapes()[0]
	script := strings.Join(strings.Split(transcripts(t, agent, "sandbox")[0], "\n")[:3], "\n") +
		"\n" + `{"agent":{"jsonrpc":"2.0","id":"$session/new","error":{"code":-32000,"message":"Authentication required"}}}`
	agents := shapesIn(installScripts(t, agent, script))
	real, _ := engine.FindProfile(engine.Profiles(), "claude")
	agents[0].Login = real.Login
	p := startOptions(t, t.TempDir(), app.Options{Engines: agents})
	exit, reason, _ := p.result(p.startEngine(goal.Request{
		Objective: "look",
		Options:   goal.Options{Engine: "claude", EngineLogin: true},
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	}))
	if exit != goal.NeedsUser || !strings.Contains(reason, "Authentication required") ||
		!strings.Contains(reason, "run `claude` in a terminal and enter /login, then resume the goal") {
		t.Errorf("%s %s", exit, reason)
	}
}

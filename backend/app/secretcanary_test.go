package app_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // of pages
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/panes/recording"
	"goalpost/backend/storage/config"
)

// canaries are secrets that the agent must not see, by the places where they are planted.
var canaries = map[string]string{
	"environment":       "env-Canary-01-q7Zk",
	"keyring":           "ring-Canary-02-w8Xj",
	"file under ~":      "home-Canary-03-e9Ch",
	"cookie":            "cook-Canary-04-r1Vg",
	"password field":    "pass-Canary-05-t2Bf",
	"address":           "addr-Canary-06-y3Nd",
	"clipboard":         "clip-Canary-07-u4Ms",
	"terminal output":   "term-Canary-08-i5La",
	"header":            "head-Canary-09-o6Kp",
	"model's complaint": "model-Canary-10-p7Jo",
	"tool arguments":    `tool-Canary-11 "<&>' a8Hi`,
	"download":          "down-Canary-12-s9Gu",
	"saved login":       "login-Canary-13-d1Fy",
	"picture":           "pict-Canary-14-f2Dt",
}

// shows returns the canaries that a text contains, plain or encoded.
func shows(text []byte) []string {
	var found []string
	for name, v := range canaries {
		quoted, _ := json.Marshal(v)
		for _, form := range []string{
			v, strings.Trim(string(quoted), `"`), url.QueryEscape(v), url.PathEscape(v), hex.EncodeToString([]byte(v)),
			base64.StdEncoding.EncodeToString([]byte(v))[:20],
			v[:12], v[len(v)-8:], // a truncated canary
		} {
			if bytes.Contains(text, []byte(form)) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// ring starts a session bus with a real keyring. Without these programs the vault uses its file.
func ring(t *testing.T) (there bool) {
	for _, program := range []string{"dbus-daemon", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("no %s here: the secrets are in the encrypted file", program)
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
			t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
			return false
		}
	}
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	startBus(t, dir)
	keys := exec.CommandContext(t.Context(), "gnome-keyring-daemon", "--unlock", "--daemonize", "--components=secrets",
		"--control-directory="+dir)
	keys.Stdin, keys.Env = strings.NewReader("of the session"), append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir)
	must(t, keys.Run()) // the keyring is ready now, and ends with the bus
	return true
}

// startBus starts a real session bus in a folder, which the program then uses, and returns its address.
func startBus(t *testing.T, dir string) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		t.Skip("no dbus-daemon here")
	}
	bus := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile",
		"--address=unix:path="+dir+"/bus")
	out, err := bus.StdoutPipe()
	must(t, err)
	must(t, bus.Start())
	t.Cleanup(func() { _, _ = bus.Process.Kill(), bus.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	address := strings.TrimSpace(line)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return address
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site serves pages and files with secrets that the agent must not see.
func site(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("access_token") == "" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: canaries["cookie"], HttpOnly: true, Path: "/"})
			http.Redirect(w, r, "/?access_token="+canaries["address"], http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w,
			`<title>Accounts</title><h1>Sign in</h1><form action=/in method=post><label>User <input name=u></label>
			<label>Word <input name=p type=password value=%q></label><button>Go</button></form>
			<button onclick="navigator.clipboard.writeText('%s')">Copy the key</button>`,
			canaries["password field"], canaries["clipboard"])
	})
	mux.HandleFunc("/told", func(w http.ResponseWriter, _ *http.Request) { // only the secret is red
		half := len(canaries["picture"]) / 2
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w,
			`<title>Key</title><body style="background:#fff"><p style="font:40px sans-serif;color:#f00">%s<b>%s</b>`,
			canaries["picture"][:half], canaries["picture"][half:])
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "you sent %s\n", r.Header.Get("X-Own"))
	})
	mux.HandleFunc("/file.txt", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "line\nkey = %s\n", canaries["download"])
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestSecrets_PlantedEverywhere_AreHidden plants secrets wherever they may be stored, and runs a goal that looks
// everywhere, with real programs, a real page and a real keyring.
func TestSecrets_PlantedEverywhere_AreHidden(t *testing.T) {
	ringed := ring(t)
	t.Setenv("SOME_SERVICE_API_KEY", canaries["environment"])
	t.Setenv("MODEL_KEY", canaries["model's complaint"])
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, ".ssh"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), []byte(canaries["file under ~"]), 0o600))
	t.Setenv("HOME", home)
	p := startOptions(t, home, app.Options{Page: viewerPage()})
	page := site(t)
	u, err := url.Parse(page.URL)
	must(t, err)
	port := 0
	_, err = fmt.Sscan(u.Port(), &port)
	must(t, err)

	vault := p.app.Secrets()
	names := map[string]string{
		"ring":  "keyring",
		"term":  "terminal output",
		"head":  "header",
		"tool":  "tool arguments",
		"down":  "download",
		"login": "saved login",
		"shown": "picture",
	}
	given := []string{}
	for name, canary := range names {
		place, err := vault.Set(t.Context(), name, canaries[canary], nil)
		must(t, err)
		if (place == "keyring") != ringed {
			t.Errorf("%s is kept in the %s", name, place)
		}
		given = append(given, name)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("A=1\nKEY="+canaries["terminal output"]+"\n"), 0o600))

	answers := secretSearch(page.URL, home)
	server := p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		if n == 0 { // as some servers do, the refusal repeats the key
			return modeltest.Answer{
				Status:     503,
				RetryAfter: "0",
				Body: `{"error":{"message":"overloaded for the key ` + canaries["model's complaint"] +
					`","type":"server_error"}}`,
			}
		}
		return turns(answers...)(n-1, withPaneIDs(r, answers))
	})
	must(t, p.cfg.SaveProvider(config.Provider{
		ID:        "test",
		Kind:      config.OpenAI,
		BaseURL:   server.URL,
		Model:     "m",
		APIKeyEnv: "MODEL_KEY",
	}))
	secrets := calls.NewSecretAPI(t.Context(), vault)
	_, err = secrets.SaveLogin(calls.LoginInput{Origin: page.URL, User: "ann", Password: canaries["saved login"]})
	must(t, err)

	out, err := p.goal.Start(goal.Request{
		Objective: "look everywhere",
		Policy:    policy.Policy{Dir: dir, Risk: policy.NetworkWrite, AllowLocal: []int{port}, Secrets: given},
		Options:   goal.Options{OnAsk: goal.OnAskDeny},
		Criterion: goal.Criterion{Checks: shell("cat key.txt seen.txt; test -f never")},
		Limits:    goal.Limits{ClaimsPerCheck: 1},
	})
	must(t, err)
	p.done(out.GoalID)
	p.cfg.Log().Warn("something broke", "value", canaries["keyring"], "quoted", canaries["tool arguments"])

	p.wasPlanted(out.GoalID, page)
	for i, r := range server.Requests() {
		if found := shows(r.Body); len(found) > 0 {
			t.Errorf("request %d tells the model: %v", i, found)
		}
	}
	p.nothingKept(home, out.GoalID)
	p.nothingReported(out.GoalID)
	p.nothingPictured(out.GoalID)
}

// nothingPictured checks every stored picture. Only the secret on the page is red, and its redaction is black.
func (p *program) nothingPictured(id string) {
	p.Helper()
	steps, err := p.goal.Steps(id, 0, 0)
	must(p.T, err)
	var black, kept int
	for _, s := range steps.Steps {
		full, err := p.goal.Step(id, s.N)
		must(p.T, err)
		_, text, found := strings.Cut(full.Image, ";base64,")
		if !found {
			continue
		}
		picture, err := base64.StdEncoding.DecodeString(text)
		must(p.T, err)
		kept++
		red, dark := colours(p.T, picture)
		if black = max(black, dark); red > 0 {
			p.Errorf("the picture of step %d has %d points of a secret", s.N, red)
		}
	}
	if kept < 2 || black < 5000 { // two screenshots, and the pictures of clicks
		p.Errorf("%d pictures were kept, and %d points of them are covered: nothing was tried", kept, black)
	}
	frames := 0
	must(p.T, recording.Read(p.app.Store().Recording(goal.ID(id)), pane.Browser, func(r recording.Record) error {
		frames++
		if red, _ := colours(p.T, r.Data); red > 0 {
			p.Errorf("frame %d of the recording has %d points of a secret", frames, red)
		}
		return nil
	}))
	if frames == 0 {
		p.Error("nothing was recorded")
	}
}

// colours counts the red and the black pixels of a picture.
func colours(t *testing.T, picture []byte) (red, black int) {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(picture))
	must(t, err)
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			if r > g+0x4000 && r > b+0x4000 {
				red++
			}
			if max(r, g, b) < 0x1000 {
				black++
			}
		}
	}
	return red, black
}

var paneNamed = regexp.MustCompile(`pane ([tb]\d+)`)

// withPaneIDs substitutes the ids of the opened panes in the script.
func withPaneIDs(r modeltest.Request, answers []modeltest.Answer) modeltest.Request {
	panes := map[string]string{}
	for _, m := range r.Messages {
		if found := paneNamed.FindStringSubmatch(m.Text); m.Role == goal.ToolRole && found != nil {
			panes[found[1][:1]] = found[1]
		}
	}
	for i, a := range answers {
		for j, c := range a.Calls {
			for kind, name := range panes {
				c.Arguments = strings.ReplaceAll(c.Arguments, "PANE-"+kind, name)
			}
			answers[i].Calls[j].Arguments = c.Arguments
		}
	}
	return r
}

// secretSearch returns a script that looks for secrets everywhere.
func secretSearch(page, home string) []modeltest.Answer {
	run := func(command string) modeltest.Answer { return args("run_command", map[string]any{"command": command}) }
	return []modeltest.Answer{
		run("env; cat /proc/self/environ /proc/1/environ; cat ~/.ssh/id_ed25519 " + home + "/.ssh/id_ed25519; ls -a ~"),
		args("read_file", map[string]any{"path": home + "/.ssh/id_ed25519"}),
		run("printf %s '{{secret:ring}}' >key.txt; cat key.txt; echo; base64 key.txt; od -An -tx1 key.txt | tr -d ' " +
			"\\n'; printf %s '{{secret:ring}}' | fold -w 5; head -c 12 key.txt"),
		args("write_file", map[string]any{"path": "seen.txt", "content": "it is {{secret:tool}}!\n"}),
		args("read_file", map[string]any{"path": "seen.txt"}),
		args("edit_file", map[string]any{"path": "seen.txt", "old": "is {{secret:tool}}!", "new": "was {{secret:tool}}."}),
		run("curl -sv -c jar " + page +
			"/; curl -sv -H 'X-Own: {{secret:head}}' -H 'Authorization: Bearer {{secret:head}}' " + page + "/echo"),
		run("curl -sO " + page + "/file.txt; tail -c 12 file.txt; head -c 20 file.txt; cat file.txt"),
		args("read_file", map[string]any{"path": "file.txt"}),
		args("terminal_open", map[string]any{}),
		args("terminal_run", map[string]any{"pane": "PANE-t", "command": "stty cols 20; cat .env; cat .env | cut -c 1-15"}),
		args("terminal_read", map[string]any{"pane": "PANE-t"}),
		args("browser_open", map[string]any{"url": page + "/"}),
		args("browser_snapshot", map[string]any{"pane": "PANE-b"}),
		args("browser_type", map[string]any{
			"pane":   "PANE-b",
			"target": "css=input[name=p]",
			"text":   "{{secret:login}}",
			"clear":  true,
		}),
		args("browser_click", map[string]any{"pane": "PANE-b", "target": "Copy the key"}),
		args("browser_type", map[string]any{"pane": "PANE-b", "target": "css=input[name=u]", "text": "{{secret:login}}"}),
		args("browser_snapshot", map[string]any{"pane": "PANE-b"}),
		args("browser_screenshot", map[string]any{"pane": "PANE-b"}),
		args("browser_open", map[string]any{"pane": "PANE-b", "url": page + "/told"}),
		args("browser_screenshot", map[string]any{"pane": "PANE-b"}),
		args("browser_snapshot", map[string]any{"pane": "PANE-b"}),
		args("claim_complete", map[string]any{"rationale": "all was looked at"}),
		args("abort_with_report", map[string]any{"reason": "nothing is to be seen", "what_was_learned": "-"}),
	}
}

// wasPlanted fails if the goal did not reach the places of the secrets, because then nothing was tested.
func (p *program) wasPlanted(id string, page *httptest.Server) {
	p.Helper()
	steps, err := p.goal.Steps(id, 0, 0)
	must(p.T, err)
	results := map[string]string{}
	for _, s := range steps.Steps {
		full, err := p.goal.Step(id, s.N)
		must(p.T, err)
		results[s.Tool] += full.Result + "\n"
		if s.Outcome != event.OK && s.Tool != "read_file" {
			p.Logf("step %d %s %s: %s", s.N, s.Tool, s.Outcome, full.Result)
		}
	}
	for tool, wanted := range map[string][]string{
		"run_command": {
			"{{secret:ring}}", "you sent {{secret:head}}", "Authorization: Bearer {{secret:head}}",
			"{{secret:down}}", "access_token=[hidden]", "PATH=",
		},
		"read_file":        {"it is {{secret:tool}}!", "key = {{secret:down}}"},
		"terminal_run":     {"{{secret:term}}"},
		"terminal_read":    {"{{secret:term}}"},
		"browser_open":     {"access_token=[hidden]"},
		"browser_snapshot": {"Copy the key", "{{secret:login}}", "access_token=[hidden]", "{{secret:shown}}"},
	} {
		for _, w := range wanted {
			if !strings.Contains(results[tool], w) {
				p.Errorf("no result of %s holds %q, so nothing was tried:\n%s", tool, w, results[tool])
			}
		}
	}
	view, err := p.goal.Get(id)
	must(p.T, err)
	b, err := os.ReadFile(filepath.Join(view.Policy.Dir, "seen.txt"))
	if err != nil || string(b) != "it was "+canaries["tool arguments"]+".\n" {
		p.Errorf("the file holds %q, %v", b, err)
	}
	if warned := p.journal(id); !strings.Contains(warned, "overloaded for the key [") {
		p.Errorf("the model's complaint is not in the journal: %s",
			regexp.MustCompile(`"type":"warning"[^}]*`).FindAllString(warned, 3))
	}
}

func (p *program) journal(id string) string {
	p.Helper()
	list, err := p.goal.Events(id, 0, 1000)
	must(p.T, err)
	b, err := json.Marshal(list)
	must(p.T, err)
	return string(b)
}

// nothingKept searches every file in the state folder, except Chromium's own profile and the baseline of the goal's
// folder.
func (p *program) nothingKept(home, id string) {
	p.Helper()
	state, read := filepath.Join(home, "state"), 0
	must(p.T, filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"browser", "sandboxes", "goals"}, d.Name()) && filepath.Dir(path) == state {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		read++
		if found := shows(b); len(found) > 0 {
			p.Errorf("%s keeps %v", path, found)
		}
		return nil
	}))
	if log, err := os.ReadFile(filepath.Join(state, "log", "goalpost.log")); err != nil ||
		!bytes.Contains(log, []byte("something broke")) || read < 5 {
		p.Errorf("%d files were read, %v", read, err)
	}
}

// nothingReported searches everything that the page, the command line and exports can show.
func (p *program) nothingReported(id string) {
	p.Helper()
	view, err1 := p.goal.Get(id)
	receipt, err2 := p.goal.Receipt(id)
	must(p.T, errors.Join(err1, err2))
	file, exported := p.export(id)
	reported := []any{view, receipt, p.journal(id), exported.HTML}
	if len(file.Panes) != 2 || len(file.Entries) < 20 || len(file.Files) == 0 {
		p.Errorf("the export has panes %+v, %d entries and %d files", file.Panes, len(file.Entries), len(file.Files))
	}
	for name, list := range file.Records {
		var all []byte
		for _, r := range list {
			b, err := base64.StdEncoding.DecodeString(r.Data)
			must(p.T, err)
			all = append(all, b...)
		}
		if name[0] == 't' {
			reported = append(reported, string(all))
		}
	}
	for _, claim := range receipt.Claims {
		for _, v := range claim.Verdicts {
			text, err := p.goal.Output(v.Evidence)
			must(p.T, err)
			reported = append(reported, text)
			if !strings.Contains(text, "{{secret:ring}}") || !strings.Contains(text, "{{secret:tool}}") {
				p.Errorf("the evidence is %q", text)
			}
		}
	}
	for i, v := range reported {
		b, err := json.Marshal(v)
		must(p.T, err)
		if found := shows(b); len(found) > 0 {
			p.Errorf("%d tells %v", i, found)
		}
	}
	events := 0
	for {
		select {
		case e := <-p.sub.C:
			if _, ok := e.Body.(*event.Pane); ok {
				continue // the user's own terminal
			}
			b, err := json.Marshal(e)
			must(p.T, err)
			events++
			if found := shows(b); len(found) > 0 {
				p.Errorf("event %s tells %v", e.Body.EventType(), found)
			}
			continue
		case <-time.After(time.Second):
		}
		break
	}
	if events < 20 {
		p.Errorf("only %d events were found", events)
	}
}

package cli_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"goalpost/backend/agent/mcp/mcptest"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
	"goalpost/backend/entry/cli"
	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/host/sandbox/sandboxtest"
)

// defaultCloseWait is the time for closing in tests of other features. It is long, because machines may be busy.
const defaultCloseWait = 10 * time.Minute

func TestMain(m *testing.M) {
	if kind := os.Getenv("MCP_TEST_SERVER"); kind != "" {
		os.Exit(mcptest.Serve(kind))
	}
	testscript.Main(m, map[string]func(){"goalctl": func() {
		closing, err := time.ParseDuration(os.Getenv("CLOSING"))
		if err != nil {
			closing = defaultCloseWait
		}
		p := cli.Program{
			Name: "goalctl", Version: "test", Getenv: os.Getenv, Stdout: os.Stdout, Stderr: os.Stderr, Closing: closing,
			Assets: fstest.MapFS{
				"index.html":        {Data: []byte("<!doctype html><title>Goalpost</title>")},
				"export/viewer.js":  {Data: []byte("0")},
				"export/viewer.css": {Data: []byte("b{}")},
			},
		}
		if os.Getenv("HOST") != "" { // the script starts a host process
			p.Executable, _ = hostsocket.Executable()
		}
		os.Exit(p.Run(context.Background(), os.Args[1:]))
	}})
}

// TestScripts runs testdata/script: the command line as users and CI use it, with a local server that speaks the
// provider's protocol. The name of a model selects its behaviour in play.
func TestScripts(t *testing.T) {
	helper := sandboxtest.Helper(t)
	server := modeltest.New(t, play)
	feed, certificate := releaseFeed(t)
	hook := webhookService(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("MODEL_URL", server.URL)
			e.Setenv("FEED_URL", feed)
			e.Setenv("HOOK_URL", hook)
			e.Setenv("FEED_CERTIFICATE", certificate)
			e.Setenv("GOALPOST_HELPER", helper)
			e.Setenv("GOALPOST_HOME", e.WorkDir+"/home")
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("SECRET_KEY_FOR_TESTS", "sk-canary-7351")
			e.Defer(func() { stopHost(t, filepath.Join(e.WorkDir, "home", "state")) })
			return nil
		},
		RequireExplicitExec: true,
	})
}

// stopHost ends the host process of a state folder, if there is one.
func stopHost(t *testing.T, state string) {
	t.Helper()
	client := hostsocket.NewClient(state, "test")
	defer client.Close()
	if err := client.Stop(context.Background()); err != nil && !errors.Is(err, hostsocket.ErrNone) {
		t.Error(err)
	}
}

// webhookService accepts messages at /topic and refuses all others.
func webhookService(t *testing.T) (address string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if r.URL.Path != "/" || err != nil || !strings.Contains(string(b), `"topic":"secret-topic"`) {
			http.Error(w, "no such topic", http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// releaseFeed serves version 2.0.0 at /latest over HTTPS, and returns the address and a file with its certificate.
func releaseFeed(t *testing.T) (address, certificate string) {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/latest" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"tag_name":"v2.0.0","html_url":"https://example.org/2.0.0"}`)
	}))
	t.Cleanup(s.Close)
	certificate = filepath.Join(t.TempDir(), "certificate.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(certificate, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, certificate
}

// hold takes a lock that lives as long as the program. A pid would not do, because a pid inside a sandbox has no
// meaning outside.
const hold = "exec 9>>lock; flock 9; "

// spendMuch gives an answer so many tokens that the critic's share pays for a request.
func spendMuch(a modeltest.Answer) modeltest.Answer {
	a.Usage = goal.Usage{TokensIn: 10, TokensOut: 90_000}
	return a
}

// lastNote returns the user's last note, to the agent or about a manual check.
func lastNote(r modeltest.Request) (note string) {
	for _, m := range r.Messages {
		for _, said := range []string{"A note from the user: ", "sent it back: "} {
			if _, text, ok := strings.Cut(m.Text, said); ok {
				note = text
			}
		}
	}
	return note
}

// play answers for the models of the tests, by name.
func play(_ int, r modeltest.Request) modeltest.Answer {
	turn := 0
	for _, m := range r.Messages {
		if m.Role == goal.Assistant {
			turn++
		}
	}
	claim := modeltest.Call("claim_complete", map[string]string{"rationale": "done.txt is there"})
	write := func(path, content string) modeltest.Answer {
		return modeltest.Call("write_file", map[string]string{"path": path, "content": content})
	}
	done := write("done.txt", "x")
	work := func(turns ...modeltest.Answer) modeltest.Answer { return turns[min(turn, len(turns)-1)] }
	if strings.Contains(r.Last().Text, "why was this changed?") {
		return modeltest.Say("The test looked for the wrong file.")
	}
	switch r.Model {
	case "good":
		return modeltest.Answer{Text: "I write it and claim.", Calls: []goal.Call{
			{Tool: "write_file", Arguments: `{"path":"done.txt","content":"done\n"}`},
			{Tool: "claim_complete", Arguments: `{"rationale":"done.txt is there"}`},
		}}
	case "chats":
		if turn == 0 && strings.Contains(r.Last().Text, "read it") {
			return modeltest.Answer{Text: "I look.", Calls: modeltest.Call("read_file", `{"path":"note.txt"}`).Calls}
		}
		if turn == 0 && strings.Contains(r.Last().Text, "open it") {
			return modeltest.Call("fetch_url", `{"url":"http://docs.example/guide"}`)
		}
		return modeltest.Say(fmt.Sprintf("Answer %d.", turn))
	case "proposes":
		return modeltest.Say(`{"checks":[{"type":"shell","command":"sh check.sh","reason":"The check of the shop."},
			{"type":"shell","command":"rm -rf * && touch removed","reason":"It is empty."}]}`)
	case "babbles":
		return modeltest.Say("I would run the tests.")
	case "claims-first":
		return []modeltest.Answer{
			claim, modeltest.Call("write_file", map[string]string{"path": "done.txt", "content": "x"}),
			claim,
		}[min(turn, 2)]
	case "never-claims":
		return spendMuch(modeltest.Call("run_command", map[string]string{"command": fmt.Sprintf("echo turn %d", turn)}))
	case "gives-up":
		return modeltest.Call("abort_with_report", map[string]string{
			"reason":           "no way",
			"what_was_learned": "the door is locked",
		})
	case "silent":
		return modeltest.Say("I am done.")
	case "slow":
		return modeltest.Call("run_command", map[string]string{"command": hold + "echo $$ > pid; sleep 1000"})
	case "rests": // waits until it is paused
		return modeltest.Call("wait", map[string]int{"seconds": 600})
	case "counts": // writes a line to the file runs each time that the command is executed
		return modeltest.Call("run_command", map[string]string{
			"command": fmt.Sprintf("%secho %d >> runs; echo $$ > pid; sleep 1000", hold, turn),
		})
	case "gated": // each command runs until the file go exists; a note with finish ends the work
		if strings.HasPrefix(lastNote(r), "finish") {
			return modeltest.Answer{Calls: append(done.Calls, claim.Calls...)}
		}
		return modeltest.Call("run_command", map[string]string{
			"command": fmt.Sprintf("%secho %d >> turns; while ! test -e go; do sleep 0.02; done; rm go", hold, turn),
		})
	case "gated-once": // works when the file go exists
		return work(modeltest.Call("run_command", map[string]string{
			"command": hold + "echo >> turns; while ! test -e go; do sleep 0.02; done",
		}), done, claim)
	case "returns": // works, and is rate limited when a note says later
		if strings.HasPrefix(lastNote(r), "later") {
			return modeltest.Answer{Status: 429, RetryAfter: "3600", Body: `{"error":{"message":"come back in an hour"}}`}
		}
		return modeltest.Answer{Text: "I write it.", Calls: append(done.Calls, claim.Calls...)}
	case "pushes-once": // asks once, and is rate limited after the answer
		if turn == 0 {
			return modeltest.Call("run_command", map[string]string{"command": "git push --force origin main"})
		}
		return modeltest.Answer{Status: 429, RetryAfter: "3600", Body: `{"error":{"message":"come back in an hour"}}`}
	case "asks": // writes, which needs an approval each time at read_only
		return work(write("a", "1"), write("b", "2"), write("a", "3"), done, claim)
	case "terminal":
		return work(modeltest.Call("terminal_open", `{"title":"work"}`),
			modeltest.Call("terminal_run", `{"pane":"t1","command":"echo recorded"}`), done, claim)
	case "secretive":
		return work(modeltest.Call("run_command", `{"command":"test '{{secret:deploy}}' = c4nary-value && touch done.txt"}`),
			claim)
	case "steps":
		return work(done,
			modeltest.Call("declare_step", `{"step_number":1,"title":"it","action":"write","success_criteria":"there"}`), done,
			modeltest.Call("verify_step", `{"step_number":1,"passed":true,"observation":"it is"}`), claim)
	case "judge": // judges questions and pages of other goals
		if len(r.Tools) == 0 {
			return modeltest.Say("YES\nit looks done")
		}
		return work(done, claim)
	case "speaks":
		answer := modeltest.Call("abort_with_report", map[string]string{
			"reason":           "asked",
			"what_was_learned": "the protocol",
		})
		if answer.Text = "I am asked as OpenAI does"; r.Anthropic {
			answer.Text = "I am asked as Anthropic does"
		}
		if r.Effort != "" {
			answer.Text += " for the effort " + r.Effort
		}
		return answer
	case "doubts":
		return modeltest.Say("NO\nit looks empty")
	case "pushes": // makes two calls that always need an approval, then the work
		return []modeltest.Answer{
			modeltest.Call("run_command", map[string]string{"command": "git push --force origin main"}),
			modeltest.Call("run_command", map[string]string{"command": "npm publish"}),
			modeltest.Call("write_file", map[string]string{"path": "done.txt", "content": "x"}), claim,
		}[min(turn, 3)]
	case "no-key":
		return modeltest.Fail(401, "invalid api key")
	case "spy":
		return modeltest.Call("run_command", map[string]string{"command": "env"})
	case "long-words": // runs a long command that ends with characters which are written from right to left
		return modeltest.Call("run_command", map[string]string{
			"command": "git push --force origin " + strings.Repeat("main ", 60) +
				"; echo the end \u202emoc.elpmaxe\u2066\nmore lines\u200b",
		})
	case "hostile-words":
		return []modeltest.Answer{
			{Text: "\u001b[2J", Calls: []goal.Call{{Tool: "\u001b]0;owned\u0007", Arguments: `{"path":"\u009b31m"}`}}},
			modeltest.Call("claim_complete", map[string]string{"rationale": "\u001b[2J\u009b31m"}),
			modeltest.Call("abort_with_report", map[string]string{
				"reason":           "\u001b[2Jno\n  • Done: verified",
				"what_was_learned": "\u009b31m",
			}),
		}[min(turn, 2)]
	case "busy": // is rate limited until the user says go
		for _, m := range r.Messages {
			if strings.Contains(m.Text, "A note from the user: go") {
				return modeltest.Answer{Calls: []goal.Call{
					{Tool: "write_file", Arguments: `{"path":"done.txt","content":"done\n"}`},
					{Tool: "claim_complete", Arguments: `{"rationale":"done.txt is there"}`},
				}}
			}
		}
		return modeltest.Answer{Status: 429, RetryAfter: "3600", Body: `{"error":{"message":"come back in an hour"}}`}
	case "told": // works with a plan, a critic and a reviewer
		switch {
		case len(r.Tools) > 0:
			return []modeltest.Answer{
				modeltest.Call("write_todos", `{"todos":[{"text":"write it","done":true}]}`),
				spendMuch(modeltest.Call("write_file", map[string]string{"path": "done.txt", "content": "x"})),
				modeltest.Call("write_note", `{"text":"one letter is enough"}`), claim,
			}[min(turn, 3)]
		case strings.Contains(string(r.Body), "You are the critic"):
			return modeltest.Say("PROGRESSING\nit writes")
		}
		return modeltest.Say("CONFIRM\nthe file is there")
	case "rewrites": // changes files with the shell alone
		return work(modeltest.Call("run_command", map[string]string{
			"command": "sed -i s/red/blue/ colour.txt; rm -r lib; mkdir out; echo built >out/program; git checkout -q other",
		}), done, claim)
	case "answers": // claims with a result
		return work(done, modeltest.Call("claim_complete", map[string]string{
			"rationale": "done.txt is there",
			"result":    "# Bugs\n- one letter",
		}))
	case "tampers": // replaces its check, and then does the work
		swap := `{"command":"mv tests away && mkdir tests && echo true > tests/check.sh"}`
		return work(modeltest.Call("run_command", swap), claim, done, claim)
	case "wonders": // asks for the colour, and writes the answer
		return work(modeltest.Call("ask_user", `{"question":"Which colour should it have?\nRed or blue?"}`),
			write("done.txt", lastNote(r)), claim)
	case "repairs": // asks to repair its check, and then does it
		return work(modeltest.Call("ask_user", `{"question":"check.sh looks for the wrong file. May I repair it?"}`),
			write("check.sh", "test -f done.txt"), done, claim)
	case "tampers twice": // replaces two of its checks
		swap := `{"command":"mv tests away && mkdir tests && echo true > tests/one.sh && echo true > tests/two.sh"}`
		return work(modeltest.Call("run_command", swap), claim, done, claim)
	case "borrows": // asks to read the folder that its objective names, and runs a program
		_, path, _ := strings.Cut(r.Messages[1].Text, "borrow ")
		path, _, _ = strings.Cut(path, "\n")
		return work(modeltest.Call("request_access", map[string]string{
			"kind": "read",
			"path": strings.TrimSpace(path),
			"why":  "to look",
		}),
			modeltest.Call("run_command", `{"command":"touch runs; sleep 1000"}`), done, claim)
	case "owner": // writes its user id, and changes a file that the host wrote
		return work(write("sub/done.txt", "x"),
			modeltest.Call("run_command", `{"command":"id -u >who; echo more >>sub/done.txt"}`), claim)
	case "rejected": // claims, and its reviewer rejects each claim
		if len(r.Tools) == 0 {
			return modeltest.Say("REJECT\nit is empty")
		}
		return work(done, claim, write("done.txt", "y"), claim)
	case "upgrade": // pretends that a newer version has migrated the open database
		return modeltest.Call("run_command", map[string]string{
			"command": `python3 -c 'import sqlite3; c = sqlite3.connect("../home/state/goalpost.db"); ` +
				`c.execute("PRAGMA user_version = 99"); c.commit()'`,
		})
	case "hostile":
		return modeltest.Call("run_command", map[string]string{"command": `printf '\033]0;owned\007\033[2J%s' "$(seq 1 3)"`})
	}
	return modeltest.Fail(404, "no such model: "+strings.ToValidUTF8(r.Model, ""))
}

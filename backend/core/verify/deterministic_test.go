package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// site serves the responses that the checks in these tests expect.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ok", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Word", "well")
		_, _ = w.Write([]byte(`{"ok": true, "list": [1, 2]}`))
	})
	mux.HandleFunc("POST /made", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) })
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", http.StatusFound) })
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 6<<20)) })
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	s := httptest.NewServer(mux)
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

// unused returns the URL of a port that is reserved and does not listen.
func unused(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	t.Cleanup(func() { _ = syscall.Close(fd) })
	must(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})) // bound, but not listening
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("http://127.0.0.1:%d/", at.(*syscall.SockaddrInet4).Port)
}

// named dials, and resolves two names itself, because the answers of the machine's own name server differ.
func named(ctx context.Context, network, address string) (net.Conn, error) {
	switch host, _, _ := net.SplitHostPort(address); host {
	case "no-such-host.invalid":
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case "no-server.invalid":
		return nil, &net.DNSError{Err: "i/o timeout", Name: host, IsTimeout: true, IsTemporary: true}
	}
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

func TestHTTP_EachAnswer_HasItsVerdict(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // the check must not use this proxy
	s := site(t)
	h := verify.CheckRunner{Environment: check.Environment{Dir: t.TempDir(), Dial: named}}
	for _, c := range []struct {
		name    string
		check   goal.Check
		outcome goal.Outcome
		detail  string
	}{
		{"the status is 200", goal.Check{URL: s.URL + "/ok"}, goal.Pass, "it answers 200"},
		{"another status is wanted", goal.Check{URL: s.URL + "/ok", Status: 404}, goal.Fail, "it answered 200, expected 404"},
		{"not found", goal.Check{URL: s.URL + "/nothing"}, goal.Fail, "it answered 404, expected 200"},
		{"not found is wanted", goal.Check{URL: s.URL + "/nothing", Status: 404}, goal.Pass, "404"},
		{"another method", goal.Check{URL: s.URL + "/made", Method: "POST", Status: 201}, goal.Pass, "201"},
		{
			"a redirect is not followed",
			goal.Check{URL: s.URL + "/login"},
			goal.Fail,
			"it leads to /ok; redirects are not followed",
		},
		{"a redirect is wanted", goal.Check{URL: s.URL + "/login", Status: 302}, goal.Pass, "302"},
		{"its body", goal.Check{URL: s.URL + "/ok", BodyContains: `"ok": true`}, goal.Pass, ""},
		{"its body lacks it", goal.Check{URL: s.URL + "/ok", BodyContains: "sorry"}, goal.Fail, `"sorry" is not in its body`},
		{"only so much is read", goal.Check{URL: s.URL + "/big", BodyContains: "x"}, goal.Fail, "the first 4 MiB"},
		{"nobody there", goal.Check{URL: unused(t)}, goal.Fail, "connection refused"},
		{"no such name", goal.Check{URL: "http://no-such-host.invalid/"}, goal.Fail, "no answer"},
		{
			"no name server",
			goal.Check{URL: "http://no-server.invalid/"},
			goal.CheckErr,
			"the name no-server.invalid could not be looked up",
		},
		{"no answer in time", goal.Check{URL: s.URL + "/slow", TimeoutMS: 100}, goal.Fail, "no answer within 100 ms"},
		{"cut off", goal.Check{URL: s.URL + "/cut"}, goal.Fail, "it answers 200, but reading the body failed"},
		{"a method that is none", goal.Check{URL: s.URL, Method: "GE T"}, goal.CheckErr, "the request cannot be made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.check.Type = goal.HTTP
			v := one(t, h, c.check)
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) || strings.Count(v.Detail, "no answer") > 1 {
				t.Errorf("%s, %q", v.Outcome, v.Detail)
			}
		})
	}
	v := one(t, h, goal.Check{Type: goal.HTTP, URL: s.URL + "/ok"})
	if text := string(v.Output); !strings.HasPrefix(text, "200 OK\n") || !strings.Contains(text, "\nX-Word: well\n") ||
		!strings.HasSuffix(text, `[1, 2]}`) {
		t.Errorf("the evidence is %q", text)
	}
	if v = one(t, h, goal.Check{Type: goal.HTTP, URL: s.URL + "/big"}); len(v.Output) > 1<<20+100 ||
		!strings.Contains(string(v.Output), "bytes left out") {
		t.Errorf("%d bytes of evidence", len(v.Output))
	}
}

// TestHTTP_Network_IsThatOfTheGoal checks that an http check connects through Environment.Dial.
func TestHTTP_Network_IsThatOfTheGoal(t *testing.T) {
	s := site(t)
	var asked atomic.Value
	h := verify.CheckRunner{Environment: check.Environment{
		Dir: t.TempDir(),
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			asked.Store(address)
			var d net.Dialer
			return d.DialContext(ctx, network, s.Listener.Addr().String())
		},
	}}
	if v := one(t, h, goal.Check{
		Type: goal.HTTP,
		URL:  "http://in-the-goal:8080/ok",
	}); v.Outcome != goal.Pass || asked.Load() != "in-the-goal:8080" {
		t.Errorf("%s %q, dialled %v", v.Outcome, v.Detail, asked.Load())
	}
}

func TestFile_EachState_HasItsVerdict(t *testing.T) {
	h := host(t)
	if err := syscall.Mkfifo(filepath.Join(h.Environment.Dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(h.Environment.Dir, "passwd")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("done.txt", filepath.Join(h.Environment.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Environment.Dir, "one"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(mustCreate(t, filepath.Join(h.Environment.Dir, "long")), 20<<20); err != nil {
		t.Fatal(err)
	}
	const sum = "275239824e00e61b0a220e61a41791c7e9b4bd726f8b0c27077a338f8131c9dc" // of "#!/bin/sh\nexit 1\n"
	for _, c := range []struct {
		name    string
		check   goal.Check
		outcome goal.Outcome
		detail  string
	}{
		{"exists", goal.Check{Path: "done.txt"}, goal.Pass, "it exists, with 17 bytes"},
		{"is one byte", goal.Check{Path: "one", Matches: "y"}, goal.Fail, "it has 1 byte, and"},
		{"is missing", goal.Check{Path: "nowhere.txt"}, goal.Fail, "it does not exist"},
		{"is missing with its folder", goal.Check{Path: "no/where.txt"}, goal.Fail, "it does not exist"},
		{"is wanted away", goal.Check{Path: "nowhere.txt", Absent: true}, goal.Pass, "it does not exist"},
		{"is there and wanted away", goal.Check{Path: "done.txt", Absent: true}, goal.Fail, "it exists"},
		{"big enough", goal.Check{Path: "done.txt", MinSize: 17}, goal.Pass, ""},
		{"too small", goal.Check{Path: "done.txt", MinSize: 18}, goal.Fail, "17 bytes, expected at least 18"},
		{"its sum", goal.Check{Path: "done.txt", SHA256: sum}, goal.Pass, ""},
		{"another sum", goal.Check{Path: "sub/here", SHA256: strings.Repeat("0", 64)}, goal.Fail, "its SHA-256 is " + sum},
		{"matches", goal.Check{Path: "done.txt", Matches: `(?m)^exit \d$`}, goal.Pass, ""},
		{"does not match", goal.Check{Path: "done.txt", Matches: `exit 2`}, goal.Fail, "does not match"},
		{"too long for a pattern", goal.Check{Path: "long", Matches: `x`}, goal.CheckErr, "at most 16777216"},
		{"long, and counted whole", goal.Check{Path: "long", MinSize: 20 << 20}, goal.Pass, "20971520"},
		{"a folder", goal.Check{Path: "sub"}, goal.Fail, "not a regular file"},
		{"a pipe", goal.Check{Path: "pipe"}, goal.Fail, "not a regular file"},
		{"a link inside", goal.Check{Path: "link", MinSize: 1}, goal.Pass, ""},
		{"a link out", goal.Check{Path: "passwd"}, goal.Fail, "escapes"},
		{"a folder that is a link out", goal.Check{Path: "out/etc/passwd"}, goal.Fail, "escapes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.check.Type = goal.File
			v := one(t, h, c.check)
			if v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) {
				t.Errorf("%s, %q", v.Outcome, v.Detail)
			}
			if strings.Contains(string(v.Output), "root:") {
				t.Error("it read a file outside of the folder")
			}
		})
	}
	if v := one(t, h, goal.Check{Type: goal.File, Path: "long"}); len(v.Output) > 1<<20+100 || v.Bytes != 20<<20 {
		t.Errorf("%d bytes of %d are evidence", len(v.Output), v.Bytes)
	}
	h.Environment.Dir = filepath.Join(h.Environment.Dir, "gone")
	if v := one(t, h, goal.Check{Type: goal.File, Path: "done.txt"}); v.Outcome != goal.CheckErr || v.Tries != 2 {
		t.Errorf("%s after %d tries, %q", v.Outcome, v.Tries, v.Detail)
	}
}

func mustCreate(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// engine replaces the evaluator in tests of what the evaluator receives. The real evaluator has its own tests.
type engine struct {
	ok       bool
	err      error
	response string
	calls    int
}

func (e *engine) Evaluate(_ context.Context, _ string, response []byte) (bool, error) {
	e.response = string(response)
	e.calls++
	return e.ok, e.err
}

func (e *engine) Validate(context.Context, string) error { return e.err }

func TestPredicate_EachSource_IsRead(t *testing.T) {
	s := site(t)
	h := host(t)
	write(t, h.Environment.Dir, "good.json", `{"n": 1}`)
	write(t, h.Environment.Dir, "bad.json", `{"n": `)
	for _, c := range []struct {
		name     string
		check    goal.Check
		claim    goal.Claim
		response string // "" if the evaluator is not called
		detail   string
	}{
		{
			"the claim's result",
			goal.Check{},
			goal.Claim{Result: `{"status":200}`, Rationale: "x"},
			`{"status":200}`,
			"is true",
		},
		{
			"the rationale, where there is no result",
			goal.Check{From: goal.FromClaim},
			goal.Claim{Rationale: `[1]`},
			`[1]`,
			"",
		},
		{"a claim that is not JSON", goal.Check{}, goal.Claim{Rationale: "it is done"}, "", "not JSON: it is done"},
		{
			"a claim that is too long",
			goal.Check{},
			goal.Claim{Result: `"` + strings.Repeat("x", 5<<20) + `"`},
			"",
			"more than",
		},
		{"a file", goal.Check{From: goal.FromFile, Path: "good.json"}, goal.Claim{}, `{"n": 1}`, ""},
		{
			"a file that is not JSON",
			goal.Check{From: goal.FromFile, Path: "bad.json"},
			goal.Claim{},
			"",
			"bad.json is not JSON",
		},
		{"a file that is not there", goal.Check{From: goal.FromFile, Path: "no.json"}, goal.Claim{}, "", "does not exist"},
		{"a file that is a link out", goal.Check{From: goal.FromFile, Path: "out/etc/passwd"}, goal.Claim{}, "", "escapes"},
		{"a command", goal.Check{
			From:    goal.FromCommand,
			Command: `echo '{"n": 2}'; echo noise >&2; exit 3`,
		}, goal.Claim{}, `{"n": 2}`, ""},
		{
			"a command that prints no JSON",
			goal.Check{From: goal.FromCommand, Command: "echo hello"},
			goal.Claim{},
			"",
			"did not print JSON (exit 0)",
		},
		{"a server's answer", goal.Check{
			From:   goal.FromURL,
			URL:    s.URL + "/made",
			Method: "POST",
		}, goal.Claim{}, `"status":201`, ""},
		{
			"a server that is not there",
			goal.Check{From: goal.FromURL, URL: unused(t)},
			goal.Claim{},
			"",
			"connection refused",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &engine{ok: true}
			h.Environment.Predicates = e
			c.check.Type, c.check.Expr = goal.JSONPredicate, "response.n === 1"
			v := claimed(t, h, c.check, c.claim)
			if want := map[bool]goal.Outcome{true: goal.Fail, false: goal.Pass}[c.response == ""]; v.Outcome != want ||
				!strings.Contains(v.Detail, c.detail) {
				t.Errorf("%s, %.200q", v.Outcome, v.Detail)
			}
			if (c.response == "") != (e.calls == 0) || !strings.Contains(e.response, c.response) {
				t.Errorf("asked %d times, with %q", e.calls, e.response)
			}
		})
	}
}

// TestPredicate_HTTPAnswer_IsJSON checks the fields of the JSON that a predicate about a response receives.
func TestPredicate_HTTPAnswer_IsJSON(t *testing.T) {
	s := site(t)
	e := &engine{ok: true}
	h := verify.CheckRunner{Environment: check.Environment{Dir: t.TempDir(), Predicates: e}}
	one(t, h, goal.Check{Type: goal.HTTP, URL: s.URL + "/ok", Predicate: "true"})
	var got struct {
		Status  int
		Headers map[string]string
		Body    struct {
			OK   bool
			List []int
		}
	}
	if err := json.Unmarshal([]byte(e.response), &got); err != nil || got.Status != 200 ||
		got.Headers["x-word"] != "well" || !got.Body.OK || len(got.Body.List) != 2 {
		t.Errorf("%+v %v of %s", got, err, e.response)
	}
	one(t, h, goal.Check{Type: goal.HTTP, URL: s.URL + "/nothing", Status: 404, Predicate: "true"})
	if !strings.Contains(e.response, `"body":"404 page not found\n"`) {
		t.Errorf("a body that is not JSON is %s", e.response)
	}
}

func TestPredicate_EachResult_HasItsOutcome(t *testing.T) {
	h := verify.CheckRunner{Environment: check.Environment{Dir: t.TempDir()}}
	k := goal.Check{Type: goal.JSONPredicate, Expr: "response.a.b"}
	for _, c := range []struct {
		name    string
		engine  *engine
		outcome goal.Outcome
		tries   int
	}{
		{"true", &engine{ok: true}, goal.Pass, 1},
		{"false", &engine{}, goal.Fail, 1},
		{"stumbles over what is not there", &engine{
			err: &check.PredicateError{Kind: "type", Text: "TypeError"},
		}, goal.Fail, 1},
		{"is broken itself", &engine{err: &check.PredicateError{Kind: "throws", Text: "ReferenceError"}}, goal.CheckErr, 1},
		{"could not be asked", &engine{err: errors.New("no process")}, goal.CheckErr, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.Environment.Predicates = c.engine
			v := claimed(t, h, k, goal.Claim{Result: "{}"})
			if v.Outcome != c.outcome || v.Tries != c.tries || c.engine.calls != c.tries {
				t.Errorf("%s, %q, %d tries, asked %d times", v.Outcome, v.Detail, v.Tries, c.engine.calls)
			}
		})
	}
	h.Environment.Predicates = nil
	if v := claimed(t, h, k, goal.Claim{Result: "{}"}); v.Outcome != goal.CheckErr ||
		!strings.Contains(v.Detail, "cannot be evaluated") {
		t.Errorf("without an engine: %s, %q", v.Outcome, v.Detail)
	}
}

// TestCheck_OnTheHost_HasItsOwnLauncher checks that such a check uses Outside instead of the goal's launcher.
func TestCheck_OnTheHost_HasItsOwnLauncher(t *testing.T) {
	h := host(t)
	k := goal.Check{Type: goal.Shell, Command: "true", Where: "host"}
	if v := one(t, h, k); v.Outcome != goal.CheckErr || !strings.Contains(v.Detail, "outside") {
		t.Errorf("without one: %s, %q", v.Outcome, v.Detail)
	}
	h.Environment.Outside, h.Environment.Launcher = h.Environment.Launcher, nil
	if v := one(t, h, k); v.Outcome != goal.Pass {
		t.Errorf("%s, %q", v.Outcome, v.Detail)
	}
}

// TestCheck_OnAServer checks that such a check runs only on the server, and that an unreachable server is an error of
// the check.
func TestCheck_OnAServer(t *testing.T) {
	h := host(t)
	k := goal.Check{Type: goal.Shell, Command: "uname", Where: "ssh:box"}
	if v := one(t, h, k); v.Outcome != goal.CheckErr || !strings.Contains(v.Detail, "cannot run on servers") {
		t.Errorf("without one: %s, %q", v.Outcome, v.Detail)
	}
	h.Environment.Launcher = nil
	code := 0
	h.Environment.Remote = func(_ context.Context, server string, argv []string) (process.Output, error) {
		if server != "box" || argv[0] != "/bin/sh" || argv[len(argv)-1] != "uname" {
			t.Errorf("%s is asked for %q", server, argv)
		}
		if code < 0 {
			return process.Output{}, errors.New("no route")
		}
		return process.Output{Status: process.Status{Code: code}, Stdout: []byte("Box\n")}, nil
	}
	for _, want := range []struct {
		code    int
		outcome goal.Outcome
	}{{0, goal.Pass}, {1, goal.Fail}, {-1, goal.CheckErr}} {
		code = want.code
		if v := one(t, h, k); v.Outcome != want.outcome {
			t.Errorf("exit %d: %s, %q", code, v.Outcome, v.Detail)
		}
	}
	for _, wrong := range []goal.Check{{
		Type:    goal.Shell,
		Command: "true",
		Where:   "ssh:",
	}, {Type: goal.Shell, Command: "true", Where: "ssh:box", Dir: "a"}} {
		if err := (goal.Criterion{Checks: []goal.Check{wrong}}).Validate(); err == nil {
			t.Errorf("%+v was taken", wrong)
		}
	}
	if words := k.Describe(); !strings.Contains(words, "on the server box") {
		t.Error(words)
	}
}

// TestVerification_Error_IsRetriedOnce checks that the second attempt decides, and that the verdict counts both.
func TestVerification_Error_IsRetriedOnce(t *testing.T) {
	h := host(t)
	h.Environment.Launcher = &faulty{Launcher: h.Environment.Launcher, left: 1}
	if v := one(t, h, shell("true")); v.Outcome != goal.Pass || v.Tries != 2 {
		t.Errorf("%s after %d tries", v.Outcome, v.Tries)
	}
	h.Environment.Launcher = &faulty{Launcher: h.Environment.Launcher, left: 5}
	if v := one(t, h, shell("true")); v.Outcome != goal.CheckErr || v.Tries != 2 ||
		!strings.Contains(v.Detail, "no space") {
		t.Errorf("%s after %d tries: %q", v.Outcome, v.Tries, v.Detail)
	}
	if v := one(t, h, shell("false")); v.Tries != 2 {
		t.Errorf("%d tries", v.Tries)
	}
}

type faulty struct {
	process.Launcher
	left int
}

func (f *faulty) Start(ctx context.Context, c process.Command) (process.Process, error) {
	if f.left--; f.left >= 0 {
		return nil, errors.New("no space")
	}
	return f.Launcher.Start(ctx, c)
}

// TestCheck_TimeoutBeforeStart_IsATimeout: on a busy machine, a short timeout may expire before the program starts.
func TestCheck_TimeoutBeforeStart_IsATimeout(t *testing.T) {
	h := verify.CheckRunner{Environment: check.Environment{Dir: t.TempDir(), Launcher: busy{}}}
	k := goal.Check{Type: goal.Shell, Command: "true", TimeoutMS: 20}
	if v := one(t, h, k); v.Outcome != goal.CheckErr || v.ExitCode != -1 ||
		!strings.Contains(v.Detail, "did not end within 20 ms") {
		t.Errorf("%s, exit %d, %q", v.Outcome, v.ExitCode, v.Detail)
	}
}

// busy is a launcher that starts no program before the timeout.
type busy struct{}

func (busy) Start(ctx context.Context, _ process.Command) (process.Process, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	_, was := os.Lstat(path)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if was != nil { // the umask may have removed permissions
		must(t, os.Chmod(path, 0o644))
	}
}

// claimed returns the verdict of one check for a claim.
func claimed(t *testing.T, h verify.CheckRunner, c goal.Check, claim goal.Claim) goal.Verdict {
	t.Helper()
	var got goal.Verdict
	if _, err := h.DecideClaim(t.Context(), goal.Goal{
		Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{c}}},
	}, claim, func(v goal.Verdict) error {
		got = v
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/mcp"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/waittest"
)

func TestTools_OfServer_BeginWithItsName(t *testing.T) {
	f := setup(t)
	s := f.known(t, program("whole"))
	r := call(t, s, "fix__echo", `{"text":"hello"}`)
	if !r.OK {
		t.Fatal(r.Text)
	}
	has(t, r.Text, `<output from="the server fix">`, "hello from ")
	has(t, tool(t, s, "fix__echo").Spec().Description, "the user's MCP server fix", "repeats a text")
	if w := f.warning(t); w != "" {
		t.Fatal(w)
	}
}

func TestEffect_FollowsTheAnnotations(t *testing.T) {
	f := setup(t)
	s := f.known(t, program("whole"))
	for name, want := range map[string]policy.Effect{
		"fix__search":  {Risk: policy.NetworkGet},
		"fix__note":    {Risk: policy.WriteLocal},
		"fix__wipe":    {Risk: policy.WriteLocal, Irreversible: true},
		"fix__post":    {Risk: policy.NetworkWrite},
		"fix__mystery": {Risk: policy.NetworkWrite},
	} {
		got, err := tool(t, s, name).Effect(t.Context(), json.RawMessage(`{}`))
		if err != nil || got.Risk != want.Risk || got.Irreversible != want.Irreversible || got.Control || !got.Program {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	got, err := tool(t, s, "fix__echo").Effect(t.Context(), json.RawMessage(`{"text":"x"}`))
	if err != nil || got.Risk != policy.ReadOnly || len(got.Hosts) != 0 {
		t.Errorf("echo: %+v, %v", got, err)
	}
}

// TestEffect_LocalServer_IgnoresAnnotations: a server at an address of this machine is not sandboxed, so its
// annotations do not lower the effect. The user's setting does.
func TestEffect_LocalServer_IgnoresAnnotations(t *testing.T) {
	f := setup(t)
	server := mcp.Server{
		Name:    "web",
		URL:     newWeb(t).URL + "/mcp",
		Headers: map[string]string{"Authorization": "Bearer sesame"},
	}
	s := f.known(t, server)
	for name, undone := range map[string]bool{
		"echo":    false,
		"search":  false,
		"note":    false,
		"wipe":    true,
		"mystery": false,
	} {
		args := json.RawMessage(`{}`)
		if name == "echo" {
			args = json.RawMessage(`{"text":"x"}`)
		}
		got, err := tool(t, s, "web__"+name).Effect(t.Context(), args)
		if err != nil || got.Risk != policy.NetworkWrite || got.Irreversible != undone ||
			!strings.Contains(got.Reason, "settings") {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	server.Risk = policy.ReadOnly
	if got, err := tool(t, f.known(t, server), "web__wipe").Effect(t.Context(), json.RawMessage(`{}`)); err != nil ||
		got.Risk != policy.ReadOnly || got.Irreversible {
		t.Errorf("the user's word: %+v, %v", got, err)
	}
	server.Risk = ""
	list, err := mcp.FetchTools(t.Context(), server, f.environment, f.listings, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Summaries(server) { // shown in the settings
		if one.Risk != string(policy.NetworkWrite) {
			t.Errorf("%+v", one)
		}
	}
}

func TestEffect_UsersRisk_OverridesAnnotations(t *testing.T) {
	f := setup(t)
	server := program("whole")
	server.Risk = policy.SpendsMoney
	got, err := tool(t, f.known(t, server), "fix__search").Effect(t.Context(), json.RawMessage(`{}`))
	if err != nil || got.Risk != policy.SpendsMoney {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestDo_InvalidArguments_DoesNotStartTheServer(t *testing.T) {
	f := setup(t)
	if _, err := mcp.FetchTools(t.Context(), program("whole"), f.environment, f.listings, time.Now()); err != nil {
		t.Fatal(err)
	}
	broken := program("broken") // a server with the same name, which cannot start
	s := f.open(t, broken)
	for _, args := range []string{`[]`, `{`, `{"text":1}`, `{}`, `{"text":"a","more":2}`, `null`} {
		if r := call(t, s, "fix__echo", args); r.OK || strings.Contains(r.Text, "did not start") {
			t.Errorf("%s: %s", args, r.Text)
		}
		if _, err := tool(t, s, "fix__echo").Effect(t.Context(), json.RawMessage(args)); err == nil {
			t.Errorf("%s has an effect", args)
		}
	}
	has(t, call(t, s, "fix__echo", `{"text":"a"}`).Text, "did not start", "left-pad")
}

func TestServer_Listed_StartsAtTheFirstCall(t *testing.T) {
	f := setup(t)
	list, err := mcp.FetchTools(t.Context(), program("whole"), f.environment, f.listings, time.Now())
	if err != nil || len(list.Tools) != 11 || list.Title != "fixture 2" {
		t.Fatalf("%+v, %v", list, err)
	}
	counted := &counting{Launcher: f.environment.Launcher}
	f.environment.Launcher = counted
	s := f.open(t, program("whole"))
	if len(s.Tools()) != 11 || counted.n.Load() != 0 {
		t.Fatalf("%d tools, %d starts", len(s.Tools()), counted.n.Load())
	}
	call(t, s, "fix__note", `{}`)
	call(t, s, "fix__note", `{}`)
	if counted.n.Load() != 1 {
		t.Fatalf("%d starts", counted.n.Load())
	}
}

func TestServer_Died_IsRestarted(t *testing.T) {
	f := setup(t)
	s := f.known(t, program("whole"))
	first := call(t, s, "fix__echo", `{"text":"a"}`).Text
	r := call(t, s, "fix__die", `{}`)
	if r.OK {
		t.Fatal(r.Text)
	}
	has(t, r.Text, "ended during the call", "unknown", "out of cheese")
	second := call(t, s, "fix__echo", `{"text":"a"}`)
	if !second.OK || second.Text == first {
		t.Fatalf("%s\n%s", first, second.Text)
	}
}

// TestClose_ServerLeftAChild_DoesNotWait: the child keeps running and keeps the server's standard error open.
func TestClose_ServerLeftAChild_DoesNotWait(t *testing.T) {
	f := setup(t)
	asked := make(chan error, 1)
	go func() {
		_, err := mcp.FetchTools(t.Context(), program("parent"), f.environment, f.listings, time.Now())
		asked <- err
	}()
	select {
	case err := <-asked:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(waittest.Scale(time.Minute)):
		t.Error("the end of the server is waited for until its child ends")
	}
}

func TestServer_FailsToStart_IsGivenUp(t *testing.T) {
	f := setup(t)
	if _, err := mcp.FetchTools(t.Context(), program("whole"), f.environment, f.listings, time.Now()); err != nil {
		t.Fatal(err)
	}
	counted := &counting{Launcher: f.environment.Launcher}
	f.environment.Launcher = counted
	s := f.open(t, program("broken"))
	for range 3 {
		has(t, call(t, s, "fix__note", `{}`).Text, "did not start", "exit 1")
	}
	has(t, call(t, s, "fix__note", `{}`).Text, "not used for the rest")
	if counted.n.Load() != 3 {
		t.Fatalf("%d starts", counted.n.Load())
	}
}

func TestServer_NoProtocol_IsReported(t *testing.T) {
	f := setup(t)
	for kind, words := range map[string]string{"garbage": "I speak no JSON", "broken": "left-pad"} {
		_, err := mcp.FetchTools(t.Context(), program(kind), f.environment, f.listings, time.Now())
		if err == nil {
			t.Fatalf("%s was listed", kind)
		}
		has(t, err.Error(), "did not start", words)
	}
	_, err := mcp.FetchTools(t.Context(), mcp.Server{Name: "none", Command: "/no/such/program"}, f.environment, f.listings,
		time.Now())
	if err == nil {
		t.Fatal("nothing was listed")
	}
	has(t, err.Error(), "/no/such/program")
}

func TestServer_NeverAnswers_IsGivenUp(t *testing.T) {
	f := setup(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := mcp.FetchTools(ctx, program("deaf"), f.environment, f.listings, time.Now()); err == nil {
		t.Fatal("a deaf server was listed")
	}
}

func TestDo_CallHangs_TimesOut(t *testing.T) {
	f := setup(t)
	server := program("whole")
	server.Timeout = 300 * time.Millisecond
	s := f.known(t, server)
	has(t, call(t, s, "fix__hang", `{}`).Text, "did not answer within 300 ms", "unknown")
	if len(f.failed) != 1 || f.failed[0] != "fix: hang did not answer within 300 ms" {
		t.Errorf("reported %q", f.failed)
	}
	tool(t, s, "fix__note").SetTimeout(time.Minute)
	if r := call(t, s, "fix__note", `{}`); !r.OK { // the server is still usable
		t.Fatal(r.Text)
	}
}

// TestDo_ServerStuck_IsRestarted: a server that answers neither a call nor a ping would let every later call time out.
func TestDo_ServerStuck_IsRestarted(t *testing.T) {
	f := setup(t)
	s := f.known(t, program("stuck"))
	first := call(t, s, "fix__echo", `{}`)
	tool(t, s, "fix__stick").SetTimeout(300 * time.Millisecond)
	has(t, call(t, s, "fix__stick", `{}`).Text, "did not answer within 300 ms", "starts it again")
	tool(t, s, "fix__echo").SetTimeout(time.Minute)
	if second := call(t, s, "fix__echo", `{}`); !first.OK || !second.OK || second.Text == first.Text {
		t.Fatalf("%s\n%s", first.Text, second.Text)
	}
}

// TestServer_PrintsBetweenMessages_IsUsed: text on standard output is skipped, and shown to the user.
func TestServer_PrintsBetweenMessages_IsUsed(t *testing.T) {
	f := setup(t)
	list, err := mcp.FetchTools(t.Context(), program("banner"), f.environment, f.listings, time.Now())
	if err != nil || len(list.Tools) != 11 || len(list.Notes) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	has(t, list.Notes[0], "Weather server 1.4 is ready", "[INFO] cache", `"msg":"listening"`, "Loading ...")
}

// TestListing_CursorDoesNotAdvance_Ends: the list ends with the tools that are there.
func TestListing_CursorDoesNotAdvance_Ends(t *testing.T) {
	f := setup(t)
	list, err := mcp.FetchTools(t.Context(), program("endless"), f.environment, f.listings, time.Now())
	if err != nil || len(list.Tools) != 2 || len(list.Notes) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	has(t, list.Notes[0], "repeats itself")
}

// TestServer_StartsTooSlowly_SaysSo: the limit can be set, and until then the user sees what the server prints.
func TestServer_StartsTooSlowly_SaysSo(t *testing.T) {
	f := setup(t)
	f.environment.Starts = &mcp.Starts{}
	server := program("slow")
	server.StartTimeout = waittest.Scale(3 * time.Second)
	failed := make(chan error, 1)
	go func() {
		_, err := mcp.FetchTools(t.Context(), server, f.environment, f.listings, time.Now())
		failed <- err
	}()
	waittest.Until(t, "the progress of the start", func() bool {
		return strings.Contains(f.environment.Starts.Progress("fix"), "its last output: indexing 40,000 files")
	})
	err := <-failed
	if err == nil {
		t.Fatal("it was listed")
	}
	has(t, err.Error(), "did not list its tools within", "can be set", "indexing 40,000 files")
	if left := f.environment.Starts.Progress("fix"); left != "" {
		t.Error(left)
	}
}

func TestDo_ToolChangedSinceListing_IsNotCalled(t *testing.T) {
	f := setup(t)
	if _, err := mcp.FetchTools(t.Context(), program("whole"), f.environment, f.listings, time.Now()); err != nil {
		t.Fatal(err)
	}
	s := f.open(t, program("changed"))
	has(t, call(t, s, "fix__echo", `{"text":"a"}`).Text, "not called",
		"has changed the description of this tool since it was listed")
	if r := call(t, s, "fix__note", `{}`); !r.OK { // this tool did not change
		t.Fatal(r.Text)
	}
}

func TestServerOutput_IsWrappedAsData(t *testing.T) {
	f := setup(t)
	s := f.known(t, program("whole"))
	r := call(t, s, "fix__fail", `{}`)
	if r.OK || strings.Count(r.Text, "</output>") != 1 {
		t.Fatal(r.Text)
	}
	has(t, r.Text, "reports an error", "no such row")
	r = call(t, s, "fix__picture", `{}`)
	if !r.OK || string(r.Image) != "png!" {
		t.Fatalf("%+v", r)
	}
}

func TestServer_Program_GetsOnlyItsOwnVariables(t *testing.T) {
	f := setup(t)
	server := program("whole")
	server.Env["SECRET"] = "{{secret:X}}"
	f.environment.Fill = func(_ context.Context, _ mcp.Server, v string) (string, error) {
		return strings.ReplaceAll(v, "{{secret:X}}", "filled"), nil
	}
	has(t, call(t, f.known(t, server), "fix__env", `{}`).Text, "SECRET=filled HOME=/nowhere")
	list, err := os.ReadFile(filepath.Join(f.listings.Dir, "fix.json"))
	if err != nil || strings.Contains(string(list), "filled") {
		t.Fatal("a secret is in the listing", err)
	}
}

func TestServer_Address_GetsItsHeaders(t *testing.T) {
	f := setup(t)
	w := newWeb(t)
	server := mcp.Server{Name: "web", URL: w.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer sesame"}}
	s := f.known(t, server)
	if r := call(t, s, "web__echo", `{"text":"hi"}`); !r.OK || !strings.Contains(r.Text, "hi from") {
		t.Fatal(r.Text, f.warning(t))
	}
	if w.keyed.Load() == 0 || w.bare.Load() != 0 {
		t.Fatalf("%d with the key, %d without", w.keyed.Load(), w.bare.Load())
	}
	server.Headers = nil
	if _, err := mcp.FetchTools(t.Context(), server, f.environment, f.listings, time.Now()); err == nil ||
		!strings.Contains(err.Error(), "did not start") {
		t.Fatal(err)
	}
}

func TestServer_NoCachedTools_HasNoTools(t *testing.T) {
	f := setup(t)
	w := newWeb(t)
	s := f.open(t, mcp.Server{Name: "web", URL: w.URL})
	has(t, f.warning(t), "web: ", "not known")
	if w.keyed.Load()+w.bare.Load() != 0 || len(s.Tools()) != 0 {
		t.Fatal("it was asked")
	}
}

func TestServer_Invalid_IsRefused(t *testing.T) {
	for _, s := range []mcp.Server{
		{},
		{Name: "a"},
		{Name: "A b", Command: "x"},
		{Name: "a", Command: "x", URL: "https://x.example"},
		{Name: "a", URL: "ftp://x.example"},
		{Name: "a", URL: "http://x.example"},
		{Name: "a", URL: "https://u:p@x.example"},
		{Name: "a", Command: "x", Risk: "all"},
		{Name: "a", Command: "x", Timeout: time.Hour},
		{Name: "a", Command: "x", Env: map[string]string{"A=B": ""}},
		{Name: "a__b", Command: "x"},
	} {
		if s.Validate() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	for _, s := range []mcp.Server{
		{Name: "a", Command: "x"},
		{Name: "a-1", URL: "https://x.example/mcp"},
		{Name: "a", URL: "http://127.0.0.1:1/mcp"},
	} {
		if err := s.Validate(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

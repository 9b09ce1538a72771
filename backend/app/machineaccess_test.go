package app_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

func wants(kind, path string, port int) modeltest.Answer {
	a := map[string]any{"kind": kind, "why": "it is needed"}
	if path != "" {
		a["path"] = path
	}
	if port != 0 {
		a["port"] = port
	}
	return args("request_access", a)
}

func runs(command string) modeltest.Answer {
	return args("run_command", map[string]any{"command": command})
}

// TestRequestAccess_Approved_OpensWhatItNames: an approval opens the access at once, for the agent and for checks. A
// denial opens nothing.
func TestRequestAccess_Approved_OpensWhatItNames(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	outside := t.TempDir()
	data, other := filepath.Join(outside, "data"), filepath.Join(outside, "other")
	for _, path := range []string{filepath.Join(data, "sub"), other} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{data + "/text", other + "/text"} {
		if err := os.WriteFile(path, []byte("beside"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", filepath.Join(outside, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := server.Accept(); err == nil {
			_, _ = io.WriteString(c, "carried")
			_ = c.Close()
		}
	}()
	port := server.Addr().(*net.TCPAddr).Port
	dial := fmt.Sprintf("bash -c 'exec 3<>/dev/tcp/127.0.0.1/%d && cat <&3'", port)
	id, steps := p.results([]policy.Scope{policy.ScopeMachine, "", policy.ScopeMachine, policy.ScopeMachine},
		runs("cat "+data+"/text"),
		wants("write", data, 0),
		runs("cat "+data+"/text && echo new > "+data+"/new && rm "+data+"/text"),
		wants("read", other, 0),
		runs("cat "+other+"/text"),
		wants("socket", filepath.Join(outside, "sock"), 0),
		runs("test -S "+filepath.Join(outside, "sock")+" && echo there"),
		runs(dial), wants("port", "", port), runs(dial),
		wants("write", data, 0), // an approved access is not asked about again
		wants("read", p.cfg.State(), 0), wants("write", "/", 0), wants("read", "relative", 0), wants("all", "/x", 0),
	)
	for i, want := range []string{
		"No such file", "open for this goal: reading, changing and deleting everything in " + data, "beside",
		"denied by the user", "No such file",
		"open for this goal: connecting", "there", "refused", "open for this goal: the port", "carried", "open for this goal",
		"Goalpost's own", "home folder", "only an absolute path", "unknown kind",
	} {
		if !strings.Contains(steps[i].Result, want) {
			t.Errorf("call %d: %q, want %q", i+1, steps[i].Result, want)
		}
	}
	<-done
	if text, err := os.ReadFile(data + "/new"); err != nil || string(text) != "new\n" {
		t.Errorf("what was written: %q, %v", text, err)
	}
	grants, err := area[*calls.ApprovalAPI](t, p.app).Grants(id)
	if err != nil || len(grants) != 0 { // grants end with the goal
		t.Errorf("granted: %+v, %v", grants, err)
	}
}

// TestReadAccess_ForbiddenFolders_AreRefused: a goal cannot read the folders that it may not work in, neither through
// the user's input at the start nor through a request of the agent. The refusal does not reveal what exists there.
func TestReadAccess_ForbiddenFolders_AreRefused(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".ssh", "work/.keys", "work/data"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	p := start(t, home)
	_, steps := p.results(nil, wants("read", home+"/.ssh", 0), wants("read", home+"/.gnupg", 0), wants("read", "/proc", 0))
	for i, want := range []string{"hidden folder of a home", "hidden folder of a home", "belongs to the system"} {
		if !strings.Contains(steps[i].Result, want) {
			t.Errorf("call %d: %q, want %q", i+1, steps[i].Result, want)
		}
	}
	begin := func(dir string) error {
		_, err := p.goal.Start(goal.Request{
			Objective: "read",
			Criterion: goal.Criterion{Checks: shell("test -f never")},
			Policy:    policy.Policy{AllowRead: []string{dir}},
		})
		return err
	}
	for _, dir := range []string{
		home, filepath.Dir(home), home + "/.ssh", home + "/work/.keys", "/proc", "/proc/self",
		"/etc", "/", p.cfg.State(),
	} {
		if no := api.ToProblem(begin(dir)); no.Code != fault.Refused || no.Field != "allow_read" || no.Hint == "" {
			t.Errorf("%s: %+v", dir, no)
		}
	}
	if err := begin(home + "/work/data"); err != nil {
		t.Error(err)
	}
}

// TestRequestAccess_ForbiddenAccess_IsRefused: a command cannot become root. If it fails because of that, its result
// tells the agent to ask the user.
func TestRequestAccess_ForbiddenAccess_IsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	_, steps := p.results(nil,
		runs("cp /bin/sh ./sh && chmod 4755 ./sh; ./sh -pc 'grep NoNewPrivs /proc/self/status'; echo 'sudo: The \"no new "+
			"privileges\" flag is set' >&2; exit 1"),
		runs("echo are you root?"))
	if said := steps[0].Result; !strings.Contains(said, "NoNewPrivs:\t1") || !strings.Contains(said, "ask_user") {
		t.Errorf("after a refusal: %s", said)
	}
	if said := steps[1].Result; strings.Contains(said, "ask_user") {
		t.Errorf("after a success: %s", said)
	}
}

// TestRevoke_FileInUse_EndsItsPrograms revokes access to a folder that a running command uses.
func TestRevoke_FileInUse_EndsItsPrograms(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	data := t.TempDir()
	p.provide(turns(wants("write", data, 0), runs("echo x > "+data+"/begun; cd "+data+"; sleep 600"),
		runs("ls "+data+"/begun"),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"})))
	out, err := p.goal.Start(goal.Request{
		Objective: "reach",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	q := p.answers(out.GoalID, policy.ScopeMachine)
	p.await("the command", func(e event.Event) bool {
		s, ok := e.Body.(*event.StepStarted)
		return ok && s.StepID == 2
	})
	awaitFile(t, data+"/begun", "")
	if _, err := area[*calls.ApprovalAPI](t, p.app).Revoke(out.GoalID, q.ID); err != nil {
		t.Fatal(err)
	}
	if v := p.done(out.GoalID); v.Exit != goal.GaveUp {
		t.Errorf("it ended as %s", v.Exit)
	}
	for n, want := range map[int]string{2: "killed", 3: "No such file"} {
		s, err := p.goal.Step(out.GoalID, n)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Result, want) {
			t.Errorf("call %d: %q, want %q", n, s.Result, want)
		}
	}
}

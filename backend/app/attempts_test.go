package app_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestAttempts_RefusedActions_AreJournaled: the journal reports what the kernel and the network refused. If a file is
// merely invisible in the sandbox, nothing is refused, and the journal only has the step: the command and its output.
func TestAttempts_RefusedActions_AreJournaled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	home := t.TempDir()
	must(t, os.WriteFile(home+"/secret", []byte("a canary"), 0o600))
	t.Setenv("HOME", home)
	p := start(t, home)
	tries := []struct{ command, reported, printed string }{
		{"unshare -U true", `unshare: make a namespace (unshare)`, "Operation not permitted"},
		{"exec 3<>/dev/tcp/127.0.0.1/" + port, "port " + port + " of this machine", "refused"},
		{"curl -sm 5 http://shop.example/", "GET shop.example:80", ""},
		{"exec 3<>/dev/tcp/192.0.2.7/80", "connect to 192.0.2.7:80 without the proxy", "unreachable"},
		{"cat " + home + "/secret", "", "No such file"},
		{fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), "", "No such file"},
		{"touch /usr/bin/evil", "", "Read-only file system"},
	}
	calls := make([]string, 0, len(tries))
	for _, a := range tries {
		calls = append(calls, fmt.Sprintf("bash -c '%s'", a.command))
	}
	p.provide(turns(args("run_command", map[string]any{"command": strings.Join(calls, "; ")}),
		args("run_command", map[string]any{"command": "sleep 100"})))
	out, err := p.goal.Start(goal.Request{
		Objective: "get out",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{OnAsk: "deny"},
	})
	must(t, err)
	var step *event.Step
	missing := map[string]bool{}
	for _, a := range tries {
		if a.reported != "" {
			missing[a.reported] = true
		}
	}
	for step == nil || len(missing) > 0 {
		p.await(fmt.Sprintf("step and %v", missing), func(e event.Event) bool {
			switch b := e.Body.(type) {
			case *event.Step:
				step = b
			case *event.Warning:
				for reported := range missing {
					if strings.Contains(b.Text, reported) {
						delete(missing, reported)
					}
				}
			default:
				return false
			}
			return true
		})
	}
	row, err := p.goal.Step(out.GoalID, step.StepID)
	must(t, err)
	for _, a := range tries {
		quoted, err := json.Marshal(a.command)
		must(t, err)
		if !strings.Contains(row.Arguments, strings.Trim(string(quoted), `"`)) || !strings.Contains(row.Result, a.printed) {
			t.Errorf("%s: the step holds %s\n%s", a.command, row.Arguments, row.Result)
		}
	}
	if ok, err := p.goal.Abort(out.GoalID); !ok || err != nil {
		t.Fatal(ok, err)
	}
	p.done(out.GoalID)
	kept := p.journal(out.GoalID)
	if !strings.Contains(kept, "the kernel refused to unshare") ||
		!strings.Contains(kept, "blocked request of a program: GET shop.example:80") {
		t.Errorf("the journal: %s", kept)
	}
}

package transcript_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/config"
)

var requestDir = flag.String("requests", "", "write the requests of the test into this folder, to count tokens")

// requestTurns is how many turns the goal of TestRequestBytes_LongGoal_AreBounded makes.
const requestTurns = 60

// TestRequestBytes_LongGoal_AreBounded prints the figures of docs/performance.md about requests with -v. A goal of 60
// turns opens a terminal at turn 20 and a second one at turn 40. For each request, the test compares the tools and
// messages, in the order in which providers cache them, with those of the previous request.
func TestRequestBytes_LongGoal_AreBounded(t *testing.T) {
	t.Parallel()
	home, err := os.MkdirTemp("", "b-*")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "w")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	turn := 0
	server := modeltest.New(t, func(int, modeltest.Request) modeltest.Answer {
		turn++
		switch turn {
		case 20, 40:
			return modeltest.Call("terminal_open", map[string]any{})
		case requestTurns:
			return modeltest.Call("claim_complete", map[string]any{"rationale": "all files are there"})
		}
		return modeltest.Call("write_file", map[string]any{"path": fmt.Sprintf("f%d", turn), "content": "x"})
	})
	cfg := openConfig(t, home)
	if err := cfg.SaveProvider(config.Provider{
		ID:      "model",
		Kind:    config.OpenAI,
		BaseURL: server.URL,
		Model:   "model",
	}); err != nil {
		t.Fatal(err)
	}
	program := app.New(app.Options{Config: cfg, Log: cfg.Log(), Version: "test"})
	if err := program.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(program.Close(context.WithoutCancel(t.Context())), os.RemoveAll(home)); err != nil {
			t.Error(err)
		}
	})
	out, err := program.GoalAPI(t.Context()).Start(goal.Request{
		Objective: "write many files",
		Policy:    policy.Policy{Dir: dir},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
		Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "test -f f59"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-program.Done(goal.ID(out.GoalID))

	var before, first string
	sum, equal, changes := 0, 0, 0
	for i, r := range server.Requests() {
		sent := cacheOrder(t, r.Body)
		if *requestDir != "" {
			if err := os.WriteFile(filepath.Join(*requestDir, fmt.Sprintf("%02d.txt", i+1)), []byte(sent), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if before == "" {
			first = sent
			schemas := len(cacheOrder(t, []byte(`{"tools":`+toolsOf(t, r.Body)+`}`)))
			t.Logf("first request: %d tools of %d bytes, %d bytes", len(r.Tools), schemas, len(sent))
			if len(r.Tools) > 22 || schemas > 16<<10 {
				t.Errorf("a goal starts with %d tools of %d bytes", len(r.Tools), schemas)
			}
		}
		same := commonPrefix(before, sent)
		if before != "" && same < len(before)-1 { // the last byte may be a bracket
			changes++
		}
		sum, equal, before = sum+len(sent), equal+same, sent
	}
	if turn != requestTurns || len(first) > 20<<10 || changes > 1 {
		t.Errorf("%d turns, the first request has %d bytes, and what was sent before changed %d times",
			turn, len(first), changes)
	}
	t.Logf("%d requests: last %d bytes, all %d bytes, of them %d equal to the request before (%.1f %%); %d changed the "+
		"tools", len(server.Requests()), len(before), sum, equal, 100*float64(equal)/float64(sum), changes)
}

// toolsOf returns the list of tools in a request, as JSON.
func toolsOf(t *testing.T, body []byte) string {
	t.Helper()
	var r struct{ Tools json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Tools)
}

// cacheOrder returns the tools and then the messages of a request.
func cacheOrder(t *testing.T, body []byte) string {
	t.Helper()
	var r struct{ Tools, Messages []json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, part := range append(r.Tools, r.Messages...) {
		text += string(part)
	}
	return text
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/domain/goal"
)

// stage imitates the host and the tools that the script uses: real files, the real check, and the texts of terminals
// and browsers.
type stage struct {
	t        *testing.T
	dir      string
	turn     goal.Turn
	tools    []string
	broken   map[string]string // tool → its answer
	resumeAt int               // the program is killed before this turn, -1 for never
	doubt    bool              // the program is killed after the running call was executed and before it was answered
	verified bool
	gaveUp   map[string]string
	claims   []string
	shown    string // loaded in the browser
	serves   bool
	panes    int
}

func newStage(t *testing.T, command string) *stage {
	return &stage{
		t: t, dir: t.TempDir(), resumeAt: -1, broken: map[string]string{},
		turn: goal.Turn{Messages: []goal.Message{{Role: goal.User, Text: "Goal: " + model.DemoObjective(command)}}},
	}
}

// play runs the loop to its end.
func (s *stage) play(d model.Demo) {
	s.t.Helper()
	for n := range 40 {
		if n == s.resumeAt {
			s.serves, s.shown = false, ""
			s.report("The run continues after a pause. Terminals and browser panes that you had opened may be gone: look " +
				"before you use them.")
		}
		var received strings.Builder
		r, err := d.Turn(s.t.Context(), s.turn, func(w string) { received.WriteString(w) })
		if err != nil {
			s.t.Fatal(err)
		}
		if len(r.Calls) != 1 || r.Text == "" || received.String() != r.Text {
			s.t.Fatalf("turn %d: %+v, received %q", n, r, received.String())
		}
		s.turn.Messages = append(s.turn.Messages, goal.Message{Role: goal.Assistant, Text: r.Text, Calls: r.Calls})
		c := r.Calls[0]
		s.tools = append(s.tools, c.Tool)
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			s.t.Fatal(err)
		}
		text := s.do(c.Tool, args)
		if s.doubt && n+1 == s.resumeAt {
			text = "the program ended before " + c.Tool + " answered: its outcome is unknown. Look before you repeat it."
		}
		s.turn.Messages = append(s.turn.Messages, goal.Message{Role: goal.ToolRole, CallID: c.ID, Text: text})
		if s.end(c.Tool) {
			return
		}
	}
	s.t.Fatalf("no end after %v", s.tools)
}

func (s *stage) report(text string) {
	s.turn.Messages = append(s.turn.Messages, goal.Message{Role: goal.User, Text: text})
}

// end verifies a claim as the host does.
func (s *stage) end(tool string) bool {
	if s.gaveUp != nil {
		return true
	}
	if tool != "claim_complete" ||
		(s.doubt && s.turn.Messages[len(s.turn.Messages)-1].Text != "the host verifies the claim now") {
		return false
	}
	cmd := exec.Command("/bin/sh", "-c", model.DemoCheck())
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		s.verified = true
		return true
	}
	s.report("Verification failed: check 1 (sh): " + err.Error() + "\nOutput tail:\n" + string(out) + "\n\nKeep working")
	return false
}

func (s *stage) do(tool string, args map[string]any) string {
	if answer, ok := s.broken[tool]; ok {
		return answer
	}
	word := func(k string) string { v, _ := args[k].(string); return v }
	file := filepath.Join(s.dir, "index.html")
	page := func() string {
		b, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	switch tool {
	case "write_file":
		if err := os.WriteFile(filepath.Join(s.dir, word("path")), []byte(word("content")), 0o600); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("wrote %s, %s", word("path"), goal.FormatCount(len(word("content")), "byte"))
	case "read_file":
		return "<output from=\"index.html\">\n" + page() + "</output>"
	case "edit_file":
		text := page()
		if strings.Count(text, word("old")) != 1 {
			return "the text does not occur in index.html as given"
		}
		if err := os.WriteFile(file, []byte(strings.Replace(text, word("old"), word("new"), 1)), 0o600); err != nil {
			return err.Error()
		}
		return "changed index.html at line 20\n-41\n+42"
	case "terminal_open":
		s.panes++
		return fmt.Sprintf("opened pane t%d", s.panes)
	case "terminal_run":
		s.serves = true
		return "still running after 2 s; terminal_read shows what it prints next\n<output from=\"pane t1\">\nserving on " +
			"http://127.0.0.1:43123/\n</output>"
	case "terminal_read":
		return "next 40\n<output>\nserving on http://127.0.0.1:43123\n</output>"
	case "browser_open":
		if !s.serves {
			return "http://127.0.0.1:43123 refused the connection"
		}
		s.shown = page()
		return fmt.Sprintf("pane b1 is at %s/, titled %q", word("url"), "Price list")
	case "browser_snapshot":
		if s.shown == "" {
			return "there is no pane b1"
		}
		return "<output from=\"the page in pane b1\">\n" + s.shown + "\n</output>"
	case "browser_screenshot":
		return "stored a picture of pane b1, 4000 bytes, in the journal"
	case "claim_complete":
		s.claims = append(s.claims, word("rationale"))
		return "the host verifies the claim now"
	case "abort_with_report":
		s.gaveUp = map[string]string{"reason": word("reason"), "learned": word("what_was_learned")}
		return "the run ends with this report"
	}
	return "there is no tool " + tool
}

func TestDemo_WholeScript_ReachesTheGoal(t *testing.T) {
	s := newStage(t, "goalctl serve-folder .")
	s.play(model.Demo{})
	want := []string{
		"write_file", "terminal_open", "terminal_run", "browser_open", "claim_complete",
		"read_file", "edit_file", "browser_open", "browser_snapshot", "browser_screenshot", "claim_complete",
	}
	if !slices.Equal(s.tools, want) || !s.verified {
		t.Errorf("verified %v, steps %v", s.verified, s.tools)
	}
	var run struct {
		Pane, Command string
	}
	call := s.turn.Messages[5].Calls[0]
	if err := json.Unmarshal([]byte(call.Arguments), &run); err != nil || run.Pane != "t1" ||
		run.Command != "goalctl serve-folder ." {
		t.Errorf("terminal_run %s, %v", call.Arguments, err)
	}
	if !strings.Contains(s.claims[1], "shows 42") || strings.Contains(s.claims[1], "Left out") {
		t.Errorf("rationale %q", s.claims[1])
	}
	ids := map[string]bool{}
	for _, m := range s.turn.Messages {
		for _, c := range m.Calls {
			if ids[c.ID] {
				t.Errorf("the id %s comes twice", c.ID)
			}
			ids[c.ID] = true
		}
	}
}

func TestDemo_KilledAtAnyStep_Continues(t *testing.T) {
	for _, doubt := range []bool{false, true} {
		for at := 1; at <= 10; at++ {
			s := newStage(t, "serve")
			s.resumeAt, s.doubt = at, doubt
			s.play(model.Demo{})
			if !s.verified || s.gaveUp != nil {
				t.Errorf("resumed before turn %d (in doubt %v): %v, %v", at, doubt, s.tools, s.gaveUp)
			}
			if !strings.Contains(s.claims[len(s.claims)-1], "shows 42") {
				t.Errorf("resumed before turn %d: not looked at: %v", at, s.tools)
			}
		}
	}
}

func TestDemo_ToolMissing_IsReported(t *testing.T) {
	for tool, answer := range map[string]string{
		"browser_open":       "no Chromium was found; install it with apt install chromium",
		"terminal_open":      "denied: the tool terminal_open is denied for this goal",
		"terminal_run":       "exit 127\nsh: serve: not found",
		"browser_snapshot":   "the browser ended",
		"browser_screenshot": "the browser ended",
	} {
		s := newStage(t, "serve")
		s.broken[tool] = answer
		s.play(model.Demo{})
		first, _, _ := strings.Cut(answer, "\n")
		if last := s.claims[len(s.claims)-1]; !s.verified || !strings.Contains(last, "Left out: "+tool+" ("+first) {
			t.Errorf("%s: verified %v, rationale %q, steps %v", tool, s.verified, last, s.tools)
		}
	}
	s := newStage(t, "")
	s.play(model.Demo{Server: "serve"})
	if !s.verified || !slices.Contains(s.tools, "terminal_run") || strings.Contains(s.claims[0], "No server command") {
		t.Errorf("with the program's own server: %v, %v", s.tools, s.claims)
	}
	s = newStage(t, "")
	s.play(model.Demo{})
	if !s.verified || slices.Contains(s.tools, "terminal_run") || !strings.Contains(s.claims[0], "No server command") {
		t.Errorf("without a server: %v, %v", s.tools, s.claims)
	}
}

func TestDemo_CannotContinue_GivesUp(t *testing.T) {
	for tool, answer := range map[string]string{
		"write_file": "denied: this goal may do at most read_only",
		"read_file":  "permission denied",
		"edit_file":  "the disk is full",
	} {
		s := newStage(t, "serve")
		s.broken[tool] = answer
		s.play(model.Demo{})
		if s.verified || !strings.Contains(s.gaveUp["reason"], answer) || !strings.Contains(s.gaveUp["learned"], "no AI") {
			t.Errorf("%s: %v", tool, s.gaveUp)
		}
	}
}

func TestDemo_SlowServerAndNotes_AreHandled(t *testing.T) {
	s := newStage(t, "serve")
	s.broken["terminal_run"] = "still running after 2 s; terminal_read shows what it prints next"
	s.serves = true
	s.play(model.Demo{})
	if !s.verified || !slices.Contains(s.tools, "terminal_read") {
		t.Errorf("steps %v", s.tools)
	}
	s.report("A note from the user: use euros")
	r, err := model.Demo{}.Turn(t.Context(), s.turn, nil)
	if err != nil || !strings.Contains(r.Text, "I am a script") {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestDemo_TurnCancelled_Stops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := model.Demo{Pace: time.Hour}.Turn(ctx, newStage(t, "").turn, func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

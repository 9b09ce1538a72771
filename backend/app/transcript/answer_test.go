package transcript_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// TestUserMessage_ProcessEnds_IsKept kills the process of accept, reject, or resume after steer (SIGKILL): once the
// user's answer is stored, and after each of the first events of the run. The next process must read the answer, once.
func TestUserMessage_ProcessEnds_IsKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		words []string // followed by the goal's id
		more  []string
	}{
		"accept": {words: []string{"accept", "--json"}},
		"reject": {words: []string{"reject", "--json", "--note", "make it blue"}},
		"steer":  {words: []string{"steer"}, more: []string{"make it blue"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := range 5 {
				t.Run("", func(t *testing.T) {
					t.Parallel()
					w := waiting(t)
					args := append(append(test.words, string(w.id)), test.more...)
					if name == "steer" { // steer only stores the note; the process that reads it is killed
						if out, err := w.finish(args...); err != nil {
							t.Fatalf("%v\n%s", err, out)
						}
						args = []string{"resume", "--json", string(w.id)}
					}
					w.killed(n, args...)
					w.toItsEnd()
					w.receivedOnce(name)
					if got := w.turns.Load(); name == "accept" && got != 1 {
						t.Errorf("the model was asked %d times: what was accepted was not done", got)
					}
				})
			}
		})
	}
}

// waiter is a goal that waits until its user judges a colour.
type waiter struct {
	*testing.T
	home  string
	id    goal.ID
	turns atomic.Int64 // of the model
}

func waiting(t *testing.T) *waiter {
	t.Helper()
	home, err := os.MkdirTemp("", "w-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	w := &waiter{T: t, home: home}
	server := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		colour := "red"
		for _, m := range r.Messages {
			if strings.Contains(m.Text, "make it blue") {
				colour = "blue"
			}
		}
		w.turns.Add(1)
		return modeltest.Answer{Calls: []goal.Call{
			{
				Tool:      "write_file",
				Arguments: `{"path":"colour","content":"` + colour + `"}`,
			}, {Tool: "claim_complete", Arguments: `{"rationale":"` + colour + `"}`},
		}}
	})
	dir := filepath.Join(home, "w")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := w.finish("run", "--json", "--base-url", server.URL, "--model", "m", "--dir", dir, "--critic", "0",
		"--review", "never",
		"--check", "test -f colour", "--check=manual:the colour", "--with", "wait", "paint it")
	if !waitsForUser(err) {
		t.Fatalf("%v\n%s", err, out)
	}
	w.id, _ = only(t, home)
	return w
}

// finish runs a command to its end.
func (w *waiter) finish(args ...string) (string, error) {
	w.Helper()
	c := command(w.T, w.home, args...)
	c.reading.Wait()
	err := c.cmd.Wait()
	return c.stderr.String(), err
}

// waitsForUser reports whether the exit code is that of needs_user.
func waitsForUser(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == 5
}

// killed kills a command when it has reported n events, or for 0 once the user's answer is stored.
func (w *waiter) killed(n int, args ...string) {
	w.Helper()
	c := command(w.T, w.home, args...)
	if n == 0 {
		w.kept()
	}
	c.killAt(moment{events: n})
}

// kept waits until the other process has stored the user's answer, as an order or, once a run has read it, as an event.
func (w *waiter) kept() {
	w.Helper()
	if err := poll(func() (bool, error) {
		s, err := store.OpenReadOnly(w.Context(), filepath.Join(w.home, "state"))
		if err != nil {
			return false, err
		}
		events, err1 := s.History.Events(w.Context(), w.id, 0, 1<<20)
		orders, err2 := s.Orders.List(w.Context(), w.id)
		resumed := slices.ContainsFunc(events, func(e event.Event) bool {
			_, ok := e.Body.(*event.Resumed)
			return ok
		})
		return len(orders) > 0 || resumed, errors.Join(err1, err2, s.Close())
	}); err != nil {
		w.Fatalf("the user's answer is not stored: %v", err)
	}
}

// toItsEnd resumes the goal in new processes, and accepts a blue colour.
func (w *waiter) toItsEnd() {
	w.Helper()
	for range 3 {
		args := []string{"resume", "--json", string(w.id)}
		switch row, waits := w.row(); {
		case row.Status == goal.Completed:
			return
		case waits && w.colour() == "blue":
			args[0] = "accept"
		}
		if out, err := w.finish(args...); err != nil && !waitsForUser(err) {
			w.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	if row, _ := w.row(); row.Status != goal.Completed {
		w.Errorf("the goal is %s/%s: %q", row.Status, row.Exit, row.Report)
	}
}

func (w *waiter) colour() string {
	b, err := os.ReadFile(filepath.Join(w.home, "w", "colour"))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// row returns the goal, and whether it waits for its user and has no unread answer.
func (w *waiter) row() (row store.GoalRow, waits bool) {
	w.Helper()
	s, err := store.OpenReadOnly(w.Context(), filepath.Join(w.home, "state"))
	if err != nil {
		w.Fatal(err)
	}
	row, err = s.Goals.Get(w.Context(), w.id)
	orders, err1 := s.Orders.List(w.Context(), w.id)
	waits, err2 := s.Questions.WaitsForManual(w.Context(), row)
	if err := errors.Join(err, err1, err2, s.Close()); err != nil {
		w.Fatal(err)
	}
	return row, waits && len(orders) == 0
}

// receivedOnce checks that the journal contains the answer once.
func (w *waiter) receivedOnce(word string) {
	w.Helper()
	s, err := store.OpenReadOnly(w.Context(), filepath.Join(w.home, "state"))
	if err != nil {
		w.Fatal(err)
	}
	events, err := s.History.Events(w.Context(), w.id, 0, 1<<20)
	claims, err1 := s.History.Claims(w.Context(), w.id)
	orders, err2 := s.Orders.List(w.Context(), w.id)
	if err := errors.Join(err, err1, err2, s.Close()); err != nil {
		w.Fatal(err)
	}
	steered, sentBack := 0, 0
	for _, e := range events {
		switch b := e.Body.(type) {
		case *event.Steered:
			steered++
		case *event.VerificationFailed:
			if strings.Contains(b.Detail, "sent it back: make it blue") {
				sentBack++
			}
		}
	}
	want := map[string][2]int{"accept": {0, 0}, "reject": {0, 1}, "steer": {1, 0}}[word]
	if steered != want[0] || sentBack != want[1] {
		w.Errorf("%d notes, %d sent back", steered, sentBack)
	}
	if last := claims[len(claims)-1]; last.By != "user" || last.Verdicts[len(last.Verdicts)-1].Outcome != goal.Pass {
		w.Errorf("the last claim %+v", last)
	}
	if len(orders) > 0 {
		w.Errorf("orders wait: %+v", orders)
	}
}

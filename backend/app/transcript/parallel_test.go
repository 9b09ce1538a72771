package transcript_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/config"
)

var stepsAtOnce = flag.Int("steps", 50, "how many steps each of the goals makes that run at the same time")

// TestGoals_AtTheSameTime_DoNotMix runs eight goals at the same time. Each has its own mark in everything that it says,
// writes and claims, and no mark may appear in another goal.
func TestGoals_AtTheSameTime_DoNotMix(t *testing.T) {
	t.Parallel()
	const goals = 8
	s := cmp.Or(*seed, rand.Uint64())
	t.Logf("-seed %d", s)
	c := &crowd{T: t, random: rand.New(rand.NewPCG(s, 1)), byMark: map[string]*member{}}
	c.open(goals)
	for i := range goals {
		c.add(i, *stepsAtOnce)
	}
	for _, m := range c.members {
		c.start(m)
	}
	for _, m := range c.members {
		select {
		case <-c.app.Done(m.id):
		case <-time.After(5 * late):
			t.Fatalf("%s did not end", m.mark)
		}
	}
	c.server.Requests() // waits until the server is idle, because its counts are read below
	panes := map[string]string{}
	for _, m := range c.members {
		c.inspect(m, panes)
	}
}

// crowd is the program and its goals.
type crowd struct {
	*testing.T
	home    string
	app     *app.App
	api     *calls.GoalAPI
	server  *modeltest.Server
	members []*member
	byMark  map[string]*member

	mu     sync.Mutex
	random *rand.Rand
}

// member is one goal. Its script is played with the server's lock held.
type member struct {
	mark   string
	id     goal.ID
	in     goal.Usage // usage of each of its turns; no other goal has the same
	steps  int        // steps that are left
	made   int
	turns  int
	claims int
	notes  int
	pane   string
}

func (c *crowd) open(slots int) {
	home, err := os.MkdirTemp("", "g-*")
	if err != nil {
		c.Fatal(err)
	}
	c.home = home
	c.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			c.Error(err)
		}
	})
	c.server = modeltest.New(c.T, c.answer)
	cfg := openConfig(c.T, home)
	if err := cfg.SaveProvider(config.Provider{
		ID:      "model",
		Kind:    config.OpenAI,
		BaseURL: c.server.URL,
		Model:   "model",
	}); err != nil {
		c.Fatal(err)
	}
	c.app = app.New(app.Options{Config: cfg, Log: cfg.Log(), Version: "test", Slots: slots, Slowness: waittest.Slowness()})
	if err := c.app.Open(c.Context()); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), late)
		defer cancel()
		if err := c.app.Close(ctx); err != nil {
			c.Error(err)
		}
	})
	c.api = c.app.GoalAPI(context.WithoutCancel(c.Context()))
}

func (c *crowd) add(i, steps int) {
	m := &member{
		mark:  fmt.Sprintf("mark%c", 'A'+i),
		steps: steps,
		in:    goal.Usage{TokensIn: int64(1000 + i), TokensOut: int64(100 + i)},
	}
	c.members, c.byMark[m.mark] = append(c.members, m), m
}

func (c *crowd) start(m *member) {
	dir := filepath.Join(c.home, m.mark)
	if err := os.Mkdir(dir, 0o755); err != nil {
		c.Fatal(err)
	}
	out, err := c.api.Start(goal.Request{
		Options:   goal.Options{CriticEvery: goal.NoLimit},
		Objective: "write " + m.mark,
		Policy:    policy.Policy{Dir: dir},
		Limits:    goal.Limits{Iterations: goal.NoLimit},
		Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "test -f done." + m.mark}}},
	})
	if err != nil {
		c.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m.id = goal.ID(out.GoalID)
}

func (c *crowd) number(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(n)
}

func (c *crowd) idOf(m *member) goal.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.id
}

// answer is the model of all goals. It recognizes a goal by its first message, and replies after a random time.
// Sometimes the user adds a note.
func (c *crowd) answer(_ int, r modeltest.Request) modeltest.Answer {
	objective, _, _ := strings.Cut(r.Messages[1].Text, "\n")
	m := c.byMark[strings.TrimPrefix(objective, "Goal: write ")]
	if m == nil {
		c.Errorf("a goal that nobody started: %q", r.Messages[1].Text)
		return modeltest.Fail(400, "who is that?")
	}
	for _, message := range r.Messages[1:] {
		c.unmixed(m, message.Text)
	}
	if len(r.Tools) == 0 {
		return modeltest.Answer{Text: "PROGRESSING\n" + m.mark + " continues", Usage: m.in}
	}
	m.turns++
	for _, message := range r.Messages { // a note may follow the result
		if _, opened, ok := strings.Cut(message.Text, "opened pane "); ok && m.pane == "" {
			m.pane, _, _ = strings.Cut(opened, "\n")
		}
	}
	if id := c.idOf(m); id != "" && c.number(15) == 0 {
		m.notes++
		if _, err := c.api.Steer(string(id), "a note for "+m.mark); err != nil {
			c.Errorf("%s: %v", m.mark, err)
		}
	}
	done := make(chan struct{})
	time.AfterFunc(time.Duration(c.number(3000))*time.Microsecond, func() { close(done) })
	return modeltest.Answer{Text: m.mark, Calls: c.calls(m), Usage: m.in, Wait: done}
}

// calls returns some steps of the goal, or its last ones.
func (c *crowd) calls(m *member) []goal.Call {
	call := func(tool string, args map[string]any) goal.Call {
		b, err := json.Marshal(args)
		if err != nil {
			c.Fatal(err)
		}
		m.made++
		m.steps--
		return goal.Call{Tool: tool, Arguments: string(b)}
	}
	if m.made == 0 {
		return []goal.Call{call("terminal_open", map[string]any{"title": m.mark})}
	}
	var list []goal.Call
	for range min(1+c.number(10), m.steps-2) {
		name := fmt.Sprintf("%d.%s", m.made, m.mark)
		switch c.number(20) {
		case 0:
			list = append(list, call("run_command", map[string]any{"command": "echo " + name}))
		case 1:
			list = append(list, call("terminal_run", map[string]any{"pane": m.pane, "command": "echo " + name}))
		case 2, 3:
			list = append(list, call("list_files", map[string]any{"path": "."}))
		default:
			list = append(list, call("write_file", map[string]any{"path": name, "content": m.mark}))
		}
	}
	if m.steps > 2 {
		if c.number(30) == 0 && m.claims < 3 { // too early: it fails
			m.claims++
			list = append(list, call("claim_complete", map[string]any{"rationale": m.mark + " thinks so"}))
		}
		return list
	}
	m.claims++
	return append(list, call("write_file", map[string]any{"path": "done." + m.mark, "content": m.mark}),
		call("claim_complete", map[string]any{"rationale": m.mark + " is done"}))
}

// unmixed fails if the text contains the mark of another goal.
func (c *crowd) unmixed(m *member, text string) {
	for _, other := range c.members {
		if other != m && strings.Contains(text, other.mark) {
			c.Errorf("%s sees %s: %.300q", m.mark, other.mark, text)
		}
	}
}

// inspect checks that the journal of a goal is complete and mentions no other goal.
func (c *crowd) inspect(m *member, panes map[string]string) {
	row, err := c.app.Store().Goals.Get(c.Context(), m.id)
	if err != nil || row.Status != goal.Completed {
		c.Fatalf("%s is %s/%s %v: %q", m.mark, row.Status, row.Exit, err, row.Report)
	}
	events, err := c.app.Store().History.Events(c.Context(), m.id, 0, 1<<20)
	if err != nil {
		c.Fatal(err)
	}
	turns, claims, steered := 0, 0, 0
	for i, e := range events {
		if e.GoalID != m.id || e.Seq != int64(i+1) || e.RunID != row.RunID && i > 0 {
			c.Errorf("%s: event %d has goal %s, run %s, seq %d", m.mark, i+1, e.GoalID, e.RunID, e.Seq)
		}
		raw, err := json.Marshal(e)
		if err != nil {
			c.Fatal(err)
		}
		c.unmixed(m, string(raw))
		switch b := e.Body.(type) {
		case *event.Usage:
			if b.TokensIn != m.in.TokensIn || b.TokensOut != m.in.TokensOut {
				c.Errorf("%s: usage %+v", m.mark, b)
			}
			if b.By == "" {
				turns++
			}
		case *event.Claim:
			claims++
			if b.By == "" && !strings.HasPrefix(b.Rationale, m.mark) {
				c.Errorf("%s: claim %+v", m.mark, b)
			}
		case *event.Steered:
			steered++
		case *event.Lease:
			if other := panes[b.Pane]; b.Held && other != "" && other != m.mark {
				c.Errorf("pane %s is leased to %s and to %s", b.Pane, other, m.mark)
			}
			panes[b.Pane] = m.mark
		}
	}
	if turns != m.turns || claims != m.claims || steered > m.notes || row.Spent.Steps != m.made {
		c.Errorf("%s: %d turns, %d claims, %d notes, %d steps in the journal; the model made %d, %d, %d, %d", m.mark, turns,
			claims, steered,
			row.Spent.Steps, m.turns, m.claims, m.notes, m.made)
	}
	for _, step := range c.steps(m) {
		c.unmixed(m, step.Arguments+step.Result)
	}
}

func (c *crowd) steps(m *member) []calls.StepView {
	var all []calls.StepView
	for n := 0; ; {
		page, err := c.api.Steps(string(m.id), n, 500)
		if err != nil {
			c.Fatal(err)
		}
		if len(page.Steps) == 0 {
			return all
		}
		for _, s := range page.Steps {
			n = s.N
			if s.N%25 != 0 { // the complete results of some
				all = append(all, calls.StepView{StepRow: s, Result: s.Preview})
				continue
			}
			whole, err := c.api.Step(string(m.id), s.N)
			if err != nil {
				c.Fatal(err)
			}
			all = append(all, whole)
		}
	}
}

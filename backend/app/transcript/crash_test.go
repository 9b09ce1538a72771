package transcript_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql" //nolint:depguard // the integrity check needs SQLite itself, not our store
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

var (
	crashes = flag.Int("crashes", 10, "how many goals the crash test kills")
	seed    = flag.Uint64("seed", 0, "of the crash test's moments; 0 takes a new one")
	// Each step appends its number to a file, which shows what was executed, and how often.
	crashSteps = flag.Int("crashsteps", 20, "how many steps a goal of the crash test has")
)

// TestKill_AtARandomMoment_LosesNothing kills goalctl (SIGKILL) at a random moment of a goal's life and resumes the
// goal in a new process. One in four processes is killed again while it resumes, and one in ten before it has reported
// its goal.
func TestKill_AtARandomMoment_LosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes its time")
	}
	t.Parallel()
	s := cmp.Or(*seed, rand.Uint64())
	t.Logf("%d crashes, -seed %d", *crashes, s)
	random := rand.New(rand.NewPCG(s, 0))
	count := &tally{}
	for i := range *crashes {
		var moments []moment
		if moments = append(moments, anyMoment(random, *crashSteps*eventsOfAStep)); random.IntN(10) == 0 {
			moments[0] = moment{after: time.Duration(random.Int64N(int64(time.Second / 2)))}
		}
		if random.IntN(4) == 0 {
			moments = append(moments, anyMoment(random, 3*eventsOfAStep))
		}
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			crash(t, moments, count)
		})
	}
	t.Cleanup(func() { t.Log(count) })
}

// moment is when a process is killed: a while after it has reported the given number of events.
type moment struct {
	events int
	after  time.Duration
}

// eventsOfAStep is the number of events of one step: iteration, message, usage, intent, result, message.
const eventsOfAStep = 6

func anyMoment(r *rand.Rand, events int) moment {
	return moment{1 + r.IntN(events), time.Duration(r.Int64N(int64(30 * time.Millisecond)))}
}

// tally counts at which moments processes were killed.
type tally struct {
	mu                          sync.Mutex
	kills, late, doubts, unborn int
}

func (t *tally) add(n *int, by int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*n += by
}

func (t *tally) String() string {
	return fmt.Sprintf("%d kills, %d of them before the goal was there, %d steps in doubt; %d goals had ended before",
		t.kills, t.unborn, t.doubts, t.late)
}

// crash runs one goal, kills its process at each of the moments, and resumes the goal until it ends.
func crash(t *testing.T, moments []moment, count *tally) {
	home, err := os.MkdirTemp("", "c-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(home, "w")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer { return nextNumber(r.Messages) })
	check := fmt.Sprintf("seq 1 %d | cmp -s - log", *crashSteps)
	run := []string{
		"run", "--json", "--base-url", server.URL, "--model", "m", "--dir", dir, "--critic", "0",
		"--review", "never", "--check", check, "count to " + strconv.Itoa(*crashSteps),
	}
	args := run
	var reported []event.Event
	for _, m := range moments {
		c := command(t, home, args...)
		over := c.killAt(m)
		reported = append(reported, c.events()...)
		if over {
			count.add(&count.late, 1)
			break
		}
		count.add(&count.kills, 1)
		if id, ok := only(t, home); ok {
			args = []string{"resume", "--json", string(id)}
		} else {
			count.add(&count.unborn, 1)
		}
	}
	if end(reported) != goal.Done {
		last := command(t, home, args...)
		last.reading.Wait()
		if err := last.cmd.Wait(); err != nil {
			t.Fatalf("%q after %d events: %v\n%s", args, len(reported), err, last.stderr.String())
		}
		reported = append(reported, last.events()...)
	}
	id, _ := only(t, home)
	count.add(&count.doubts, inspect(t, home, id, reported, len(moments)))
	written, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || string(written) != numbers(*crashSteps) {
		t.Errorf("executed, in this order: %q (%v)", written, err)
	}
}

// only returns the only goal of a data folder whose processes have ended.
func only(t *testing.T, home string) (id goal.ID, ok bool) {
	s, err := store.Open(t.Context(), store.Options{Dir: filepath.Join(home, "state")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	list, n, err := s.Goals.List(t.Context(), store.Filter{})
	if err != nil || n > 1 {
		t.Fatalf("%d goals, %v", n, err)
	}
	if n == 0 {
		return "", false
	}
	return list[0].ID, true
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

var number = regexp.MustCompile(`echo (\d+) `)

// nextNumber is the model: it writes the next number after the last one that was certainly written. If the outcome of a
// step is unknown, it reads the file first.
func nextNumber(messages []goal.Message) modeltest.Answer {
	written, doubt := 0, false
	asked := map[string]goal.Call{}
	for _, m := range messages {
		for _, c := range m.Calls {
			asked[c.ID] = c
		}
		if m.Role != goal.ToolRole {
			continue
		}
		c := asked[m.CallID]
		found := number.FindStringSubmatch(c.Arguments)
		_, text, _ := strings.Cut(m.Text, "\n") // after the envelope, which a step with an unknown outcome lacks
		switch {
		case !strings.HasPrefix(text, "exit 0"):
			doubt = true
		case found != nil:
			written, _ = strconv.Atoi(found[1])
		default: // the model reads the file
			written, doubt = 0, false
			text, _, _ = strings.Cut(text, "</output>") // the notice about limits follows it
			for word := range strings.FieldsSeq(strings.TrimPrefix(text, "exit 0")) {
				if n, err := strconv.Atoi(word); err == nil {
					written = max(written, n)
				}
			}
		}
	}
	switch {
	case doubt:
		return modeltest.Call("run_command", map[string]string{"command": "cat log || true"})
	case written == *crashSteps:
		return modeltest.Call("claim_complete", map[string]string{"rationale": "all numbers are there"})
	}
	return modeltest.Call("run_command", map[string]string{
		"command": fmt.Sprintf("sleep 0.005; echo %d >> log; sleep 0.005", written+1),
	})
}

// child is a goalctl process: this test binary under another name.
type child struct {
	cmd     *exec.Cmd
	stderr  bytes.Buffer
	more    chan struct{} // receives when list has grown
	reading sync.WaitGroup

	mu   sync.Mutex
	list []event.Event // reported on stdout
}

func command(t *testing.T, home string, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{more: make(chan struct{}, 1)}
	c.cmd = exec.CommandContext(t.Context(), self, args...)
	c.cmd.Env = append(os.Environ(), config.HomeVariable+"="+home, "HOME="+home)
	c.cmd.Stderr = &c.stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.reading.Go(func() { c.hear(t, bufio.NewReader(out)) })
	return c
}

// hear reads whole lines, because a killed process may leave half a line.
func (c *child) hear(t *testing.T, out *bufio.Reader) {
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return
		}
		var e event.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Errorf("stdout %q: %v", line, err)
			continue
		}
		c.mu.Lock()
		c.list = append(c.list, e)
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
}

func (c *child) events() []event.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]event.Event{}, c.list...)
}

// killAt kills the process at the moment, and reports whether it had already ended.
func (c *child) killAt(m moment) (over bool) {
	gone := make(chan struct{})
	go func() { defer close(gone); c.reading.Wait() }()
	for c.count() < m.events {
		select {
		case <-c.more:
			continue
		case <-gone:
		}
		break
	}
	timer := time.AfterFunc(m.after, func() { _ = c.cmd.Process.Kill() }) // the process may have ended
	<-gone
	err := c.cmd.Wait()
	timer.Stop()
	return err == nil
}

func (c *child) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.list)
}

// end returns the exit that the events report, "" if none.
func end(events []event.Event) goal.Exit {
	for _, e := range events {
		if b, ok := e.Body.(*event.Ended); ok {
			return b.Exit
		}
	}
	return ""
}

// inspect opens the database after all its processes have ended. It must be intact, contain everything that was
// reported, and have one result for each step. inspect returns the number of steps with an unknown outcome.
func inspect(t *testing.T, home string, id goal.ID, reported []event.Event, kills int) (doubts int) {
	state := filepath.Join(home, "state")
	sound(t, filepath.Join(state, "goalpost.db"))
	s, err := store.Open(t.Context(), store.Options{Dir: state})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	row, err := s.Goals.Get(t.Context(), id)
	if err != nil || row.Status != goal.Completed || row.Exit != goal.Done {
		t.Fatalf("the goal is %s/%s, %v: %q", row.Status, row.Exit, err, row.Report)
	}
	events, err := s.History.Events(t.Context(), id, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range reported {
		if e.Seq > int64(len(events)) || !same(t, e, events[e.Seq-1]) {
			t.Errorf("event %d was reported (%s) and is not in the journal", e.Seq, e.Body.EventType())
		}
	}
	results := map[int]int{}
	intents := 0
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has seq %d", i+1, e.Seq)
		}
		switch b := e.Body.(type) {
		case *event.StepStarted:
			intents++
		case *event.Step:
			results[b.StepID]++
			if b.Outcome == event.OutcomeUnknown {
				doubts++
			}
		}
	}
	if len(results) != intents || intents != row.Spent.Steps || doubts > kills {
		t.Errorf("%d intents, %d results, %d in doubt, %d steps in the row", intents, len(results), doubts, row.Spent.Steps)
	}
	for n, count := range results {
		if count != 1 {
			t.Errorf("step %d has %d results", n, count)
		}
	}
	return doubts
}

func same(t *testing.T, a, b event.Event) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(one, two)
}

// sound checks the integrity of the file with SQLite.
func sound(t *testing.T, path string) {
	db, err := sql.Open("sqlite3", "file:"+path+"?_query_only=true")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var verdict string
	if err := db.QueryRowContext(context.WithoutCancel(t.Context()),
		"PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity_check: %s %v", verdict, err)
	}
}

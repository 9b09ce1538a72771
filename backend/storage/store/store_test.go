package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

func open(t testing.TB, dir string, publish func(event.Event)) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Dir: dir, Publish: publish})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t testing.TB, s *Store) *goal.Goal {
	t.Helper()
	g := &goal.Goal{
		ID: goal.ID(NewID()),
		Request: goal.Request{
			Objective: "create done.txt",
			Provider:  "demo",
			Model:     "demo",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "test -f done.txt"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: "/tmp/x"},
			Limits:    goal.DefaultLimits(),
		},
	}
	if err := s.Goals.Create(context.Background(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

func begin(t testing.TB, s *Store, id goal.ID) goal.Run {
	t.Helper()
	run, err := s.Journal.Begin(context.Background(), id, 3, &event.Started{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestIsLocked_DoesNotBlockLockGoal probes and takes the lock at the same time.
func TestIsLocked_DoesNotBlockLockGoal(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	for name, look := range map[string]func() (bool, error){
		"whether it is owned": func() (bool, error) { return s.Locks.IsLocked(g.ID) },
		"whether it died":     func() (bool, error) { return s.Recovery.InterruptOne(t.Context(), g.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			var looks sync.WaitGroup
			over := make(chan struct{})
			for range 2 {
				looks.Go(func() {
					for open := true; open; {
						if _, err := look(); err != nil {
							t.Error(err)
						}
						select {
						case <-over:
							open = false
						default:
						}
					}
				})
			}
			defer looks.Wait()
			defer close(over)
			for range 300 {
				own, err := s.Locks.LockGoal(g.ID)
				if err != nil {
					t.Fatal(err)
				}
				if err := own.Unlock(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestGoal_FrozenFields_CannotChange tries every way to change them with SQL, and checks which trigger refuses it.
func TestGoal_FrozenFields_CannotChange(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	ctx := context.Background()
	const frozen = "are frozen"
	tries := map[string]string{
		"DELETE FROM goals": "a goal is deleted only by",
		"INSERT OR REPLACE INTO goals SELECT * FROM goals":      frozen,
		"REPLACE INTO goals SELECT * FROM goals":                frozen,
		"INSERT INTO goals SELECT * FROM goals":                 frozen,
		"UPDATE goals SET status = 'winning'":                   "CHECK constraint",
		"UPDATE OR REPLACE goals SET criterion = '{}'":          frozen,
		"UPDATE OR IGNORE goals SET policy = '{}'":              frozen,
		"DELETE FROM goals RETURNING id":                        "a goal is deleted only by",
		"INSERT OR IGNORE INTO goals SELECT * FROM goals":       frozen,
		"UPDATE goals SET run_id = 'x', criterion = '{}'":       frozen,
		"UPDATE goals SET criterion = criterion":                frozen,
		"INSERT OR ROLLBACK INTO goals SELECT * FROM goals":     frozen,
		"UPDATE goals SET criterion = '{}' FROM (SELECT 1) one": frozen,
	}
	for column, value := range map[string]string{
		"id":               "x",
		"created_at":       "x",
		"objective":        "x",
		"criterion":        "{}",
		"criterion_sha256": "x",
		"policy":           "{}",
		"policy_sha256":    "x",
		"checks":           "9",
		"options":          "{}",
	} {
		tries[fmt.Sprintf("UPDATE goals SET %s = '%s'", column, value)] = frozen
		tries[fmt.Sprintf("INSERT INTO goals SELECT * FROM goals WHERE true ON CONFLICT (id) DO UPDATE SET %s = '%s'",
			column, value)] = frozen
	}
	for q, want := range tries {
		t.Run(q, func(t *testing.T) { mustRefuse(t, s, q, want) })
	}
	after, err := s.Goals.Get(ctx, g.ID)
	if err != nil {
		t.Fatal(err)
	}
	if hash, _ := goal.Hash(after.Criterion); hash != g.CriterionSHA256 {
		t.Errorf("criterion hash %s, want %s", hash, g.CriterionSHA256)
	}
	if hash, _ := goal.Hash(after.Policy); hash != g.PolicySHA256 {
		t.Errorf("policy hash %s, want %s", hash, g.PolicySHA256)
	}
}

func mustRefuse(t *testing.T, s *Store, q, want string) {
	t.Helper()
	if _, err := s.connection.write.ExecContext(context.Background(), q); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", q, err, want)
	}
}

// TestJournal_IsAppendOnly checks that each table of the journal accepts only rows of the current run, and that no row
// can be changed, replaced or removed.
func TestJournal_IsAppendOnly(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	once := policy.Grant{ID: "a1", Scope: policy.ScopeOnce}
	err := s.Journal.Append(context.Background(), run,
		&event.StepStarted{
			StepID:    1,
			Tool:      "run_command",
			Arguments: "{}",
		}, &event.Step{StepID: 1, Tool: "run_command", Outcome: event.OK},
		&event.Claim{N: 1, Rationale: "done"}, &event.Verdict{Claim: 1, Verdict: goal.Verdict{Outcome: goal.Fail}},
		&event.ApprovalRequested{Approval: goal.Approval{ID: "a1", Tool: "run_command", Offers: []policy.Grant{once}}},
		&event.ApprovalResolved{Request: "a1", Answer: goal.Answer{Allowed: true, Grant: once, By: "user"}},
		&event.GrantEnded{Request: "a1", Why: "it was used up"})
	if err != nil {
		t.Fatal(err)
	}
	for table, key := range map[string]string{
		"events":     "seq",
		"steps":      "n",
		"results":    "n",
		"claims":     "n",
		"verdicts":   "check_n",
		"approvals":  "id",
		"answers":    "id",
		"grant_ends": "id",
	} {
		t.Run(table, func(t *testing.T) {
			var n int
			if err := s.connection.read.QueryRowContext(context.Background(), "SELECT count(*) FROM "+
				table).Scan(&n); err != nil || n == 0 {
				t.Fatalf("%d rows, %v", n, err)
			}
			mustRefuse(t, s, "UPDATE "+table+" SET at = 'x'", "append-only")
			mustRefuse(t, s, "UPDATE "+table+" SET run_id = run_id", "append-only")
			mustRefuse(t, s, "DELETE FROM "+table, "append-only")
			for _, or := range []string{"", "OR REPLACE ", "OR IGNORE "} {
				mustRefuse(t, s, "INSERT "+or+"INTO "+table+" SELECT * FROM "+table, "not the goal's current run")
			}
			copied := "CREATE TEMP TABLE another AS SELECT * FROM " + table +
				" LIMIT 1; UPDATE another SET run_id = 'an earlier one', " + key + " = " + key + " || '9'"
			if _, err := s.connection.write.ExecContext(context.Background(), copied); err != nil {
				t.Fatal(err)
			}
			mustRefuse(t, s, "INSERT INTO "+table+" SELECT * FROM another", "not the goal's current run")
			if _, err := s.connection.write.ExecContext(context.Background(), "DROP TABLE another"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestAppend_TwoProcesses_SeqIsGapless lets two stores on one file append at once.
func TestAppend_TwoProcesses_SeqIsGapless(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, nil), open(t, dir, nil)
	g := create(t, a)
	run := begin(t, a, g.ID)
	var wg sync.WaitGroup
	const each = 40
	for _, s := range []*Store{a, b} {
		wg.Go(func() {
			for range each {
				if err := s.Journal.Append(context.Background(), run, &event.Warning{What: "model", Text: "x"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	events, err := b.History.Events(context.Background(), g.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 2+2*each {
		t.Fatalf("%d events, want %d", len(events), 2+2*each)
	}
	for i, ev := range events {
		if ev.Seq != int64(i+1) {
			t.Fatalf("event %d has seq %d", i, ev.Seq)
		}
	}
}

func TestAppend_StaleRun_IsRefused(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	old := begin(t, s, g.ID)
	ctx := context.Background()
	if err := s.Journal.Append(ctx, old, &event.Paused{Exit: goal.PausedByUser, Report: []string{"paused"}}); err != nil {
		t.Fatal(err)
	}
	begin(t, s, g.ID)
	err := s.Journal.Append(ctx, old, &event.Iteration{N: 1})
	if err == nil || !strings.Contains(err.Error(), "current run") {
		t.Fatalf("a run that is over wrote to the journal: %v", err)
	}
	if _, err := s.Journal.Begin(ctx, g.ID, 3, &event.Started{}); err == nil {
		t.Fatal("a running goal was started again")
	}
}

// TestPublish_AfterCommit_IsInOrder checks order and numbers, and that a failed append publishes nothing.
func TestPublish_AfterCommit_IsInOrder(t *testing.T) {
	var got []event.Event
	dir := t.TempDir()
	other := open(t, dir, nil)
	s := open(t, dir, func(e event.Event) { // even another process finds a published event in the journal
		if kept, err := other.History.Events(context.Background(), e.GoalID, e.Seq-1, 1); err != nil || len(kept) != 1 ||
			kept[0].Seq != e.Seq {
			t.Errorf("%s was published before it was stored: %v", e.Body.EventType(), err)
		}
		got = append(got, e)
	})
	g := create(t, s)
	run := begin(t, s, g.ID)
	ctx := context.Background()
	err := s.Journal.Append(ctx, run, &event.StepStarted{StepID: 1, Tool: "write_file", Arguments: "{\"path\":\"a\"}"},
		&event.Step{
			StepID:  1,
			Tool:    "write_file",
			Outcome: event.OK,
			MS:      3,
			Preview: "p",
			Result:  "whole \xff",
			Image:   []byte("jpeg"),
		})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Journal.Append(ctx, run, &event.Iteration{N: 1}, &event.Step{
		StepID:  1,
		Tool:    "write_file",
		Outcome: event.OK,
	}); err == nil {
		t.Fatal("a second result for one step was accepted")
	}
	kinds := ""
	for _, e := range got {
		kinds += e.Body.EventType() + " "
	}
	if kinds != "created started step_started step " {
		t.Fatalf("published %q", kinds)
	}
	st, err := s.History.Step(ctx, g.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if st.Result != "whole \uFFFD" || st.Outcome != event.OK {
		t.Errorf("step %+v", st)
	}
	img, err := s.Artifacts.Artifact(st.ImageSHA256)
	if err != nil || string(img) != "jpeg" {
		t.Errorf("image %q %v", img, err)
	}
	again, err := s.Goals.Get(ctx, g.ID)
	if err != nil || again.Spent.Iterations != 0 || again.Spent.Steps != 1 {
		t.Errorf("the failed append left a trace: %+v %v", again.Spent, err)
	}
}

func TestClaims_WithVerdicts_AreReadBack(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	ctx := context.Background()
	for n, o := range []goal.Outcome{goal.Fail, goal.Pass} {
		err := s.Journal.Append(ctx, run, &event.Claim{N: n + 1, Rationale: "done"},
			&event.Verdict{
				Claim:   n + 1,
				Verdict: goal.Verdict{Outcome: o, Detail: "exit", Output: []byte("out"), Took: time.Second},
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	claims, err := s.History.Claims(ctx, g.ID)
	if err != nil || len(claims) != 2 || claims[0].Verdicts[0].Outcome != goal.Fail ||
		claims[1].Verdicts[0].Outcome != goal.Pass {
		t.Fatalf("%+v %v", claims, err)
	}
	if claims[1].Verdicts[0].TookMS != 1000 || claims[1].Verdicts[0].Evidence == "" {
		t.Errorf("%+v", claims[1].Verdicts[0])
	}
	row, err := s.Goals.Get(ctx, g.ID)
	if err != nil || row.ChecksPassed != 1 {
		t.Errorf("checks passed %d, %v", row.ChecksPassed, err)
	}
}

func TestInterrupt_LiveOwner_IsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	alive, dead := create(t, s), create(t, s)
	begin(t, s, alive.ID)
	begin(t, s, dead.ID)
	own, err := other.Locks.LockGoal(alive.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Recovery.Interrupt(context.Background()); err != nil || n != 1 {
		t.Fatalf("%d interrupted, %v", n, err)
	}
	row, _ := s.Goals.Get(context.Background(), dead.ID)
	if row.Status != goal.Paused || row.Exit != goal.Interrupted {
		t.Errorf("dead: %s/%s", row.Status, row.Exit)
	}
	if row, _ = s.Goals.Get(context.Background(), alive.ID); row.Status != goal.Running {
		t.Errorf("alive: %s", row.Status)
	}
	if _, err := s.Locks.LockGoal(alive.ID); !errors.Is(err, ErrGoalLocked) {
		t.Errorf("own: %v", err)
	}
	if err := own.Unlock(); err != nil {
		t.Error(err)
	}
}

// TestInterrupt_ChildOfDeadOwner_IsAwaited: a process that is killed while it starts a child leaves its lock to the
// child for a moment.
func TestInterrupt_ChildOfDeadOwner_IsAwaited(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	begin(t, s, g.ID)
	owner := exec.CommandContext(t.Context(), "true")
	if err := owner.Run(); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(s.Locks.lockPath(g.ID))
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), "sleep", "0.2")
	child.ExtraFiles = []*os.File{file}
	_, err = fmt.Fprintln(file, owner.Process.Pid)
	if err = errors.Join(err, syscall.Flock(int(file.Fd()), syscall.LOCK_EX), child.Start(), file.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Recovery.Interrupt(t.Context()); err != nil || n != 1 {
		t.Errorf("%d interrupted, %v", n, err)
	}
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
}

func TestDelete_RemovesArtifacts(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	ctx := context.Background()
	one, two := create(t, s), create(t, s)
	for i, g := range []*goal.Goal{one, two} {
		run := begin(t, s, g.ID)
		err := s.Journal.Append(ctx, run, &event.StepStarted{
			StepID:    1,
			Tool:      "t",
			Arguments: "{}",
		}, &event.Step{StepID: 1, Tool: "t", Outcome: event.OK, Image: []byte("shared")},
			&event.StepStarted{
				StepID:    2,
				Tool:      "t",
				Arguments: "{}",
			}, &event.Step{StepID: 2, Tool: "t", Outcome: event.OK, Image: []byte{byte(i)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Goals.Delete(ctx, g.ID); err == nil {
			t.Fatal("a running goal was deleted")
		}
		if err := s.Journal.Append(ctx, run, &event.Ended{Status: goal.Aborted, Exit: goal.AbortedByUser}); err != nil {
			t.Fatal(err)
		}
	}
	count := func() (n int) {
		_ = filepath.WalkDir(filepath.Join(s.connection.dir, "artifacts"), func(_ string, d os.DirEntry, _ error) error {
			if !d.IsDir() {
				n++
			}
			return nil
		})
		return n
	}
	for _, want := range []struct {
		id    goal.ID
		files int
	}{{one.ID, 2}, {two.ID, 0}} {
		if err := s.Goals.Delete(ctx, want.id); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != want.files {
			t.Errorf("%d artifacts left, want %d", n, want.files)
		}
	}
	if _, err := s.Goals.Get(ctx, one.ID); !errors.Is(err, goal.ErrNotFound) {
		t.Errorf("goal: %v", err)
	}
}

func TestOpen_NewerDatabase_IsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	create(t, s)
	if _, err := s.connection.write.ExecContext(context.Background(), "PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := s.Workspace.SaveLayout(context.Background(), "main", "{}"); !errors.Is(err, ErrNewerSchema) {
		t.Errorf("an older process still writes: %v", err)
	}
	if _, err := Open(context.Background(), Options{Dir: dir}); !errors.Is(err, ErrNewerSchema) {
		t.Errorf("open: %v", err)
	}
}

func TestOpen_NotADatabase_IsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "goalpost.db"), []byte(strings.Repeat("not a database ", 100)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), Options{Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "goalpost.db") {
		t.Errorf("the error does not name the file: %v", err)
	}
}

func TestOpen_Files_ArePrivate(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	create(t, s)
	if _, err := s.Artifacts.SaveArtifact([]byte("private")); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFind_PartOfAnID_FindsTheGoal(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	ctx := context.Background()
	for _, part := range []string{string(g.ID), string(g.ID)[:20], g.ID.Short(), strings.ToUpper(g.ID.Short())} {
		if row, err := s.Goals.Find(ctx, part); err != nil || row.ID != g.ID {
			t.Errorf("find %q: %v", part, err)
		}
	}
	for _, part := range []string{"", "abc", "zzzzzzzz", "%%%%%%", string(g.ID)[:5], string(g.ID)[21:]} {
		if _, err := s.Goals.Find(ctx, part); !errors.Is(err, goal.ErrNotFound) {
			t.Errorf("find %q: %v", part, err)
		}
	}
	if row, err := s.Goals.Find(ctx, string(g.ID)[:6]); err != nil || row.ID != g.ID {
		t.Errorf("six characters: %v", err)
	}
	twin := *g
	twin.ID = g.ID[:20] + "000000" // as if both were created in the same moment
	if err := s.Goals.Create(ctx, &twin); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Goals.Find(ctx, string(g.ID)[:6]); !errors.Is(err, goal.ErrNotFound) ||
		!strings.Contains(err.Error(), "more than one") {
		t.Errorf("a beginning that fits two goals: %v", err)
	}
}

func TestOrders_TwoProcesses_AreTakenOnce(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	g := create(t, s)
	ctx := context.Background()
	for _, o := range []goal.Order{{Kind: goal.OrderSteer, Text: "left"}, {Kind: goal.OrderPause}} {
		if err := other.Orders.Add(ctx, g.ID, o); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Orders.Take(ctx, g.ID)
	if err != nil || len(got) != 2 || got[0].Text != "left" || got[1].Kind != goal.OrderPause {
		t.Fatalf("%v %v", got, err)
	}
	if got, err = s.Orders.Take(ctx, g.ID); err != nil || len(got) != 0 {
		t.Fatalf("taken twice: %v %v", got, err)
	}
	for _, o := range []goal.Order{{Kind: goal.OrderSteer, Text: "right"}, {Kind: goal.OrderPause}} {
		if err := other.Orders.Add(ctx, g.ID, o); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = s.Orders.Take(ctx, g.ID, goal.OrderAbort, goal.OrderPause); err != nil || len(got) != 1 ||
		got[0].Kind != goal.OrderPause {
		t.Fatalf("pause alone: %v %v", got, err)
	}
	if got, err = s.Orders.Take(ctx, g.ID, goal.OrderSteer); err != nil || len(got) != 1 || got[0].Text != "right" {
		t.Fatalf("the note waits on: %v %v", got, err)
	}
	if err := s.Orders.Add(ctx, g.ID, goal.Order{Kind: "win"}); err == nil {
		t.Error("an unknown order was accepted")
	}
	deaf := errors.New("it is over")
	if err := s.Orders.AddIf(ctx, g.ID, func(GoalRow) error { return deaf },
		goal.Order{Kind: goal.OrderPause}); !errors.Is(err, deaf) {
		t.Errorf("a goal that does not hear it: %v", err)
	}
	if err := s.Orders.Add(ctx, "gone", goal.Order{Kind: goal.OrderPause}); !errors.Is(err, goal.ErrNotFound) {
		t.Errorf("a goal that is not there: %v", err)
	}
	if got, err := s.Orders.List(ctx, g.ID); err != nil || len(got) > 0 {
		t.Errorf("an unread message waits: %v %v", got, err)
	}
}

func BenchmarkAppend(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	g := create(b, s)
	run := begin(b, s, g.ID)
	b.ResetTimer()
	for i := range b.N {
		err := s.Journal.Append(context.Background(), run,
			&event.StepStarted{StepID: i + 1, Tool: "run_command", Arguments: "{}"})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// TestActivity_DoesNotReadSteps checks the query plan: the cost must not grow with the size of the steps.
func TestActivity_DoesNotReadSteps(t *testing.T) {
	if p := plan(t, activityQuery, `["x"]`, 24); strings.Count(p, "steps") != strings.Count(p,
		"COVERING INDEX steps_in_time")*2 {
		t.Error(p)
	}
}

// TestRareEvents_UseTheirIndex checks the query plans, so that a goal of 10,000 steps opens as fast as one of ten.
func TestRareEvents_UseTheirIndex(t *testing.T) {
	for _, q := range []string{todosQuery, reviewsQuery, parkedInARowQuery, proofQuery, usageQuery} {
		if p := plan(t, q, "x"); !strings.Contains(p, "INDEX events_of_kind (goal_id=? AND type=?") {
			t.Errorf("%s: %s", q, p)
		}
	}
}

// plan returns the query plan of SQLite.
func plan(t *testing.T, query string, args ...any) string {
	t.Helper()
	s := open(t, t.TempDir(), nil)
	rows, err := s.connection.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	said := ""
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		said += detail + "; "
	}
	if err := rows.Err(); err != nil || said == "" {
		t.Fatal("no plan", err)
	}
	return said
}

// TestOpen_DevelopmentDatabase_IsRefused also checks that the file is unchanged.
func TestOpen_DevelopmentDatabase_IsRefused(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	path := filepath.Join(dir, "goalpost.db")
	old, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	// Its last migration had the number 13, and nothing set application_id.
	_, err = old.ExecContext(ctx, "CREATE TABLE goals (id TEXT PRIMARY KEY); PRAGMA user_version = 13")
	if err := errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	want := "the database " + path + " was made by a development version before 0.1.0: move the folder " + dir +
		" away and start again"
	_, err1 := Open(ctx, Options{Dir: dir})
	_, err2 := OpenReadOnly(ctx, dir)
	for _, err := range []error{err1, err2} {
		if err == nil {
			t.Error("it was opened")
		} else if problem := fault.Of(err); problem.MessageWithHint() != want || problem.Code != fault.Unavailable {
			t.Errorf("%+v, want %s", problem, want)
		}
	}
	again, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	var tables int
	err = again.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE type = 'table'").Scan(&tables)
	if err := errors.Join(err, again.Close()); err != nil || tables != 1 {
		t.Errorf("%d tables, %v", tables, err)
	}
}

// TestMigrate_DatabaseOf010_IsCopiedAndUpdated makes a database of the first schema, with a goal and an event without a
// checksum. The copy has the rows of before, only its owner can read it, and restoring it updates it again.
func TestMigrate_DatabaseOf010_IsCopiedAndUpdated(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	first, err := fs.ReadFile(migrations, "migration/0001_goals.sql")
	if err != nil {
		t.Fatal(err)
	}
	embedded := migrations
	defer func() { migrations = embedded }()
	migrations = fstest.MapFS{"migration/0001_goals.sql": {Data: first}}
	s, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	id := goal.ID(NewID())
	_, err = s.connection.write.ExecContext(ctx, `INSERT INTO goals (id, created_at, objective, criterion,
		criterion_sha256, policy, policy_sha256, checks, limits, provider, model, scripted, updated_at, seq)
		VALUES (?1, '', 'an old goal', '{}', '', '{}', '', 0, '{}', '', '', 0, '', 1)`, id)
	_, err2 := s.connection.write.ExecContext(ctx, `INSERT INTO events (goal_id, seq, run_id, at, type, body)
		VALUES (?, 1, '', '', 'iteration', '{"n":7}')`, id)
	if err := errors.Join(err, err2, s.Close()); err != nil {
		t.Fatal(err)
	}
	migrations = embedded
	check := func() {
		t.Helper()
		s, err := Open(ctx, Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		list, err := s.History.Events(ctx, id, 0, 10)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		if b, ok := list[0].Body.(*event.Iteration); !ok || b.N != 7 {
			t.Errorf("%+v", list[0].Body)
		}
		if v, err := s.connection.version(ctx); err != nil || v != len(embeddedNames(t)) {
			t.Errorf("version %d, %v", v, err)
		}
		if err := errors.Join(s.Backups.Check(ctx), s.Close()); err != nil {
			t.Error(err)
		}
	}
	check()
	copies, err := Copies(dir)
	if err != nil || len(copies) != 1 {
		t.Fatalf("copies %v %v", copies, err)
	}
	if info, err := os.Stat(copies[0].Path); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("the copy: %v %v", info, err)
	}
	if _, err := Restore(ctx, dir, copies[0]); err != nil {
		t.Fatal(err)
	}
	check()
}

func embeddedNames(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(embedded, "migration/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestProofs_GoalEnded_ReadsTheNewestEnd: what a goal proves comes from its newest end event, not from its
// row.
func TestProofs_GoalEnded_ReadsTheNewestEnd(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	done, failed, open := create(t, s), create(t, s), create(t, s)
	end := func(id goal.ID, e *event.Ended) {
		if err := s.Journal.Append(t.Context(), begin(t, s, id), e); err != nil {
			t.Fatal(err)
		}
	}
	proof := goal.Proof{Assurance: goal.Tested, Basis: goal.BasisTests}
	end(done.ID, &event.Ended{Status: goal.Completed, Exit: goal.Done, Proof: proof})
	end(failed.ID, &event.Ended{Status: goal.Failed, Exit: goal.GaveUp})
	got, err := s.History.Proofs(t.Context(), done.ID, failed.ID, open.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[done.ID] != proof {
		t.Errorf("%v", got)
	}
	accepted := goal.Proof{Assurance: goal.Weakened, Basis: goal.BasisUser}
	row, err := s.Goals.Get(t.Context(), done.ID)
	if err != nil {
		t.Fatal(err)
	}
	run := goal.Run{Goal: done.ID, ID: row.RunID}
	for _, c := range []struct {
		body event.Body
		want goal.Proof
	}{
		{&event.Accepted{Proof: accepted}, accepted},
		{&event.Ended{Status: goal.Completed, Exit: goal.Done, Proof: proof}, proof}, // reopened since
	} {
		if _, isEnd := c.body.(*event.Ended); isEnd {
			run = begin(t, s, done.ID)
		}
		if err := s.Journal.Append(t.Context(), run, c.body); err != nil {
			t.Fatal(err)
		}
		if got, err = s.History.Proofs(t.Context(), done.ID); err != nil || got[done.ID] != c.want {
			t.Errorf("after %s: %v, %v", c.body.EventType(), got, err)
		}
	}
}

// TestProofs_FilesChangedSince_AreTheReason: the newest change after the end replaces what the goal proved, until the
// goal ends again. Other warnings do not.
func TestProofs_FilesChangedSince_AreTheReason(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	ended := &event.Ended{Status: goal.Completed, Exit: goal.Done, Proof: goal.Proof{Assurance: goal.Strong}}
	run := begin(t, s, g.ID)
	check := func(undone bool, want goal.Proof, bodies ...event.Body) {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
			t.Fatal(err)
		}
		got, err := s.History.Proofs(t.Context(), g.ID)
		isUndone, err2 := s.History.IsUndone(t.Context(), g.ID)
		if err != nil || err2 != nil || got[g.ID] != want || isUndone != undone {
			t.Errorf("%+v, undone %v, %v, %v", got, isUndone, err, err2)
		}
	}
	changed := func(text string) *event.Warning { return &event.Warning{What: event.ChangedWarning, Text: text} }
	since := goal.Proof{Assurance: goal.Weakened, Basis: goal.BasisChanged, AssuranceReason: "a.txt, b.txt"}
	check(false, ended.Proof, &event.ChangesUndone{}, ended, &event.Warning{What: "network", Text: "blocked"})
	check(false, since, changed("a.txt"), changed("a.txt, b.txt"))
	check(true, since, &event.ChangesUndone{})
	run = begin(t, s, g.ID)
	check(false, ended.Proof, ended)
}

// TestOpen_NewFolderByManyAtOnce_AllSucceed: the second must not wait for a lock that the first, which has made the
// tables, keeps.
func TestOpen_NewFolderByManyAtOnce_AllSucceed(t *testing.T) {
	for range 10 {
		dir := t.TempDir()
		opened := make(chan error)
		for range 4 {
			go func() {
				s, err := Open(t.Context(), Options{Dir: dir})
				if err == nil {
					t.Cleanup(func() { _ = s.Close() }) // all stay open
				}
				opened <- err
			}()
		}
		for range 4 {
			if err := <-opened; err != nil {
				t.Fatal(err)
			}
		}
	}
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestConnections_Pragmas_AreSet asks SQLite on each connection of both kinds.
func TestConnections_Pragmas_AreSet(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir(), nil)
	for name, pool := range map[string]struct {
		db    *sql.DB
		conns int
		reads string
	}{"writing": {s.connection.write, 1, "0"}, "reading": {s.connection.read, readers, "1"}} {
		if got := pool.db.Stats().MaxOpenConnections; got != pool.conns {
			t.Errorf("%s: %d connections", name, got)
		}
		for range pool.conns { // the connections stay open, so each iteration gets another one
			conn, err := pool.db.Conn(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			for pragma, want := range map[string]string{
				"journal_mode":       "wal",
				"synchronous":        "2",
				"foreign_keys":       "1",
				"recursive_triggers": "1",
				"busy_timeout":       "30000",
				"query_only":         pool.reads,
			} {
				var got string
				if err := conn.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
					t.Errorf("%s: %s is %q, not %q (%v)", name, pragma, got, want, err)
				}
			}
		}
	}
}

// TestTx_ReadsFirst_HoldsTheLock checks that of two transactions that read and then write, one waits for the other.
func TestTx_ReadsFirst_HoldsTheLock(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	one, two := open(t, dir, nil), open(t, dir, nil)
	if _, err := two.connection.write.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil { // it answers at once
		t.Fatal(err)
	}
	err := one.connection.tx(ctx, func(*sql.Tx) error {
		began := false
		err := two.connection.tx(ctx, func(*sql.Tx) error { began = true; return nil })
		if began || err == nil || !strings.Contains(err.Error(), "is locked by another program") {
			return fmt.Errorf("beside the first: began %v, %w", began, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHeartbeat_CurrentRun_SavesTheSpentTime also checks the time, and that a heartbeat of another run changes nothing.
func TestHeartbeat_CurrentRun_SavesTheSpentTime(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	s, err := Open(ctx, Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := create(t, s)
	run := begin(t, s, g.ID)
	now = now.Add(5 * time.Second)
	if err := s.Journal.Heartbeat(ctx, run, 4*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := s.Journal.Heartbeat(ctx, goal.Run{Goal: g.ID, ID: "an earlier one"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	var at, boot string
	var pid int
	if err := s.connection.read.QueryRowContext(ctx, "SELECT heartbeat_at, pid, boot_id FROM runs WHERE id = ?",
		run.ID).Scan(&at, &pid, &boot); err != nil {
		t.Fatal(err)
	}
	if at != "2026-11-22T08:00:05.000Z" || pid != os.Getpid() || boot != bootID() {
		t.Errorf("heartbeat %s of pid %d, boot %q", at, pid, boot)
	}
	if row, err := s.Goals.Get(ctx, g.ID); err != nil || row.Spent.WallClock != 4*time.Second {
		t.Errorf("spent %s, %v", row.Spent.WallClock, err)
	}
}

// TestSweep_RemovesOrphansOnly removes files of a process that died before its commit, including unfinished ones.
func TestSweep_RemovesOrphansOnly(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	err := s.Journal.Append(ctx, run, &event.StepStarted{
		StepID:    1,
		Tool:      "t",
		Arguments: "{}",
	}, &event.Step{StepID: 1, Tool: "t", Outcome: event.OK, Image: []byte("seen"), Whole: []byte("whole")},
		&event.Claim{N: 1}, &event.Verdict{Claim: 1, Verdict: goal.Verdict{Outcome: goal.Fail, Output: []byte("printed")}})
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := s.Artifacts.SaveArtifact([]byte("left"))
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(filepath.Dir(s.Artifacts.artifact(orphan)), unfinished+"7")
	if err := os.WriteFile(half, []byte("le"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Artifacts.Sweep(ctx); err != nil || n != 2 {
		t.Errorf("%d removed, %v", n, err)
	}
	if _, err := s.Artifacts.Artifact(orphan); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the orphan: %v", err)
	}
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half one: %v", err)
	}
	for handle, want := range map[string]string{"step:1": "whole", "check:1@1": "printed"} {
		if b, err := s.Artifacts.ReadEvidence(ctx, g.ID, handle); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", handle, b, err)
		}
	}
	if n, err := s.Artifacts.Sweep(ctx); err != nil || n != 0 {
		t.Errorf("%d removed, %v", n, err)
	}
}

// TestDelete_SharedEvidence_IsKept: while one goal is deleted, another refers to the same bytes. They exist
// afterwards in either order.
func TestDelete_SharedEvidence_IsKept(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	one, two := open(t, dir, nil), open(t, dir, nil)
	for i := range 20 {
		shared := []byte{byte(i)}
		step := func(s *Store, run goal.Run) error {
			return s.Journal.Append(ctx, run, &event.StepStarted{
				StepID:    1,
				Tool:      "t",
				Arguments: "{}",
			}, &event.Step{StepID: 1, Tool: "t", Outcome: event.OK, Whole: shared})
		}
		gone, stays := create(t, one), create(t, two)
		dying, living := begin(t, one, gone.ID), begin(t, two, stays.ID)
		if err := errors.Join(step(one, dying),
			one.Journal.Append(ctx, dying, &event.Ended{Status: goal.Aborted, Exit: goal.AbortedByUser})); err != nil {
			t.Fatal(err)
		}
		deleted := make(chan error)
		go func() { deleted <- one.Goals.Delete(ctx, gone.ID) }()
		if err := errors.Join(step(two, living), <-deleted); err != nil {
			t.Fatal(err)
		}
		if b, err := two.Artifacts.ReadEvidence(ctx, stays.ID, "step:1"); err != nil || string(b) != string(shared) {
			t.Fatalf("try %d: %q, %v", i, b, err)
		}
	}
}

// TestGoalRow_ModelDecided_IsJudged checks that this is so even if a program could have decided.
func TestGoalRow_ModelDecided_IsJudged(t *testing.T) {
	ctx := context.Background()
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	if err := s.Journal.Append(ctx, run, &event.Ended{
		Status:   goal.Completed,
		Exit:     goal.Done,
		Verified: true,
		Judged:   true,
	}); err != nil {
		t.Fatal(err)
	}
	if rows, _, err := s.Goals.List(ctx, Filter{}); err != nil || !rows[0].Judged {
		t.Errorf("%+v, %v", rows, err)
	}
	begin(t, s, g.ID)
	if row, err := s.Goals.Get(ctx, g.ID); err != nil || row.Judged || row.Verified {
		t.Errorf("while it runs again: %+v, %v", row, err)
	}
}

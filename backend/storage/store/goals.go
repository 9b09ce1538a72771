package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// GoalTable holds one row per goal.
type GoalTable struct {
	*connection
	journal   *Journal
	locks     *GoalLocks
	artifacts *ArtifactFiles
	search    *SearchIndex
}

const goalColumns = `id, created_at, objective, criterion, criterion_sha256, policy, policy_sha256, limits, provider,
	model, scripted,
	status, exit, verified, run_id, spent_ms, iterations, steps, claims, tokens_in, tokens_out, usd, report, started_at,
	ended_at,
	updated_at, seq, checks_passed, options, account, parked_until, judged, queued, stopped_by, aftermath, fallbacks`

// GoalRow is a goal with the numbers that only the store counts.
type GoalRow struct {
	goal.Goal
	Seq          int64 // of its newest event
	ChecksPassed int   // of its last claim
	Judged       bool  // a model, not a program, decided what passed
	// Queued is the reason why it waits in the queue, from the journal. QueueReason returns it only while a process
	// still has the goal in its queue.
	Queued string
	// StoppedBy is its parent goal, or goal.ExternalAgent, if one of them stopped it or took it out of the queue; ""
	// if the user did, or its run stopped automatically.
	StoppedBy goal.ID
	// Aftermath is what became of its changes since it stopped.
	Aftermath goal.Aftermath
}

// Create freezes the criterion and the policy with their hashes, stores the goal as pending and appends its first
// event. The id is set by the caller.
func (gt *GoalTable) Create(ctx context.Context, g *goal.Goal) error {
	g.CreatedAt = gt.now().UTC()
	if err := gt.insert(ctx, g); err != nil {
		return err
	}
	if err := gt.saveGoalFile(g); err != nil { // only undo without the database needs it
		gt.log.Warn("goal.json was not written", "goal", g.ID, "error", err)
	}
	return nil
}

// insert does what Create does, with the time in g.
func (gt *GoalTable) insert(ctx context.Context, g *goal.Goal) (err error) {
	if g.CriterionSHA256, err = goal.Hash(g.Criterion); err != nil {
		return err
	}
	if g.PolicySHA256, err = goal.Hash(g.Policy); err != nil {
		return err
	}
	g.Status = goal.Pending
	criterion, policyJSON, limits, options, err := encodeFrozen(g)
	if err != nil {
		return err
	}
	at := formatTime(g.CreatedAt)
	created := &event.Created{
		Objective: g.Objective, Criterion: g.Criterion.Describe(), Dir: g.Policy.Dir, Risk: g.Policy.Risk,
		Provider: g.Provider, Model: g.Model, Effort: g.Options.Effort, Scripted: g.Scripted, Roles: g.Roles(),
	}
	if p := g.PersonaCopy; p != nil {
		created.Persona, created.PersonaWord = p.Name, p.Word
	}
	return gt.journal.commit(ctx, goal.Run{Goal: g.ID}, func(tx *sql.Tx) error {
		if err := gt.claimScheduled(ctx, tx, g); err != nil {
			return err
		}
		return execStatement(ctx, tx, "create goal",
			`INSERT INTO goals (id, created_at, objective, criterion, criterion_sha256, policy, policy_sha256,
			limits, provider, model, scripted, checks, updated_at, options) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			g.ID, at, text.ToUTF8(g.Objective), criterion, g.CriterionSHA256, policyJSON, g.PolicySHA256, limits, g.Provider,
			g.Model, g.Scripted,
			len(g.Criterion.Checks), at, options)
	}, created)
}

func encodeFrozen(g *goal.Goal) (criterion, policyJSON, limits, options string, err error) {
	c, err1 := json.Marshal(g.Criterion)
	p, err2 := json.Marshal(g.Policy)
	l, err3 := json.Marshal(g.Limits)
	o, err4 := json.Marshal(optionsColumn{&g.Options, &g.Origin})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return "", "", "", "", fmt.Errorf("encode goal: %w", err)
	}
	return string(c), string(p), string(l), string(o), nil
}

// optionsColumn is one JSON object of what the user chose and of what the host noted.
type optionsColumn struct {
	*goal.Options
	*goal.Origin
}

func scanGoal(r scanner, g *GoalRow) error {
	var milliseconds int64
	var fallbacks string
	err := r.Scan(&g.ID, timeColumn{&g.CreatedAt}, &g.Objective, jsonColumn{&g.Criterion}, &g.CriterionSHA256,
		jsonColumn{&g.Policy}, &g.PolicySHA256, jsonColumn{&g.Limits}, &g.Provider, &g.Model, &g.Scripted, &g.Status, &g.Exit,
		&g.Verified, &g.RunID, &milliseconds, &g.Spent.Iterations, &g.Spent.Steps, &g.Spent.Claims, &g.Spent.TokensIn,
		&g.Spent.TokensOut, &g.Spent.USD, jsonColumn{&g.Report}, timeColumn{&g.StartedAt}, timeColumn{&g.EndedAt},
		timeColumn{&g.UpdatedAt}, &g.Seq, &g.ChecksPassed, jsonColumn{&optionsColumn{&g.Options, &g.Origin}}, &g.Account,
		timeColumn{&g.ParkedUntil},
		&g.Judged, &g.Queued, &g.StoppedBy, jsonColumn{&g.Aftermath}, &fallbacks)
	if err != nil {
		return fmt.Errorf("read goal %s: %w", g.ID, err)
	}
	g.Spent.WallClock = time.Duration(milliseconds) * time.Millisecond
	if fallbacks != "" { // the user has chosen others since the start
		g.Options.Fallbacks = nil
		if err := json.Unmarshal([]byte(fallbacks), &g.Options.Fallbacks); err != nil {
			return fmt.Errorf("read the models of goal %s: %w", g.ID, err)
		}
	}
	return nil
}

// Get reads one goal. The error wraps goal.ErrNotFound if there is none.
func (gt *GoalTable) Get(ctx context.Context, id goal.ID) (GoalRow, error) {
	return goalOf(ctx, gt.read, id)
}

func goalOf(ctx context.Context, q querier, id goal.ID) (g GoalRow, err error) {
	err = scanGoal(q.QueryRowContext(ctx, "SELECT "+goalColumns+" FROM goals WHERE id = ?", id), &g)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %s", goal.ErrNotFound, id)
	}
	return g, err
}

// Find reads the only goal whose id begins or ends with the given text, of six characters or more.
func (gt *GoalTable) Find(ctx context.Context, part string) (GoalRow, error) {
	part = strings.ToLower(strings.TrimSpace(part))
	if len(part) < 6 || strings.ContainsAny(part, "%_") {
		return GoalRow{}, fmt.Errorf("%w: %q (give six or more characters of its id)", goal.ErrNotFound, part)
	}
	found, err := readRows(ctx, gt.read, "find goal", scanGoal, "SELECT "+goalColumns+
		" FROM goals WHERE id LIKE ? OR id LIKE ? ORDER BY id LIMIT 2", part+"%", "%"+part)
	switch {
	case err != nil:
		return GoalRow{}, err
	case len(found) == 0:
		return GoalRow{}, fmt.Errorf("%w: %s", goal.ErrNotFound, part)
	case len(found) > 1:
		return GoalRow{}, fmt.Errorf("%w: %s matches more than one goal; give more characters", goal.ErrNotFound, part)
	}
	return found[0], nil
}

// Filter selects goals. Its zero value selects all.
type Filter struct {
	Status goal.Status
	Search string // in the objective, the agent's last word and the folder
	Limit  int    // 0: 200
	Offset int
	Since  time.Time // only goals about which something was journaled since then
	// Resumable selects goals that may be continued: paused, failed, aborted, and running and queued ones whose owner
	// is gone. Goals that wait in the queue continue anyway.
	Resumable bool
}

// List reads a page of goals, newest first, and the number of all matches.
func (gt *GoalTable) List(ctx context.Context, f Filter) ([]GoalRow, int, error) {
	where, args := "1", []any{}
	if f.Resumable {
		dead, err := gt.locks.orphanedGoals(ctx)
		if err != nil {
			return nil, 0, err
		}
		where = "(status IN ('paused','failed','aborted') AND queued = '' OR id IN (''" + strings.Repeat(",?", len(dead)) +
			"))"
		args = append(args, dead...)
	}
	if f.Status != "" {
		where, args = where+" AND status = ?", append(args, f.Status)
	}
	if !f.Since.IsZero() {
		where, args = where+" AND updated_at >= ?", append(args, formatTime(f.Since))
	}
	if f.Search != "" {
		where += " AND (instr(lower(objective), lower(?)) > 0 OR instr(lower(account), lower(?)) > 0" +
			" OR instr(lower(coalesce(policy ->> 'dir', '')), lower(?)) > 0)"
		args = append(args, f.Search, f.Search, f.Search)
	}
	total, err := readValue[int](ctx, gt.read, "count goals", "SELECT count(*) FROM goals WHERE "+where, args...)
	if err != nil {
		return nil, 0, err
	}
	if f.Limit <= 0 {
		f.Limit = 200
	}
	list, err := readRows(ctx, gt.read, "list goals", scanGoal, "SELECT "+goalColumns+" FROM goals WHERE "+where+
		" ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?", append(args, f.Limit, f.Offset)...)
	return list, total, err
}

// Counts returns how many goals have each status.
func (gt *GoalTable) Counts(ctx context.Context) (map[goal.Status]int, error) {
	return readMap[goal.Status, int](ctx, gt.read, "count goals", "SELECT status, count(*) FROM goals GROUP BY status")
}

package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/models"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// HasPassed reports whether a runner of a race can be ranked and taken.
func HasPassed(row store.GoalRow) bool { return row.Exit == goal.Done && row.Status == goal.Completed }

// Ranking returns what the reviewer said about the runners that have passed now, nil if it was not asked about them.
func (r *Races) Ranking(ctx context.Context, rows []store.GoalRow) (*event.RaceRanked, error) {
	ranking, err := r.goals.store.History.RaceRanking(ctx, rows[0].Origin.Race.ID)
	if err != nil || ranking == nil {
		return nil, err
	}
	var passed []int
	for _, row := range rows {
		if HasPassed(row) {
			passed = append(passed, row.Origin.Race.Runner)
		}
	}
	if asked := slices.Sorted(slices.Values(ranking.Asked)); !slices.Equal(asked, passed) {
		return nil, nil
	}
	return ranking, nil
}

// CanRank reports whether the reviewer can be asked: all runners have ended, several of them passed, and it was not
// asked about them yet.
func (r *Races) CanRank(rows []store.GoalRow, ranking *event.RaceRanked) bool {
	passed := 0
	for _, row := range rows {
		if row.Status.IsActive() {
			return false
		}
		if HasPassed(row) {
			passed++
		}
	}
	return passed > 1 && ranking == nil && r.reviewer(rows[0]) != ""
}

// reviewer returns the model that ranks a race: that of its goals, otherwise that of the settings.
func (r *Races) reviewer(row store.GoalRow) string {
	return cmp.Or(row.Options.Reviewer, r.goals.cfg.Settings().ReviewModel)
}

// Rank lets the reviewer put the runners that passed into an order, once, and journals its words. If it gives no order,
// that is journaled, too.
func (r *Races) Rank(ctx context.Context, part string) error {
	r.ranking.Lock()
	defer r.ranking.Unlock()
	rows, err := r.Find(ctx, part)
	if err != nil {
		return err
	}
	ranking, err := r.Ranking(ctx, rows)
	if err != nil || !r.CanRank(rows, ranking) {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row store.GoalRow) bool { return !HasPassed(row) })
	body := &event.RaceRanked{Reviewer: r.reviewer(rows[0])}
	for _, row := range rows {
		body.Asked = append(body.Asked, row.Origin.Race.Runner)
	}
	ranked, err := r.askReviewer(ctx, body.Reviewer, rows)
	if ctx.Err() != nil {
		return fault.Kind(fault.Unavailable, "", "the reviewer was not asked to the end", "try again")
	}
	if err != nil {
		body.Problem = fault.Of(err).Message
	}
	for _, one := range ranked {
		place := event.RankedRunner{Runner: rows[one.Index].Origin.Race.Runner, Reason: one.Reason}
		body.Ranked = append(body.Ranked, place)
	}
	race := rows[0].Origin.Race.ID
	first, err := r.goals.store.Goals.Get(ctx, race)
	if err != nil {
		return fmt.Errorf("rank a race: %w", err)
	}
	const timeout = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	return r.goals.store.Journal.Append(ctx, goal.Run{Goal: race, ID: first.RunID}, body)
}

// askReviewer shows the reviewer what each runner changed.
func (r *Races) askReviewer(ctx context.Context, name string, rows []store.GoalRow) ([]judge.Ranked, error) {
	ms := r.goals.Intake.models
	own, err := ms.Chosen(rows[0].Provider, rows[0].Model)
	if err != nil {
		return nil, err
	}
	p, err := ms.Find(name, own)
	if err != nil {
		return nil, err
	}
	client, err := ms.NewClient(ctx, models.Choice{Provider: p})
	if err != nil {
		return nil, err
	}
	var diffs []string
	var errs []error
	for _, row := range rows {
		diff, err := r.diffOf(ctx, row)
		diffs, errs = append(diffs, diff), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	j := judge.Judge{
		Model: ms.Budget.Meter(client, p, models.Spender{Goal: rows[0].ID, Role: "reviewer"}),
		Name:  p.Model, Window: ms.Window(ctx, p),
	}
	return j.Rank(ctx, rows[0].Objective, diffs)
}

// diffOf returns what a runner changed as a patch, without ignored files.
func (r *Races) diffOf(ctx context.Context, row store.GoalRow) (string, error) {
	var patch strings.Builder
	counts := func(f api.ChangedFile) bool { return !f.Ignored }
	err := r.goals.History.EachDiff(ctx, row.ID, nil, counts, func(d api.FileDiff) error {
		patch.WriteString(d.Patch)
		return nil
	})
	return patch.String(), err
}

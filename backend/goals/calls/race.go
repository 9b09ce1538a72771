package calls

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/storage/store"
)

// RaceAPI starts, compares and takes from races. A race is named by a part of the id of any of its goals.
type RaceAPI struct {
	goals *lifecycle.Service
	cards *GoalAPI
	apiBase
}

// NewRaceAPI makes the API; ctx is the program's life.
func NewRaceAPI(ctx context.Context, g *lifecycle.Service, s *store.Store) *RaceAPI {
	return &RaceAPI{goals: g, cards: NewGoalAPI(ctx, g, s), apiBase: apiBase{ctx}}
}

// RaceView compares the runners of a race.
type RaceView struct {
	ID        string         `json:"id"`
	Objective string         `json:"objective"`
	Folder    string         `json:"folder"` // of the user
	Base      string         `json:"base"`   // the commit at which all started, "" if the folder was copied
	Checks    []string       `json:"checks"` // in words
	Runners   []RunnerView   `json:"runners"`
	Taken     *api.TakenView `json:"taken"` // null if nothing is
	// RankedBy is the model that ranked the runners, "" if they are ranked by what their checks prove and the size of the
	// change.
	RankedBy string `json:"ranked_by"`
	// RankNote is why no model ranked those that passed, "" if one did.
	RankNote string `json:"rank_note"`
	// CanRank says that Rank asks the reviewer.
	CanRank bool `json:"can_rank"`
}

// RunnerView is one runner of a race.
type RunnerView struct {
	Runner     int      `json:"runner"`
	Goal       GoalCard `json:"goal"`
	Engine     string   `json:"engine"`      // "" is Goalpost's own loop
	EngineName string   `json:"engine_name"` // as users know it
	Model      string   `json:"model"`
	Login      bool     `json:"login"` // the engine used its own sign-in, and the counts of its goal are without it
	Dir        string   `json:"dir"`   // in which it works
	Branch     string   `json:"branch"`
	// Rank is its place among the runners that passed; 0 if it has not passed.
	Rank int `json:"rank"`
	// Why is the reason for the rank, or why it has none.
	Why     string       `json:"why"`
	Files   []RunnerFile `json:"files"`
	Added   int          `json:"added"` // lines
	Removed int          `json:"removed"`
	// Unavailable is why its changes are unknown, "" if they are known.
	Unavailable string `json:"unavailable"`
}

// RunnerFile is a file that a runner changed, with the number of lines; -1 if it is not text.
type RunnerFile struct {
	api.ChangedPath
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Start starts a race.
func (r *RaceAPI) Start(in api.RaceInput) (out api.RaceOutput, err error) {
	defer r.recoverProblem(&err)
	return r.goals.Races.Start(r.ctx, in)
}

// Get compares the runners of a race. id "" is the newest race.
func (r *RaceAPI) Get(id string) (out RaceView, err error) {
	defer r.recoverProblem(&err)
	rows, err := r.goals.Races.Find(r.ctx, id)
	if err != nil {
		return out, err
	}
	first := rows[0]
	out = RaceView{
		ID: string(first.Origin.Race.ID), Objective: first.Objective, Folder: first.Origin.Race.Folder, Checks: []string{},
		Runners: []RunnerView{},
	}
	if first.Origin.Worktree != nil {
		out.Base = first.Origin.Worktree.Base
	}
	for _, c := range first.Criterion.Checks {
		out.Checks = append(out.Checks, c.Describe())
	}
	for _, row := range rows {
		one, err := r.runner(row)
		if err != nil {
			return out, err
		}
		out.Runners = append(out.Runners, one)
	}
	rankRunners(out.Runners)
	ranking, err := r.goals.Races.Ranking(r.ctx, rows)
	if err != nil {
		return out, err
	}
	out.CanRank = r.goals.Races.CanRank(rows, ranking)
	out.applyRanking(ranking)
	out.Taken, err = r.goals.Races.Taken(r.ctx, rows)
	return out, err
}

func (r *RaceAPI) runner(row store.GoalRow) (out RunnerView, err error) {
	f, err := r.cards.facts(row)
	if err != nil {
		return out, err
	}
	out = RunnerView{
		Runner: row.Origin.Race.Runner, Goal: goalCard(row, f.card), Engine: row.Options.Engine,
		EngineName: r.goals.Races.EngineName(row.Options.Engine), Model: row.Model, Login: row.Options.EngineLogin,
		Dir: row.Policy.Dir, Files: []RunnerFile{},
	}
	if row.Origin.Worktree != nil {
		out.Branch = row.Origin.Worktree.Branch
	}
	changes, err := r.goals.History.Changes(r.ctx, row.ID, nil)
	if err != nil { // its folder is gone
		out.Unavailable = err.Error()
		return out, nil
	}
	out.Unavailable = changes.Unavailable
	for _, one := range changes.Files {
		if one.Ignored {
			continue
		}
		path := api.ChangedPath{Path: one.Path, Change: one.Change}
		out.Files = append(out.Files, RunnerFile{ChangedPath: path, Added: one.Added, Removed: one.Removed})
		out.Added, out.Removed = out.Added+max(0, one.Added), out.Removed+max(0, one.Removed)
	}
	return out, nil
}

// rankRunners gives a rank to each runner that passed: first what proves more, then the smaller change.
func rankRunners(runners []RunnerView) {
	var passed []*RunnerView
	for i := range runners {
		if one := &runners[i]; one.Goal.Exit == goal.Done && one.Goal.Status == goal.Completed {
			passed = append(passed, one)
		} else if one.Goal.EndedAt != "" {
			one.Why = cmp.Or(one.Goal.Reason, string(one.Goal.Exit))
		}
	}
	slices.SortStableFunc(passed, func(a, b *RunnerView) int {
		return cmp.Or(levelOf(a)-levelOf(b), cmp.Compare(a.Added+a.Removed, b.Added+b.Removed))
	})
	for i, one := range passed {
		one.Rank = i + 1
		one.Why = fmt.Sprintf("%s, %s, +%d −%d", one.Goal.AssuranceWords, goal.FormatCount(len(one.Files), "file"), one.Added,
			one.Removed)
	}
}

// applyRanking ranks the runners as the reviewer does. Without its order, the ranks stay, and the note says why.
func (v *RaceView) applyRanking(ranking *event.RaceRanked) {
	passed := slices.DeleteFunc(slices.Clone(v.Runners), func(one RunnerView) bool { return one.Rank == 0 })
	switch {
	case len(passed) < 2 || v.CanRank:
		return
	case ranking == nil:
		v.RankNote = "ranked by what the checks prove and the size of the change: no model is chosen as reviewer"
		return
	case len(ranking.Ranked) == 0:
		v.RankNote = "ranked by what the checks prove and the size of the change: " + ranking.Problem
		return
	}
	v.RankedBy = ranking.Reviewer
	for i, place := range ranking.Ranked {
		for k := range v.Runners {
			if one := &v.Runners[k]; one.Runner == place.Runner {
				one.Rank, one.Why = i+1, cmp.Or(place.Reason, one.Why)
			}
		}
	}
}

// Rank lets the reviewer rank the runners that passed, if CanRank says so, and compares them.
func (r *RaceAPI) Rank(id string) (out RaceView, err error) {
	defer r.recoverProblem(&err)
	if err := r.goals.Races.Rank(r.ctx, id); err != nil {
		return out, err
	}
	return r.Get(id)
}

// levelOf returns a lower number for a stronger proof.
func levelOf(r *RunnerView) int {
	if n := slices.Index(goal.Assurances(), r.Goal.Assurance); n >= 0 {
		return n
	}
	return len(goal.Assurances())
}

// Take puts what a runner changed into the folder of its race. If there is a conflict, it changes nothing.
func (r *RaceAPI) Take(id string, runner int, in api.TakeInput) (out api.TakeOutput, err error) {
	defer r.recoverProblem(&err)
	return r.goals.Races.Take(r.ctx, id, runner, in)
}

// Undo restores the folder of a race to what it was before a result was taken. A commit stays.
func (r *RaceAPI) Undo(id string, in api.UndoInput) (out api.UndoOutput, err error) {
	defer r.recoverProblem(&err)
	return r.goals.Races.Untake(r.ctx, id, in)
}

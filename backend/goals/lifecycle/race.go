package lifecycle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/folder"
	"goalpost/backend/storage/store"
)

// maxCopyBytes is the largest folder that is copied for each runner of a race.
const maxCopyBytes = 2 << 30

// Races starts races, and takes the changes of one runner. The runners are ordinary goals: they wait for slots, are
// limited, interrupted and resumed as goals are.
type Races struct {
	goals   *Service
	ranking sync.Mutex // no race is ranked twice at once
}

// Start starts a goal for each runner. All are prepared before the first one starts: if one is refused, nothing has
// changed.
func (r *Races) Start(ctx context.Context, in api.RaceInput) (out api.RaceOutput, err error) {
	it := r.goals.Intake
	if err := r.validate(in); err != nil {
		return out, err
	}
	dir, err := it.access.ValidateExistingDir(in.Dir)
	if err != nil {
		return out, err
	}
	var made []madeRunner
	defer func() {
		if err != nil {
			err = errors.Join(err, r.discard(context.WithoutCancel(ctx), made))
		}
	}()
	for i, choice := range in.Runners {
		place := goal.Race{Runner: i + 1, Folder: dir}
		if i > 0 {
			place.ID = made[0].goal.ID
			ctx = api.WithPreflighted(ctx, nil) // the checks are the same for all
		}
		one, err := r.prepare(ctx, in.Request, choice, place)
		if err != nil {
			return out, nameRunner(err, i+1)
		}
		made = append(made, one)
		if base, first := one.base(), made[0].base(); base != first {
			return out, fault.New(fault.Conflict, "the commit that is checked out changed while the race was prepared",
				"start the race again")
		}
	}
	for i := range made {
		if err := r.goals.startPrepared(ctx, made[i].goal); err != nil {
			return out, nameRunner(err, i+1)
		}
		made[i].isStarted = true
		out.Goals = append(out.Goals, string(made[i].goal.ID))
	}
	out.RaceID = out.Goals[0]
	return out, nil
}

// validate refuses a race that is none, and engines that are not installed, before anything is made.
func (r *Races) validate(in api.RaceInput) error {
	if n := len(in.Runners); n < goal.MinRunners || n > goal.MaxRunners {
		return fault.Invalid("runners", fmt.Sprintf("a race has %d to %d runners, not %d", goal.MinRunners,
			goal.MaxRunners, n), "choose engines or models, or the same one several times").OnCommandLine(
			"name engines with --engine goalpost,claude, give --model several times, or use --times 2")
	}
	if in.Dir == "" {
		return fault.Invalid("dir", "a race needs a folder: each runner gets a copy of it", "choose the folder").
			OnCommandLine("name it with --dir")
	}
	for i, choice := range in.Runners {
		draft := goal.Goal{Request: in.Request}
		name, _ := goal.CutEngineLogin(cmp.Or(choice.Engine, in.Engine))
		if _, err := chooseEngine(r.goals.Intake.engines, name, r.goals.cfg.Settings().Engine, draft); err != nil {
			return nameRunner(err, i+1)
		}
	}
	return nil
}

// nameRunner says which runner is refused.
func nameRunner(err error, n int) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return fmt.Errorf("runner %d: %w", n, err)
	}
	own := *refusal
	own.Message = fmt.Sprintf("runner %d: %s", n, own.Message)
	return &own
}

// madeRunner is a runner that is prepared, with what was made for it.
type madeRunner struct {
	goal      *goal.Goal
	copied    string // the copy of the folder, "" without one
	isStarted bool
}

// base returns the commit at which the runner starts, "" if it works in a copy.
func (m madeRunner) base() string {
	if m.goal.Origin.Worktree == nil {
		return ""
	}
	return m.goal.Origin.Worktree.Base
}

// prepare makes the folder and the goal of one runner. If it returns an error, nothing is left.
func (r *Races) prepare(
	ctx context.Context, in goal.Request, choice api.RunnerChoice, place goal.Race,
) (made madeRunner, err error) {
	in.Dir = place.Folder
	if choice.Engine != "" {
		in.Engine, in.EngineLogin = goal.CutEngineLogin(choice.Engine)
	}
	if choice.Model != "" {
		in.Provider, in.Model = "", choice.Model
	}
	if in.NewWorktree = worktrees.IsInRepository(place.Folder); !in.NewWorktree {
		if place.Copy, err = r.copyFolder(ctx, place.Folder, strconv.Itoa(place.Runner)); err != nil {
			return made, err
		}
		in.Dir = place.Copy
	}
	g, _, err := r.goals.Intake.prepareGoal(ctx, in, func(g *goal.Goal) error {
		place.ID = cmp.Or(place.ID, g.ID)
		g.Origin.Race = &place
		return nil
	})
	if err != nil {
		return made, errors.Join(err, removeCopy(place.Copy))
	}
	return madeRunner{goal: g, copied: place.Copy}, nil
}

// copyFolder copies a folder of the user for one runner, or for another goal that must not change it.
func (r *Races) copyFolder(ctx context.Context, from, label string) (string, error) {
	parent := filepath.Join(r.goals.cfg.Work(), "copies")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("the folder of copies: %w", err)
	}
	dir, err := os.MkdirTemp(parent, filepath.Base(from)+"-"+label+"-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("the folder of copies: %w", err)
	}
	err = folder.Copy(ctx, from, dir, maxCopyBytes)
	if errors.Is(err, folder.ErrTooLarge) {
		err = fault.Invalid("dir", fmt.Sprintf("the folder has more than %d GiB, too much to copy it",
			maxCopyBytes>>30), "choose a smaller folder, or make it a git repository: then nothing is copied")
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("copy %s: %w", from, err), removeCopy(dir))
	}
	return dir, nil
}

// removeCopy removes the copy of a folder; "" is none.
func removeCopy(dir string) error {
	if dir == "" {
		return nil
	}
	if err := sandbox.RemoveLayer(dir); err != nil { // it may have folders that cannot be written
		return fmt.Errorf("remove the copy: %w", err)
	}
	return nil
}

// discard removes runners of a race that could not start.
func (r *Races) discard(ctx context.Context, made []madeRunner) error {
	var errs []error
	for _, one := range made {
		if one.isStarted {
			errs = append(errs, r.goals.Delete(ctx, one.goal.ID))
		} else if one.goal.Origin.Worktree != nil {
			errs = append(errs, r.goals.Intake.removeGoalDir(ctx, *one.goal))
		}
		errs = append(errs, removeCopy(one.copied))
	}
	return errors.Join(errs...)
}

// Find returns the runners of a race. part is a part of the id of any of its goals; "" is the newest race.
func (r *Races) Find(ctx context.Context, part string) ([]store.GoalRow, error) {
	if part == "" {
		all, err := r.goals.store.Goals.Runners(ctx)
		if err == nil && len(all) == 0 {
			err = fault.Kind(fault.NotFound, "", "there is no race yet", "goalctl race starts one")
		}
		if err != nil {
			return nil, err
		}
		part = string(all[0].ID)
	}
	row, err := r.goals.store.Goals.Find(ctx, part)
	if err != nil {
		return nil, fmt.Errorf("race: %w", err)
	}
	if row.Origin.Race == nil {
		return nil, fault.Kind(fault.NotFound, "", "the goal "+row.ID.Short()+" is in no race",
			"goalctl race show without an id shows the newest race")
	}
	return r.goals.store.Goals.Race(ctx, row.Origin.Race.ID)
}

// EngineName returns the name under which users know an engine.
func (r *Races) EngineName(id string) string {
	if p, ok := engine.FindProfile(r.goals.Intake.engines, id); ok {
		return p.Name
	}
	return cmp.Or(id, "Goalpost")
}

// Taken returns what was taken from a race, nil if nothing was, or if it was undone.
func (r *Races) Taken(ctx context.Context, rows []store.GoalRow) (*api.TakenView, error) {
	for _, row := range rows {
		taken, at, err := r.goals.store.History.Taken(ctx, row.ID)
		if err != nil {
			return nil, fmt.Errorf("race: %w", err)
		}
		if at.IsZero() || taken.Undone {
			continue
		}
		return &api.TakenView{
			Runner: row.Origin.Race.Runner, At: at.UTC().Format(time.RFC3339), Commit: taken.Commit, Branch: taken.Branch,
			Until: at.Add(goal.RaceKeptFor).UTC().Format(time.RFC3339),
		}, nil
	}
	return nil, nil
}

// removeExpired removes the folders of races from which a result was taken a week ago. The goals stay.
func (r *Races) removeExpired(ctx context.Context) error {
	rows, err := r.goals.store.Goals.Runners(ctx)
	if err != nil {
		return err
	}
	races := map[goal.ID][]store.GoalRow{}
	for _, row := range rows {
		races[row.Origin.Race.ID] = append(races[row.Origin.Race.ID], row)
	}
	var errs []error
	for _, runners := range races {
		errs = append(errs, r.removeIfExpired(ctx, runners))
	}
	return errors.Join(errs...)
}

func (r *Races) removeIfExpired(ctx context.Context, runners []store.GoalRow) error {
	taken, err := r.Taken(ctx, runners)
	if err != nil || taken == nil {
		return err
	}
	until, err := time.Parse(time.RFC3339, taken.Until)
	if err != nil || r.goals.Intake.clock.Now().Before(until) {
		return err //nolint:wrapcheck // it cannot fail: Taken formats it
	}
	for _, row := range runners {
		if isActive, err := r.goals.Runs.isActive(row); isActive || err != nil {
			return err // somebody still works on it
		}
	}
	var errs []error
	for _, row := range runners {
		errs = append(errs, r.removeFolder(ctx, row))
	}
	return errors.Join(errs...)
}

// removeFolder removes the git worktree with its branch, or the copy, in which a runner worked.
func (r *Races) removeFolder(ctx context.Context, row store.GoalRow) error {
	worktree := row.Origin.Worktree
	if worktree == nil {
		return removeCopy(row.Origin.Race.Copy)
	}
	if _, err := os.Stat(worktree.Dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	_, _, err := r.goals.Intake.worktrees.Remove(ctx, worktree.Dir, true)
	return err
}

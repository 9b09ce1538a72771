package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// goalFile is goal.json in a goal's folder: what was frozen when the goal was created. Undo, diff and the recordings
// need no more if the database cannot be read.
type goalFile struct {
	ID        goal.ID         `json:"id"`
	CreatedAt time.Time       `json:"created_at"`
	Objective string          `json:"objective"`
	Criterion json.RawMessage `json:"criterion"`
	Policy    json.RawMessage `json:"policy"`
	Limits    json.RawMessage `json:"limits"`
	Options   json.RawMessage `json:"options"`
	Provider  string          `json:"provider"`
	Model     string          `json:"model"`
	Scripted  bool            `json:"scripted"`
}

func (c *connection) goalFilePath(id goal.ID) string {
	return filepath.Join(c.GoalDir(id), "goal.json")
}

// saveGoalFile writes a goal's file, if the goal has a folder and not yet the file.
func (c *connection) saveGoalFile(g *goal.Goal) error {
	if _, err := os.Stat(c.GoalDir(g.ID)); err != nil {
		return nil //nolint:nilerr // there is nothing that the file could describe
	}
	if _, err := os.Stat(c.goalFilePath(g.ID)); err == nil {
		return nil
	}
	criterion, policyJSON, limits, options, err := encodeFrozen(g)
	if err != nil {
		return err
	}
	return fileio.WriteJSON(c.goalFilePath(g.ID), goalFile{
		ID:        g.ID,
		CreatedAt: g.CreatedAt,
		Objective: g.Objective,
		Criterion: json.RawMessage(criterion),
		Policy:    json.RawMessage(policyJSON),
		Limits:    json.RawMessage(limits),
		Options:   json.RawMessage(options),
		Provider:  g.Provider,
		Model:     g.Model,
		Scripted:  g.Scripted,
	})
}

// readGoalFile reads the goal that a folder belongs to.
func readGoalFile(dir string) (*goal.Goal, error) {
	var f goalFile
	if err := fileio.ReadJSON(filepath.Join(dir, "goal.json"), &f); err != nil {
		return nil, err
	}
	if string(f.ID) != filepath.Base(dir) {
		return nil, fmt.Errorf("goal.json of %s is about goal %s", filepath.Base(dir), f.ID)
	}
	g := &goal.Goal{ID: f.ID, Scripted: f.Scripted, CreatedAt: f.CreatedAt}
	g.Objective, g.Provider, g.Model = f.Objective, f.Provider, f.Model
	for _, part := range []struct {
		from json.RawMessage
		to   any
	}{
		{f.Criterion, &g.Criterion},
		{f.Policy, &g.Policy},
		{f.Limits, &g.Limits},
		{f.Options, &optionsColumn{&g.Options, &g.Origin}},
	} {
		if err := json.Unmarshal(part.from, part.to); err != nil {
			return nil, fmt.Errorf("reading goal.json: %w", err)
		}
	}
	return g, nil
}

// goalFolders lists the folders of goals in a data folder.
func goalFolders(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "goals"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("folders of goals: %w", text.StripPathError(err))
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && len(e.Name()) == len(NewID()) {
			list = append(list, filepath.Join(dir, "goals", e.Name()))
		}
	}
	return list, nil
}

// lostJournal is the report of a goal of which only its folder is left.
const lostJournal = "Its journal was lost with a damaged database. What it changed can still be compared and undone."

// addFromFolders adds the goals that have a folder and are not in the database. Their journals are empty.
func (gt *GoalTable) addFromFolders(ctx context.Context) error {
	folders, err := goalFolders(gt.dir)
	if err != nil {
		return err
	}
	report, err := json.Marshal([]string{lostJournal})
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for _, dir := range folders {
		g, err := readGoalFile(dir)
		if err != nil {
			gt.log.Warn("a folder without a readable goal.json", "folder", dir, "error", err)
			continue
		}
		if _, err := gt.Get(ctx, g.ID); err == nil {
			continue
		}
		if err := gt.insert(ctx, g); err != nil {
			return err
		}
		status, exit := goal.Failed, goal.ExitError
		if isRunning, err := gt.locks.IsLocked(g.ID); err != nil || isRunning {
			status, exit = goal.Running, ""
		}
		at := formatTime(g.CreatedAt)
		err = gt.commitStatement(ctx, "goal of a folder", `UPDATE goals SET status = ?, exit = ?, report = ?,
			started_at = ?, ended_at = ? WHERE id = ?`, status, exit, string(report), at, at, g.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// saveGoalFiles writes the files of goals that an older version created.
func (gt *GoalTable) saveGoalFiles(ctx context.Context, db *sql.DB) error {
	folders, err := goalFolders(gt.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range folders {
		id := goal.ID(filepath.Base(dir))
		if _, err := os.Stat(gt.goalFilePath(id)); err == nil {
			continue
		}
		if row, err := goalOf(ctx, db, id); err == nil {
			errs = append(errs, gt.saveGoalFile(&row.Goal))
		}
	}
	return errors.Join(errs...)
}

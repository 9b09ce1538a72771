package calls

import (
	"context"

	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/storage/store"
)

// ChangesAPI lists, undoes and commits the changes of goals. An id may be a unique part of six characters or more.
type ChangesAPI struct {
	history *lifecycle.FolderHistory
	store   *store.Store
	apiBase
}

// NewChangesAPI makes the API; ctx is the program's life.
func NewChangesAPI(ctx context.Context, h *lifecycle.FolderHistory, s *store.Store) *ChangesAPI {
	return &ChangesAPI{history: h, store: s, apiBase: apiBase{ctx}}
}

// List compares the present state of a goal's folder with its state at the goal's start. paths select files and
// folders; without any it compares everything.
func (c *ChangesAPI) List(id string, paths []string) (api.ChangesView, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (api.ChangesView, error) {
		return c.history.Changes(c.ctx, g.ID, paths)
	})
}

// File reads both sides of a changed file. path is as List returns it.
func (c *ChangesAPI) File(id, path string) (api.FileDiff, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (api.FileDiff, error) {
		return c.history.FileDiff(c.ctx, g.ID, path)
	})
}

// Undo restores an earlier state of a goal's folder, or of some of its files. It refuses while the goal runs.
func (c *ChangesAPI) Undo(id string, in api.UndoInput) (api.UndoOutput, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (api.UndoOutput, error) {
		return c.history.UndoChanges(c.ctx, g.ID, in)
	})
}

// Show shows a text file of a goal's folder in a pane of the user.
func (c *ChangesAPI) Show(id, path string) (pane.Info, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (pane.Info, error) {
		return c.history.ShowFile(c.ctx, g.ID, path)
	})
}

// Find returns the paths of those names that are files of a goal's folder, and "" for the others. A name that is not
// absolute begins in dir.
func (c *ChangesAPI) Find(id, dir string, names []string) ([]string, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) ([]string, error) {
		return c.history.FindFiles(c.ctx, g.ID, dir, names)
	})
}

// Edit opens a file of a goal's folder in a new terminal pane with the user's editor: $VISUAL, otherwise $EDITOR,
// otherwise one that is installed. path is as List returns it.
func (c *ChangesAPI) Edit(id, path string) (pane.Info, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (pane.Info, error) {
		return c.history.EditFile(c.ctx, g.ID, path)
	})
}

// CommitOffer reports whether the changes of a goal can be committed, and proposes a branch and a message.
func (c *ChangesAPI) CommitOffer(id string) (api.CommitOffer, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (api.CommitOffer, error) {
		return c.history.CommitOffer(c.ctx, g.ID)
	})
}

// Commit commits the changes of a goal to a new branch of its folder's repository, or to the one that is checked out.
// It runs no hooks or filters, and refuses while the goal runs.
func (c *ChangesAPI) Commit(id string, in api.CommitInput) (api.CommitOutput, error) {
	return withGoal(c.apiBase, c.store, id, func(g store.GoalRow) (api.CommitOutput, error) {
		return c.history.CommitChanges(c.ctx, g.ID, in)
	})
}

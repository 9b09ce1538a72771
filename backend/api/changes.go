package api

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/store"
)

// FolderHistory knows what goals changed in their folders, and can undo it.
type FolderHistory interface {
	Changes(ctx context.Context, id goal.ID, paths []string) (ChangesView, error)
	FileDiff(ctx context.Context, id goal.ID, path string) (FileDiff, error)
	UndoChanges(ctx context.Context, id goal.ID, in UndoInput) (UndoOutput, error)
	EditFile(ctx context.Context, id goal.ID, path string) (pane.Info, error)
	CommitOffer(ctx context.Context, id goal.ID) (CommitOffer, error)
	CommitChanges(ctx context.Context, id goal.ID, in CommitInput) (CommitOutput, error)
}

// ChangesAPI is for what a goal changed in its folder. An id may be a unique part of six characters or more.
type ChangesAPI struct {
	history FolderHistory
	store   *store.Store
	apiBase
}

// NewChangesAPI makes the API; ctx is the program's life.
func NewChangesAPI(ctx context.Context, h FolderHistory, s *store.Store) *ChangesAPI {
	return &ChangesAPI{history: h, store: s, apiBase: apiBase{ctx}}
}

// List compares a goal's folder, as it is now, with the goal's start. paths select files and folders; none is
// everything.
func (a *ChangesAPI) List(id string, paths []string) (ChangesView, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (ChangesView, error) {
		return a.history.Changes(a.ctx, g.ID, paths)
	})
}

// File reads both sides of one changed file. path is as List gives it.
func (a *ChangesAPI) File(id, path string) (FileDiff, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (FileDiff, error) {
		return a.history.FileDiff(a.ctx, g.ID, path)
	})
}

// Undo brings a goal's folder, or some of its files, back to an earlier state. It refuses while the goal runs.
func (a *ChangesAPI) Undo(id string, in UndoInput) (UndoOutput, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (UndoOutput, error) {
		return a.history.UndoChanges(a.ctx, g.ID, in)
	})
}

// Edit opens a file of a goal's folder in the user's editor, in a new terminal pane: $VISUAL, otherwise $EDITOR,
// otherwise one that is installed. path is as List gives it.
func (a *ChangesAPI) Edit(id, path string) (pane.Info, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (pane.Info, error) {
		return a.history.EditFile(a.ctx, g.ID, path)
	})
}

// CommitOffer says whether the changes of a goal can be committed, and proposes how.
func (a *ChangesAPI) CommitOffer(id string) (CommitOffer, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (CommitOffer, error) {
		return a.history.CommitOffer(a.ctx, g.ID)
	})
}

// Commit commits what a goal changed to a new branch of its folder's repository, or to the one that is checked out. It
// runs no hook and no filter, and refuses while the goal runs.
func (a *ChangesAPI) Commit(id string, in CommitInput) (CommitOutput, error) {
	return withGoal(a.apiBase, a.store, id, func(g store.GoalRow) (CommitOutput, error) {
		return a.history.CommitChanges(a.ctx, g.ID, in)
	})
}

// CommitOffer is how the changes of a goal would be committed.
type CommitOffer struct {
	Unavailable string `json:"unavailable"` // why they cannot be committed, "" if they can
	Branch      string `json:"branch"`      // a new one that is proposed
	Current     string `json:"current"`     // that is checked out, "" if none is
	Message     string `json:"message"`
}

// CommitInput says what is committed.
type CommitInput struct {
	Paths   []string `json:"paths"`   // files and folders below the goal's folder; none is everything
	Branch  string   `json:"branch"`  // "" is the proposed one
	Message string   `json:"message"` // "" is the objective
}

// CommitOutput is what was committed.
type CommitOutput struct {
	Commit  string        `json:"commit"` // "" of a patch
	Branch  string        `json:"branch"` // "" of a patch
	Files   []ChangedPath `json:"files"`
	Skipped []LeftOutPath `json:"skipped"`
	// Mixed are files that had changes before the goal that were not committed: those are part of the commit.
	Mixed []string `json:"mixed"`
}

// ChangesView is what differs in a goal's folder from its start.
type ChangesView struct {
	GoalID string `json:"goal_id"`
	Dir    string `json:"dir"`
	// Unavailable is why nothing can be compared, "" if it can be.
	Unavailable string `json:"unavailable"`
	Running     bool   `json:"running"` // the goal works in the folder now
	// FromStep is the step after which the first snapshot was taken; 0 but for goals that are older than snapshots.
	FromStep    int              `json:"from_step"`
	Files       []ChangedFile    `json:"files"`
	Protected   []ProtectedFile  `json:"protected"` // that did not change
	LeftOut     []LeftOutPath    `json:"left_out"`
	Checkpoints []CheckpointView `json:"checkpoints"` // oldest first
	Undone      bool             `json:"undone"`      // the last thing that happened was an undo
	CanRedo     bool             `json:"can_redo"`
	KeptBytes   int64            `json:"kept_bytes"`
}

// ChangedFile is one file, link or empty folder that is not what it was.
type ChangedFile struct {
	Path   string   `json:"path"` // quoted as a string of Go if it is not plain text
	Change string   `json:"change"`
	Before FileSide `json:"before"`
	After  FileSide `json:"after"`
	// Added and Removed count lines; -1 where they are not compared.
	Added   int  `json:"added"`
	Removed int  `json:"removed"`
	Binary  bool `json:"binary"`
	Ignored bool `json:"ignored"` // by a .gitignore
	// EditedSince: it was changed after the goal by something else. Undo leaves it alone.
	EditedSince bool `json:"edited_since"`
	// ReadBy are the checks that read it, as far as they were observed.
	ReadBy    []string `json:"read_by"`
	RunsCheck bool     `json:"runs_check"` // it decides how one of them ends
	Protected string   `json:"protected"`  // why the agent cannot change it, "" if it can
}

// What happened to a file.
const (
	FileNew     = "new"
	FileChanged = "changed"
	FileDeleted = "deleted"
)

// FileSide is a file before or after; Type is "" where it was not there.
type FileSide struct {
	Type   string `json:"type"` // file, folder, link
	Mode   string `json:"mode"` // as in chmod: 644
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Target string `json:"target"` // of a link
}

// LeftOutPath is something that is neither compared nor changed.
type LeftOutPath struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// CheckpointView is one state of the folder that can be brought back.
type CheckpointView struct {
	N    int    `json:"n"`
	Kind string `json:"kind"` // start, resume, step, end, before_undo, after_undo
	Step int    `json:"step"` // the newest step then
	At   string `json:"at"`
}

// FileDiff is one changed file with both sides. Texts have no secrets.
type FileDiff struct {
	ChangedFile

	IsText bool   `json:"is_text"` // both sides are; Before and After text, Hunks and Patch are set
	Was    string `json:"was"`
	Is     string `json:"is"`
	Hunks  string `json:"hunks"` // of a unified diff
	Patch  string `json:"patch"` // in git's form
	// WasImage and IsImage are data URLs, "" of what is no picture.
	WasImage string `json:"was_image"`
	IsImage  string `json:"is_image"`
}

// UndoInput says what is brought back.
type UndoInput struct {
	Paths []string `json:"paths"` // files and folders below the goal's folder; none is everything
	Force []string `json:"force"` // those that somebody else changed since, and that are overwritten anyway
	// Step brings back what was there after a step that has a checkpoint; 0 is the start.
	Step   int  `json:"step"`
	Redo   bool `json:"redo"` // undo the last undo
	DryRun bool `json:"dry_run"`
}

// UndoOutput is what was brought back, or would be.
type UndoOutput struct {
	To      string        `json:"to"` // as a phrase: "the start of the goal"
	Done    []ChangedPath `json:"done"`
	Skipped []SkippedPath `json:"skipped"`
	LeftOut []LeftOutPath `json:"left_out"`
	CanRedo bool          `json:"can_redo"`
}

// ChangedPath is a path and what had happened to it.
type ChangedPath struct {
	Path   string `json:"path"`
	Change string `json:"change"`
}

// SkippedPath is a path that was left as it is.
type SkippedPath struct {
	Path     string `json:"path"`
	Why      string `json:"why"`
	CanForce bool   `json:"can_force"`
}

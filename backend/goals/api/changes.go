package api

// CommitOffer is a proposal for the commit of a goal's changes.
type CommitOffer struct {
	Unavailable string `json:"unavailable"` // why they cannot be committed, "" if they can
	Branch      string `json:"branch"`      // the proposed branch
	Current     string `json:"current"`     // the branch that is checked out, "" if there is none
	Message     string `json:"message"`
}

// CommitInput describes a commit.
type CommitInput struct {
	Paths   []string `json:"paths"`   // files and folders below the goal's folder; empty = all of it
	Branch  string   `json:"branch"`  // "" = the proposed one
	Message string   `json:"message"` // "" = the objective
}

// CommitOutput describes a commit that was made, or a patch that was written.
type CommitOutput struct {
	Commit  string        `json:"commit"` // "" for a patch
	Branch  string        `json:"branch"` // "" for a patch
	Files   []ChangedPath `json:"files"`
	Skipped []LeftOutPath `json:"skipped"`
	// Mixed are files that already had uncommitted changes before the goal. The commit includes those changes.
	Mixed []string `json:"mixed"`
}

// ChangesView lists the changes in a goal's folder since its start.
type ChangesView struct {
	GoalID string `json:"goal_id"`
	Dir    string `json:"dir"`
	// Unavailable is why nothing can be compared, "" if it can be.
	Unavailable string `json:"unavailable"`
	Running     bool   `json:"running"` // the goal works in the folder now
	// FromStep is the step after which the first snapshot was taken. It is 0 unless the first
	// run of the goal could take none.
	FromStep    int              `json:"from_step"`
	Files       []ChangedFile    `json:"files"`
	Protected   []ProtectedFile  `json:"protected"` // unchanged ones
	LeftOut     []LeftOutPath    `json:"left_out"`
	Checkpoints []CheckpointView `json:"checkpoints"` // oldest first
	Undone      bool             `json:"undone"`      // an undo reverted some of the changes
	CanRedo     bool             `json:"can_redo"`
	KeptBytes   int64            `json:"kept_bytes"`
}

// ChangedFile is a file, link or empty folder that has changed.
type ChangedFile struct {
	Path   string   `json:"path"` // quoted like a Go string if it is not plain text
	Change string   `json:"change"`
	Before FileSide `json:"before"`
	After  FileSide `json:"after"`
	// Added and Removed count lines; they are -1 if lines were not compared.
	Added   int  `json:"added"`
	Removed int  `json:"removed"`
	Binary  bool `json:"binary"`
	Ignored bool `json:"ignored"` // by a .gitignore
	// EditedSince reports that something else changed it after the goal. Undo skips it.
	EditedSince bool `json:"edited_since"`
	// ReadBy are the names of the checks that were observed to read it.
	ReadBy    []string `json:"read_by"`
	RunsCheck bool     `json:"runs_check"` // it decides the result of one of them
	Protected string   `json:"protected"`  // why the agent cannot change it, "" if it can
}

// Kinds of changes.
const (
	FileNew     = "new"
	FileChanged = "changed"
	FileDeleted = "deleted"
)

// FileSide is a file before or after a change. Type is "" if it does not exist.
type FileSide struct {
	Type   string `json:"type"` // file, folder, link
	Mode   string `json:"mode"` // as in chmod: 644
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Target string `json:"target"` // of a link
}

// LeftOutPath is a path that was left out, with the reason.
type LeftOutPath struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// CheckpointView is a state of the folder that can be restored.
type CheckpointView struct {
	N    int    `json:"n"`
	Kind string `json:"kind"` // start, resume, step, end, before_undo, after_undo
	Step int    `json:"step"` // the newest step at that time
	At   string `json:"at"`
}

// FileDiff is a changed file with both sides. Secrets are hidden in its texts.
type FileDiff struct {
	ChangedFile

	IsText bool   `json:"is_text"` // both sides are text: Was, Is and Hunks are set
	Was    string `json:"was"`
	Is     string `json:"is"`
	Hunks  string `json:"hunks"` // of a unified diff
	Patch  string `json:"patch"` // in git's form
	// WasImage and IsImage are data URLs, "" for a side that is not a picture.
	WasImage string `json:"was_image"`
	IsImage  string `json:"is_image"`
}

// UndoInput describes an undo.
type UndoInput struct {
	Paths []string `json:"paths"` // files and folders below the goal's folder; empty = all of it
	Force []string `json:"force"` // paths that are overwritten although something else changed them after the goal
	// Step restores the state after a step with a checkpoint; 0 = the start.
	Step   int  `json:"step"`
	Redo   bool `json:"redo"` // undoes the last undo
	DryRun bool `json:"dry_run"`
}

// UndoOutput lists what an undo restored, or would restore.
type UndoOutput struct {
	To      string        `json:"to"` // the restored state, such as "the start of the goal"
	Done    []ChangedPath `json:"done"`
	Skipped []SkippedPath `json:"skipped"`
	LeftOut []LeftOutPath `json:"left_out"`
	CanRedo bool          `json:"can_redo"`
}

// ChangedPath is a path with the kind of its change.
type ChangedPath struct {
	Path   string `json:"path"`
	Change string `json:"change"`
	Note   string `json:"note,omitempty"` // of an undo: what it does to the other names of a hard link
}

// SkippedPath is a path that an undo does not restore.
type SkippedPath struct {
	Path     string `json:"path"`
	Why      string `json:"why"`
	CanForce bool   `json:"can_force"`
}

package goal

import "io/fs"

// FolderEntry is a file, link or folder on one side of a change.
type FolderEntry struct {
	Mode   fs.FileMode
	Size   int64  // of a regular file, in bytes
	SHA256 string // of a regular file
	Target string // of a link
}

// FolderChange is one path of the goal's folder that differs from the start.
type FolderChange struct {
	Path      string       // relative to the folder, with slashes
	Was, Is   *FolderEntry // nil if it did not exist, or is gone
	IsIgnored bool         // by a .gitignore of the start
	// ReadStart returns the content of a file at the start. It fails if it is too long or was not stored.
	ReadStart func() ([]byte, error)
}

// FolderChanges are all differences of the goal's folder from its start: the same for the report, diff, undo and the
// judges.
type FolderChanges struct {
	List    []FolderChange // by path
	LeftOut []LeftOut
	// Unavailable is the reason why nothing can be compared, "" if it can.
	Unavailable string
}

// LeftOut is a path that is neither compared nor undone.
type LeftOut struct{ Path, Reason string }

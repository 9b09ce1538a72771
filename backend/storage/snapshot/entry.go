package snapshot

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"goalpost/backend/lib/fileio"
)

// Name is a path or the target of a link, byte for byte. In JSON it is a string, or an array of one base64 text if
// the bytes are not UTF-8.
type Name string

// MarshalJSON writes the name without loss.
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n)) //nolint:wrapcheck // of a string
	}
	return json.Marshal([][]byte{[]byte(n)}) //nolint:wrapcheck // of a string
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *Name) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var raw [][]byte
		if err := json.Unmarshal(b, &raw); err != nil || len(raw) != 1 {
			return fmt.Errorf("a name of a snapshot: %w", err)
		}
		*n = Name(raw[0])
		return nil
	}
	return json.Unmarshal(b, (*string)(n)) //nolint:wrapcheck // of a string
}

// Entry is a file, folder or link of a snapshot.
type Entry struct {
	Path    Name        `json:"p"` // relative, with slashes
	Mode    fs.FileMode `json:"o"`
	Size    int64       `json:"s,omitempty"` // of regular files, in bytes
	SHA256  string      `json:"h,omitempty"` // of regular files
	Target  Name        `json:"t,omitempty"` // of symlinks
	Kept    bool        `json:"k,omitempty"` // the content is in the pack
	Ignored bool        `json:"i,omitempty"` // by a .gitignore
	// Linked is the inode number of a regular file that has more than one name, 0 for others.
	Linked uint64 `json:"n,omitempty"`
	// LeftOut is the reason why the entry, with everything in it, is not part of the snapshot; "" if it is.
	LeftOut string `json:"l,omitempty"`
	// Stamp shows whether the hash can be reused. It is zero if the file had just been changed.
	Stamp stamp `json:"f,omitzero"`

	scanStamp stamp // like Stamp, but a scan always sets it
	info      fs.FileInfo
}

// stamp changes with a file's content, as far as the file system reports that.
type stamp struct {
	MTime int64  `json:"m"` // ns since 1970
	CTime int64  `json:"c"`
	Inode uint64 `json:"i"`
}

// stampAge is the age of a change at which a stamp is reliable: a second change within one tick of the file system's
// clock does not change the stamp.
const stampAge = 2 * time.Second

func stampOf(info fs.FileInfo) stamp {
	return stamp{MTime: info.ModTime().UnixNano(), CTime: fileio.ChangeTime(info), Inode: fileio.Inode(info)}
}

func (s stamp) isSettled(now time.Time) bool {
	return now.Sub(time.Unix(0, max(s.MTime, s.CTime))) > stampAge
}

// IsWork reports whether an entry that is left out could have been committed to git.
func (e *Entry) IsWork() bool {
	return !e.Ignored && !slices.Contains([]string{"", leftOutGit, leftOutGenerated, leftOutSpecial}, e.LeftOut)
}

// isFile reports whether the entry is a regular file.
func (e *Entry) isFile() bool { return e != nil && e.Mode.IsRegular() }

func (e *Entry) isDir() bool { return e != nil && e.Mode.IsDir() }

// equalEntries reports whether two entries have the same type, content, mode and target. nil means that there is no
// entry.
func equalEntries(a, b *Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Mode == b.Mode && a.Size == b.Size && a.SHA256 == b.SHA256 && a.Target == b.Target && a.LeftOut == b.LeftOut
}

// state is the folder at one moment, by path.
type state map[string]*Entry

// isLeftOut reports whether a path, or a folder above it, is not part of the state.
func (s state) isLeftOut(path string) bool {
	for i := 0; i <= len(path); i++ {
		if i == len(path) || path[i] == '/' {
			if e := s[path[:i]]; e != nil && e.LeftOut != "" {
				return true
			}
		}
	}
	return false
}

// Display returns a path as users see it: quoted if it has control characters or is not UTF-8.
func Display(path string) string {
	isOdd := func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }
	if path == "" || path[0] == '"' || strings.ContainsFunc(path, isOdd) {
		return fmt.Sprintf("%q", path)
	}
	return path
}

// permission returns the part of a mode that chmod sets.
func permission(m fs.FileMode) fs.FileMode {
	return m & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

func sameFile(a, b fs.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }

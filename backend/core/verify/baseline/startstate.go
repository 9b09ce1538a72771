package baseline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// maxBaselineBytes limits the text of a folder that is stored at the start, in bytes.
const maxBaselineBytes = 50 << 20

// startState is the state of a goal's folder at the start.
type startState struct {
	Entries []Entry             `json:"entries"`
	Rules   map[string][]string `json:"rules,omitempty"` // lines of .gitignore by folder
	More    bool                `json:"more,omitempty"`  // too large to compare
	TakenAt int64               `json:"taken_at"`        // ns since 1970

	private string
	byPath  map[string]*Entry
	rules   ignore.Rules
}

// recordStart records every file in the folder, and copies the text files.
func recordStart(ctx context.Context, o Options) (*startState, error) {
	dir, private := o.Dir, o.Private
	copies := filepath.Join(private, "copies")
	if err := os.MkdirAll(copies, 0o700); err != nil {
		return nil, fmt.Errorf("recording the folder: %w", text.StripPathError(err))
	}
	b := &startState{private: private, TakenAt: time.Now().UnixNano(), Rules: map[string][]string{}}
	free := int64(maxBaselineBytes)
	var sumErr error
	w := treeWalk{rules: ignore.Rules{}, lines: b.Rules, hidden: o.Hidden}
	w.sum = func(root *os.Root, name string, e *Entry) {
		text := hashFile(root, name, e)
		if text == nil || !fileio.IsText(text) || int64(len(text)) > free {
			return
		}
		free -= int64(len(text))
		path := filepath.Join(copies, e.SHA256)
		if _, err := os.Lstat(path); err != nil {
			if err := fileio.WriteFile(path, text, 0o600); err != nil {
				sumErr = err
				return
			}
		}
		e.Kept = true
	}
	if err := w.run(ctx, dir); err != nil {
		return nil, err
	}
	if sumErr != nil {
		return nil, sumErr
	}
	b.Entries, b.More = w.entries, w.more
	b.index()
	return b, fileio.WriteJSON(filepath.Join(private, "baseline.json"), b)
}

// openStart reads what recordStart stored.
func openStart(private string) (*startState, error) {
	b := &startState{private: private}
	if err := fileio.ReadJSON(filepath.Join(private, "baseline.json"), b); err != nil {
		return nil, err
	}
	b.index()
	return b, nil
}

func (s *startState) index() {
	s.rules, s.byPath = ignore.Rules{}, map[string]*Entry{}
	for folder, lines := range s.Rules {
		s.rules[folder] = ignore.ParseRules(lines)
	}
	for i := range s.Entries {
		s.byPath[s.Entries[i].Path] = &s.Entries[i]
	}
}

// content returns a file's content at the start; ok is false if it was not stored.
func (s *startState) content(e *Entry) (text []byte, ok bool) {
	if !e.Kept {
		return nil, false
	}
	text, err := os.ReadFile(filepath.Join(s.private, "copies", e.SHA256))
	if err != nil {
		return nil, false
	}
	return text, fileio.Hash(text) == e.SHA256
}

// hashFile sets the entry's SHA-256, unless the file is too long, and returns the file's content.
func hashFile(root *os.Root, name string, e *Entry) []byte {
	if e.Size > maxHashBytes {
		return nil
	}
	text, _, err := fileio.Read(root, name, maxHashBytes)
	if err != nil { // no permission, or it grew
		return nil
	}
	e.SHA256 = fileio.Hash(text)
	if text == nil {
		text = []byte{}
	}
	return text
}

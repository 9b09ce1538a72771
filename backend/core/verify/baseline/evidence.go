package baseline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// Limits of the files that a judge is shown.
const (
	maxEvidenceFiles = 100
	maxEvidenceBytes = 32 << 10 // of one file, in bytes
	maxNamedBytes    = 1 << 20  // of one that the question names
	maxSameName      = 3        // a name that more files share refers to none of them
)

// FileEvidence is a file of the goal's folder as a judge sees it.
type FileEvidence struct {
	Path   string
	Named  bool   // the question names it
	Change string // new, changed, removed; "" if unchanged since the start
	Size   int64
	Text   string // whole; "" if it is empty, removed, not text, or too long
	IsText bool   // Text is set
	// IsTooLong says that it has more than maxEvidenceBytes, or maxNamedBytes if it is named.
	IsTooLong bool
	Diff      string // from the start; "" if unchanged
}

// Evidence returns the files that a text names, then those that changed since the start, each group sorted by path.
func (ba *Baseline) Evidence(ctx context.Context, question string) ([]FileEvidence, error) {
	if ba == nil {
		return nil, nil
	}
	all, err := ba.changes(ctx)
	if err != nil {
		return nil, err
	}
	look, err := ba.scan(ctx, ba.maxFingerprinted)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(ba.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	changes := changedFiles(all)
	list := make([]goal.FolderChange, 0, len(changes))
	for _, e := range namedFiles(look.entries, question) {
		i := slices.IndexFunc(changes, func(c goal.FolderChange) bool { return c.Path == e.Path })
		if i < 0 {
			same := &goal.FolderEntry{Mode: e.Mode, Size: e.Size, SHA256: e.SHA256}
			list = append(list, goal.FolderChange{Path: e.Path, Was: same, Is: same})
			continue
		}
		list = append(list, changes[i])
		changes = slices.Delete(changes, i, i+1)
	}
	named := len(list)
	list = append(list, changes...)
	evidence := make([]FileEvidence, 0, min(len(list), maxEvidenceFiles))
	for i, c := range list[:min(len(list), maxEvidenceFiles)] {
		evidence = append(evidence, evidenceFor(root, c, i < named))
	}
	return evidence, nil
}

func evidenceFor(root *os.Root, c goal.FolderChange, named bool) FileEvidence {
	f := FileEvidence{Path: c.Path, Named: named}
	switch {
	case c.Was == nil:
		f.Change = "new"
	case c.Is == nil:
		f.Change = "removed"
	case c.Was != c.Is:
		f.Change = "changed"
	}
	if f.Change != "" {
		f.Diff = diffFile(root, c)
	}
	if c.Is == nil {
		return f
	}
	f.Size = c.Is.Size
	if c.Is.Mode.IsRegular() {
		limit := int64(maxEvidenceBytes)
		if named {
			limit = maxNamedBytes
		}
		text, _, err := fileio.Read(root, c.Path, limit)
		f.IsTooLong = errors.Is(err, fileio.ErrTooLong)
		if f.IsText = err == nil && fileio.IsText(text); f.IsText {
			f.Text, f.Size = string(text), int64(len(text))
		}
	}
	return f
}

// fileName matches words that may be paths.
var fileName = text.NewPattern(`[\pL\pN_.@%+=~/-]+`)

// namedFiles returns the regular files that a text names by their path, or by a name that few files share.
func namedFiles(entries []Entry, text string) []*Entry {
	words := map[string]bool{}
	for _, word := range fileName.FindAllString(text, -1) {
		for _, form := range []string{word, strings.TrimRight(word, ".-")} {
			words[path.Clean(form)] = true
		}
	}
	byName := map[string][]*Entry{}
	var list []*Entry
	for i := range entries {
		e := &entries[i]
		switch name := path.Base(e.Path); {
		case !e.Mode.IsRegular():
		case words[e.Path]:
			list = append(list, e)
		case words[name]:
			byName[name] = append(byName[name], e)
		}
	}
	for _, same := range byName {
		if len(same) <= maxSameName {
			list = append(list, same...)
		}
	}
	slices.SortFunc(list, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}

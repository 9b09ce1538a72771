package baseline

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// maxDiffBytes limits the diff of a folder, in bytes. It is more than a reviewer can read: one that is cut here cannot
// be confirmed.
const maxDiffBytes = 1 << 20

// change is a file that has changed; was or is is nil if it did not exist.
type change struct {
	path    string
	was, is *Entry
}

// notComparedPrefix describes a folder that is too large.
var notComparedPrefix = fmt.Sprintf("not compared: the folder holds more than %d entries", maxEntries)

// findChanges lists what differs from the start, sorted by path; folders do not count themselves. heaps is the text of
// generatedDirs. ok is false if the folder is too large to compare.
func (ba *Baseline) findChanges(ctx context.Context) (list []change, heaps string, ok bool, err error) {
	look, err := ba.scan(ctx, maxEntries)
	if err != nil {
		return nil, "", false, err
	}
	if look.more || ba.start.More {
		return nil, "", false, nil
	}
	present := map[string]bool{}
	for i := range look.entries {
		is := &look.entries[i]
		present[is.Path] = true
		was := ba.start.byPath[is.Path]
		if is.Mode.IsDir() || was != nil && isSameEntry(was, is) {
			continue
		}
		if was != nil && was.Mode.IsDir() {
			was = nil
		}
		list = append(list, change{is.Path, was, is})
	}
	for i := range ba.start.Entries {
		was := &ba.start.Entries[i]
		if !present[was.Path] && !was.Mode.IsDir() {
			list = append(list, change{was.Path, was, nil})
		}
	}
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return list, ba.generatedDirs(look), true, nil
}

// generatedDirs describes the ignored folders that hold more or fewer entries than at the start: "not compared:
// node_modules (812 entries, 0 at the start)".
func (ba *Baseline) generatedDirs(look *treeWalk) string {
	var list []string
	for _, is := range look.entries {
		if !is.Heap || slices.Contains([]string{".git", ".hg", ".svn", "__pycache__"}, path.Base(is.Path)) {
			continue
		}
		was := 0
		if e := ba.start.byPath[is.Path]; e != nil {
			was = e.Count
		}
		if is.Count != was {
			list = append(list, fmt.Sprintf("%s (%d entries, %d at the start)", text.SanitizeLine(is.Path, 100), is.Count, was))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "not compared: " + strings.Join(list, ", ")
}

func isSameEntry(was, is *Entry) bool {
	if was.Mode != is.Mode || was.Target != is.Target || was.Size != is.Size {
		return false
	}
	if was.SHA256 != "" && is.SHA256 != "" {
		return was.SHA256 == is.SHA256
	}
	return was.MTime == is.MTime && was.CTime == is.CTime
}

// Changed describes in a sentence what changed since the start, "" if nothing.
func (ba *Baseline) Changed(ctx context.Context) (string, error) {
	if ba == nil {
		return "", nil
	}
	list, heaps, ok, err := ba.findChanges(ctx)
	if err != nil {
		return "", err
	}
	if !ok {
		return notComparedPrefix, nil
	}
	names := map[string][]string{} // by what happened to them
	var withoutText, parts []string
	for _, c := range list {
		name := text.SanitizeLine(c.path, 200)
		if c.was != nil && c.was.Over {
			withoutText = append(withoutText, name)
		}
		verb := "Changed"
		if c.was == nil {
			verb = "Created"
		} else if c.is == nil {
			verb = "Removed"
		}
		names[verb] = append(names[verb], name)
	}
	for _, verb := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, verb+" "+strings.Join(firstTen(names[verb]), ", "))
	}
	if len(withoutText) > 0 {
		heaps = text.JoinClauses(
			fmt.Sprintf("not compared line by line, because at most %d MiB of the start are copied: %s",
				maxBaselineBytes>>20, strings.Join(firstTen(withoutText), ", ")), heaps)
	}
	return text.JoinClauses(strings.Join(parts, ". "), heaps), nil
}

// firstTen returns the first ten names, and how many more there are.
func firstTen(names []string) []string {
	const maxNames = 10
	if len(names) <= maxNames {
		return names
	}
	return append(names[:maxNames:maxNames], fmt.Sprintf("and %d more", len(names)-maxNames))
}

// ChangedFiles lists the files that were created, changed or removed since the start.
func (ba *Baseline) ChangedFiles(ctx context.Context) ([]string, error) {
	if ba == nil {
		return nil, nil
	}
	list, _, _, err := ba.findChanges(ctx)
	files := make([]string, 0, len(list))
	for _, c := range list {
		files = append(files, c.path)
	}
	return files, err
}

// Diff returns the changes since the start as a unified diff of at most maxDiffBytes bytes.
func (ba *Baseline) Diff(ctx context.Context) (string, error) {
	if ba == nil {
		return "", nil
	}
	list, heaps, ok, err := ba.findChanges(ctx)
	if err != nil {
		return "", err
	}
	if !ok {
		return notComparedPrefix + "\n", nil
	}
	root, err := os.OpenRoot(ba.dir)
	if err != nil {
		return "", fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	var b strings.Builder
	for i, c := range list {
		if b.Len() > maxDiffBytes {
			fmt.Fprintf(&b, "… %d more files are different\n", len(list)-i)
			break
		}
		b.WriteString(ba.diff(root, c))
	}
	if heaps != "" {
		b.WriteString(heaps + "\n")
	}
	return string(text.TruncateMiddle([]byte(b.String()), maxDiffBytes)), nil
}

// diff returns the changes in one file.
func (ba *Baseline) diff(root *os.Root, c change) string {
	var b strings.Builder
	if c.was != nil && c.is != nil && c.was.Mode != c.is.Mode {
		fmt.Fprintf(&b, "%s: mode %s, was %s\n", c.path, c.is.Mode, c.was.Mode)
		if c.was.SHA256 != "" && c.was.SHA256 == c.is.SHA256 {
			return b.String()
		}
	}
	was, wasText := ba.contentBefore(c.was)
	is, isText := contentAfter(root, c.is)
	if !wasText || !isText {
		why := "not text, or too long to show"
		if c.was != nil && c.was.Over {
			why = fmt.Sprintf("not compared line by line, because at most %d MiB of the start are copied",
				maxBaselineBytes>>20)
		}
		fmt.Fprintf(&b, "%s: %s (%s)\n", c.path, formatSizeChange(c), why)
		return b.String()
	}
	b.WriteString(UnifiedDiff(c.path, was, is, c.is == nil))
	if c.was == nil && len(is) == 0 {
		fmt.Fprintf(&b, "%s: new and empty\n", c.path)
	}
	return b.String()
}

func (ba *Baseline) contentBefore(e *Entry) ([]byte, bool) {
	switch {
	case e == nil:
		return nil, true
	case e.Target != "":
		return []byte("a link to " + e.Target + "\n"), true
	}
	return ba.start.content(e)
}

func contentAfter(root *os.Root, e *Entry) ([]byte, bool) {
	switch {
	case e == nil:
		return nil, true
	case e.Target != "":
		return []byte("a link to " + e.Target + "\n"), true
	case e.SHA256 == "":
		return nil, false
	}
	text, _, err := fileio.Read(root, e.Path, maxHashBytes)
	return text, err == nil && fileio.IsText(text)
}

func formatSizeChange(c change) string {
	switch {
	case c.was == nil:
		return fmt.Sprintf("created, %d bytes", c.is.Size)
	case c.is == nil:
		return fmt.Sprintf("removed, it had %d bytes", c.was.Size)
	}
	return fmt.Sprintf("changed, %d bytes, was %d", c.is.Size, c.was.Size)
}

// UnifiedDiff returns the differences between two texts. It shortens lines, because some files are one line of a
// megabyte.
func UnifiedDiff(name string, was, is []byte, isRemoved bool) string {
	to := name
	if isRemoved {
		to = "(removed)"
	}
	from := name
	if was == nil {
		from = "(new)"
	}
	lines := string(diff.Diff(from, was, to, is))
	_, lines, _ = strings.Cut(lines, "\n") // the next lines repeat "diff a b"
	const maxLine = 500
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(text.TruncateBytes(strings.TrimSuffix(line, "\n"), maxLine) + "\n")
	}
	return b.String()
}

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

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// maxDiffBytes limits the diff of a folder, in bytes. It is more than a reviewer can read: one that is cut here cannot
// be confirmed.
const maxDiffBytes = 1 << 20

// Source lists what differs from the start.
type Source interface {
	ChangesSinceStart(ctx context.Context) (goal.FolderChanges, error)
}

// changes lists what differs from the start. Without a source there are no changes.
func (ba *Baseline) changes(ctx context.Context) (goal.FolderChanges, error) {
	if ba == nil || ba.Source == nil {
		return goal.FolderChanges{}, nil
	}
	return ba.Source.ChangesSinceStart(ctx)
}

// describeLeftOut describes what is not compared: "not compared: node_modules (filled by programs)".
func describeLeftOut(list []goal.LeftOut) string {
	var parts []string
	for _, l := range list {
		if !slices.Contains([]string{".git", ".hg", ".svn", "__pycache__"}, path.Base(l.Path)) {
			parts = append(parts, fmt.Sprintf("%s (%s)", text.SanitizeLine(l.Path, 100), l.Reason))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "not compared: " + strings.Join(firstTen(parts), ", ")
}

// Changed describes in a sentence what changed since the start, "" if nothing.
func (ba *Baseline) Changed(ctx context.Context) (string, error) {
	c, err := ba.changes(ctx)
	if err != nil {
		return "", err
	}
	if c.Unavailable != "" {
		return "not compared: " + c.Unavailable, nil
	}
	names := map[string][]string{} // by what happened to them
	ignored := 0
	for _, one := range c.List {
		if one.IsIgnored {
			ignored++
			continue
		}
		verb := "Changed"
		if one.Was == nil {
			verb = "Created"
		} else if one.Is == nil {
			verb = "Removed"
		}
		names[verb] = append(names[verb], text.SanitizeLine(one.Path, 200))
	}
	var parts []string
	for _, verb := range slices.Sorted(maps.Keys(names)) {
		parts = append(parts, verb+" "+strings.Join(firstTen(names[verb]), ", "))
	}
	more := describeLeftOut(c.LeftOut)
	if ignored > 0 {
		more = text.JoinClauses(goal.FormatCount(ignored, "ignored file")+" changed", more)
	}
	return text.JoinClauses(strings.Join(parts, ". "), more), nil
}

// firstTen returns the first ten names, and how many more there are.
func firstTen(names []string) []string {
	const maxNames = 10
	if len(names) <= maxNames {
		return names
	}
	return append(names[:maxNames:maxNames], fmt.Sprintf("and %d more", len(names)-maxNames))
}

// changedFiles returns the changed files that are not ignored: those that can be the agent's work.
func changedFiles(c goal.FolderChanges) []goal.FolderChange {
	return slices.DeleteFunc(c.List, func(one goal.FolderChange) bool {
		return one.IsIgnored || (one.Was == nil || one.Was.Mode.IsDir()) && (one.Is == nil || one.Is.Mode.IsDir())
	})
}

// ChangedFiles lists the files that were created, changed or removed since the start.
func (ba *Baseline) ChangedFiles(ctx context.Context) ([]string, error) {
	c, err := ba.changes(ctx)
	var files []string
	for _, one := range changedFiles(c) {
		files = append(files, one.Path)
	}
	return files, err
}

// Diff returns the changes since the start as a unified diff of at most maxDiffBytes bytes.
func (ba *Baseline) Diff(ctx context.Context) (string, error) {
	c, err := ba.changes(ctx)
	if err != nil || ba == nil {
		return "", err
	}
	if c.Unavailable != "" {
		return "not compared: " + c.Unavailable + "\n", nil
	}
	root, err := os.OpenRoot(ba.dir)
	if err != nil {
		return "", fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	var b strings.Builder
	files := changedFiles(c)
	for i, one := range files {
		if b.Len() > maxDiffBytes {
			fmt.Fprintf(&b, "… %d more files are different\n", len(files)-i)
			break
		}
		b.WriteString(diffFile(root, one))
	}
	if left := describeLeftOut(c.LeftOut); left != "" {
		b.WriteString(left + "\n")
	}
	return string(text.TruncateMiddle([]byte(b.String()), maxDiffBytes)), nil
}

// diffFile returns the changes in one file.
func diffFile(root *os.Root, c goal.FolderChange) string {
	var b strings.Builder
	if c.Was != nil && c.Is != nil && c.Was.Mode != c.Is.Mode {
		fmt.Fprintf(&b, "%s: mode %s, was %s\n", c.Path, c.Is.Mode, c.Was.Mode)
		if c.Was.SHA256 != "" && c.Was.SHA256 == c.Is.SHA256 {
			return b.String()
		}
	}
	was, wasText := contentBefore(c)
	is, isText := contentAfter(root, c)
	if !wasText || !isText {
		fmt.Fprintf(&b, "%s: %s (not text, or too long to show)\n", c.Path, formatSizeChange(c))
		return b.String()
	}
	b.WriteString(UnifiedDiff(c.Path, was, is, c.Is == nil))
	if c.Was == nil && len(is) == 0 {
		fmt.Fprintf(&b, "%s: new and empty\n", c.Path)
	}
	return b.String()
}

func contentBefore(c goal.FolderChange) ([]byte, bool) {
	switch {
	case c.Was == nil || c.Was.Mode.IsDir():
		return nil, true
	case c.Was.Target != "":
		return []byte("a link to " + c.Was.Target + "\n"), true
	}
	content, err := c.ReadStart()
	if content == nil {
		content = []byte{} // UnifiedDiff takes nil for a new file
	}
	return content, err == nil && fileio.IsText(content)
}

func contentAfter(root *os.Root, c goal.FolderChange) ([]byte, bool) {
	switch {
	case c.Is == nil || c.Is.Mode.IsDir():
		return nil, true
	case c.Is.Target != "":
		return []byte("a link to " + c.Is.Target + "\n"), true
	case c.Is.SHA256 == "":
		return nil, false
	}
	content, _, err := fileio.Read(root, c.Path, maxHashBytes)
	return content, err == nil && fileio.IsText(content)
}

func formatSizeChange(c goal.FolderChange) string {
	switch {
	case c.Was == nil:
		return fmt.Sprintf("created, %d bytes", c.Is.Size)
	case c.Is == nil:
		return fmt.Sprintf("removed, it had %d bytes", c.Was.Size)
	}
	return fmt.Sprintf("changed, %d bytes, was %d", c.Is.Size, c.Was.Size)
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

package verify

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// diffMax is how long the diff of a folder may become, in bytes.
const diffMax = 256 << 10

// change is one file that is not what it was; was or is is nil where it was not there.
type change struct {
	path    string
	was, is *entry
}

// notCompared is what is said of a folder that is too large.
var notCompared = fmt.Sprintf("not compared: the folder holds more than %d entries", walkMax)

// changes lists what differs from the start, in order of paths; folders do not
// count by themselves. ok is false when there is too much to be compared.
func (w *World) changes(ctx context.Context) (list []change, ok bool, err error) {
	look, err := w.now(ctx)
	if err != nil {
		return nil, false, err
	}
	if look.more || w.base.More {
		return nil, false, nil
	}
	here := map[string]bool{}
	for i := range look.entries {
		is := &look.entries[i]
		here[is.Path] = true
		was := w.base.byPath[is.Path]
		if is.Mode.IsDir() || was != nil && same(was, is) {
			continue
		}
		if was != nil && was.Mode.IsDir() {
			was = nil
		}
		list = append(list, change{is.Path, was, is})
	}
	for i := range w.base.Entries {
		was := &w.base.Entries[i]
		if !here[was.Path] && !was.Mode.IsDir() {
			list = append(list, change{was.Path, was, nil})
		}
	}
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.path, b.path) })
	return list, true, nil
}

func same(was, is *entry) bool {
	if was.Mode != is.Mode || was.Target != is.Target || was.Size != is.Size {
		return false
	}
	if was.SHA256 != "" && is.SHA256 != "" {
		return was.SHA256 == is.SHA256
	}
	return was.MTime == is.MTime && was.CTime == is.CTime
}

// Changed says in a sentence what is different since the start, "" if nothing.
func (w *World) Changed(ctx context.Context) (string, error) {
	if w == nil {
		return "", nil
	}
	list, ok, err := w.changes(ctx)
	if err != nil {
		return "", err
	}
	if !ok {
		return notCompared, nil
	}
	var changed, fresh, gone int
	var names []string
	for _, c := range list {
		name := brief(c.path, 200)
		switch {
		case c.was == nil:
			fresh++
			name += " (new)"
		case c.is == nil:
			gone++
			name += " (removed)"
		default:
			changed++
		}
		names = append(names, name)
	}
	return sentence(changed, fresh, gone, names), nil
}

// sentence is "2 files changed, 1 new, 1 removed: a, b, c (new), d (removed)".
func sentence(changed, fresh, gone int, names []string) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{changed, "changed"}, {fresh, "new"}, {gone, "removed"}} {
		if p.n == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", p.n, p.word)
		if len(parts) == 0 {
			part = fmt.Sprintf("%d file%s %s", p.n, plural(p.n), p.word)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(parts, ", ") + ": " + strings.Join(names, ", ")
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// Diff is what changed since the start in the unified form, at most diffMax
// bytes of it.
func (w *World) Diff(ctx context.Context) (string, error) {
	if w == nil {
		return "", nil
	}
	list, ok, err := w.changes(ctx)
	if err != nil {
		return "", err
	}
	if !ok {
		return notCompared + "\n", nil
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return "", fmt.Errorf("the goal's folder: %w", plain(err))
	}
	defer func() { _ = root.Close() }()
	var b strings.Builder
	for i, c := range list {
		if b.Len() > diffMax {
			fmt.Fprintf(&b, "… %d more files are different\n", len(list)-i)
			break
		}
		b.WriteString(w.diff(root, c))
	}
	return string(cut([]byte(b.String()), diffMax)), nil
}

// diff is what changed in one file.
func (w *World) diff(root *os.Root, c change) string {
	var b strings.Builder
	if c.was != nil && c.is != nil && c.was.Mode != c.is.Mode {
		fmt.Fprintf(&b, "%s: mode %s, was %s\n", c.path, c.is.Mode, c.was.Mode)
		if c.was.SHA256 != "" && c.was.SHA256 == c.is.SHA256 {
			return b.String()
		}
	}
	was, wasText := w.before(c.was)
	is, isText := after(root, c.is)
	if !wasText || !isText {
		fmt.Fprintf(&b, "%s: %s (not text, or too long to be shown)\n", c.path, sizes(c))
		return b.String()
	}
	b.WriteString(unified(c.path, was, is, c.is == nil))
	if c.was == nil && len(is) == 0 {
		fmt.Fprintf(&b, "%s: new and empty\n", c.path)
	}
	return b.String()
}

func (w *World) before(e *entry) ([]byte, bool) {
	switch {
	case e == nil:
		return nil, true
	case e.Target != "":
		return []byte("a link to " + e.Target + "\n"), true
	}
	return w.base.text(e)
}

func after(root *os.Root, e *entry) ([]byte, bool) {
	switch {
	case e == nil:
		return nil, true
	case e.Target != "":
		return []byte("a link to " + e.Target + "\n"), true
	case e.SHA256 == "":
		return nil, false
	}
	text, _, err := read(root, e.Path, hashMax)
	return text, err == nil && isText(text)
}

func sizes(c change) string {
	switch {
	case c.was == nil:
		return fmt.Sprintf("new, %d bytes", c.is.Size)
	case c.is == nil:
		return fmt.Sprintf("removed, it had %d bytes", c.was.Size)
	}
	return fmt.Sprintf("changed, %d bytes, was %d", c.is.Size, c.was.Size)
}

// unified is the difference of two texts. Lines are shortened: some files are
// one line of a megabyte.
func unified(name string, was, is []byte, gone bool) string {
	to := name
	if gone {
		to = "(removed)"
	}
	from := name
	if was == nil {
		from = "(new)"
	}
	text := string(diff.Diff(from, was, to, is))
	_, text, _ = strings.Cut(text, "\n") // "diff a b" says nothing that the next lines do not
	const most = 500
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) > most {
			line = strings.ToValidUTF8(line[:most], "") + "…\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

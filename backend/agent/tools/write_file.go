package tools

import (
	"context"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type writeFileArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeFile(r Deps) (Tool, error) {
	t, err := defineTool("write_file", func(_ context.Context, a writeFileArgs) (policy.Effect, error) {
		return r.folder.writeEffect(a.Path)
	}, func(_ context.Context, a writeFileArgs) goal.Result {
		return okUnless(r.folder.write(a.Path, []byte(a.Content)), "wrote %s, %s", a.Path,
			goal.FormatCount(len(a.Content), "byte"))
	})
	return withPreview(t, err, func(_ context.Context, a writeFileArgs) string {
		return showWrite(r.folder, a.Path, a.Content)
	})
}

// showWrite returns what writing a file would change, as a diff.
func showWrite(f folder, path, content string) string {
	before, err := f.read(path)
	if err != nil { // a new file, or one that cannot be shown
		return "+++ " + path + "\n" + formatChange("", content)
	}
	return "--- " + path + "\n" + unifiedDiff(string(before), content)
}

// unifiedDiff returns the hunks of a diff of two texts, "" if they are equal.
func unifiedDiff(before, after string) string {
	text := string(diff.Diff("a", []byte(before), "b", []byte(after)))
	if at := strings.Index(text, "@@ "); at >= 0 { // without the file names
		text = text[at:]
	}
	return strings.TrimSuffix(text, "\n")
}

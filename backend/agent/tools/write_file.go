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
		before, err := r.folder.read(a.Path)
		if err != nil { // a new file, or one that cannot be shown
			return "+++ " + a.Path + "\n" + formatChange("", a.Content)
		}
		return "--- " + a.Path + "\n" + unifiedDiff(string(before), a.Content)
	})
}

// unifiedDiff returns the hunks of a diff of two texts, "" if they are equal.
func unifiedDiff(before, after string) string {
	text := string(diff.Diff("a", []byte(before), "b", []byte(after)))
	if at := strings.Index(text, "@@ "); at >= 0 { // without the file names
		text = text[at:]
	}
	return strings.TrimSuffix(text, "\n")
}

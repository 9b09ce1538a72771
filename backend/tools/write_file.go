package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"file to write, relative to your folder"`
	Content string `json:"content" jsonschema:"the whole new content"`
}

func (f folder) writeFile() (Tool, error) {
	t, err := define("write_file", func(_ context.Context, a writeFileArgs) (policy.Effect, error) { return f.writeEffect(a.Path) },
		func(_ context.Context, a writeFileArgs) goal.Result {
			if err := f.write(a.Path, []byte(a.Content)); err != nil {
				return failed("%s", err)
			}
			return ok("wrote %s, %s", a.Path, goal.FormatCount(len(a.Content), "byte"))
		})
	return withPreview(t, err, func(_ context.Context, a writeFileArgs) string {
		before, err := f.read(a.Path)
		if err != nil { // it is new, or cannot be shown
			return "+++ " + a.Path + "\n" + formatChange("", a.Content)
		}
		return "--- " + a.Path + "\n" + unifiedDiff(string(before), a.Content)
	})
}

// contextLines is the number of unchanged lines that a diff shows on each side.
const contextLines = 2

// unifiedDiff shows the lines that differ between two texts with some context, as a diff with one hunk.
func unifiedDiff(before, after string) string {
	old, text := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	from := 0
	for from < len(old) && from < len(text) && old[from] == text[from] {
		from++
	}
	same := 0
	for same < len(old)-from && same < len(text)-from && old[len(old)-1-same] == text[len(text)-1-same] {
		same++
	}
	list := []string{fmt.Sprintf("@@ line %d @@", from+1)}
	add := func(s string) {
		if s != "" {
			list = append(list, s)
		}
	}
	add(prefixLines(" ", strings.Join(old[max(0, from-contextLines):from], "")))
	add(formatChange(strings.Join(old[from:len(old)-same], ""), strings.Join(text[from:len(text)-same], "")))
	add(prefixLines(" ", strings.Join(old[len(old)-same:min(len(old), len(old)-same+contextLines)], "")))
	return strings.Join(list, "\n")
}

package tools

import (
	"bytes"
	"context"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"goalpost/backend/agent/tools/textfile"
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
	}, func(_ context.Context, a writeFileArgs) goal.Result { return r.folder.doWriteFile(a) })
	return withPreview(t, err, func(_ context.Context, a writeFileArgs) string {
		return showWrite(r.folder, a.Path, a.Content)
	})
}

// doWriteFile keeps the encoding and the line ends of a text file that exists.
func (f folder) doWriteFile(a writeFileArgs) goal.Result {
	content, kept := []byte(a.Content), ""
	if before, err := f.read(a.Path); err == nil {
		if file, err := textfile.Parse(before); err == nil {
			if content, err = file.Encode(a.Content); err != nil {
				return failedResult("%s", err)
			}
			if !bytes.Equal(content, []byte(a.Content)) {
				kept = ", as before " + file.Describe()
			}
		}
	}
	return okUnless(f.write(a.Path, content), "wrote %s, %s%s", a.Path, goal.FormatCount(len(content), "byte"), kept)
}

// showWrite returns what writing a file would change, as a diff.
func showWrite(f folder, path, content string) string {
	before, err := f.read(path)
	if err != nil { // a new file, or one that cannot be shown
		return "+++ " + path + "\n" + formatChange("", content)
	}
	file, err := textfile.Parse(before)
	if err != nil {
		return "+++ " + path + "\n" + formatChange("", content)
	}
	return "--- " + path + "\n" + unifiedDiff(file.Text, toLF(content))
}

// unifiedDiff returns the hunks of a diff of two texts, "" if they are equal.
func unifiedDiff(before, after string) string {
	text := string(diff.Diff("a", []byte(before), "b", []byte(after)))
	if at := strings.Index(text, "@@ "); at >= 0 { // without the file names
		text = text[at:]
	}
	return strings.TrimSuffix(text, "\n")
}

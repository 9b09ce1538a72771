package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/agent/tools/textfile"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type editFileArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

func editFile(r Deps) (Tool, error) {
	t, err := defineTool("edit_file", func(_ context.Context, a editFileArgs) (policy.Effect, error) {
		return r.folder.writeEffect(a.Path)
	}, r.folder.doEditFile)
	return withPreview(t, err, func(_ context.Context, a editFileArgs) string {
		return "--- " + a.Path + "\n" + formatChange(a.Old, a.New)
	})
}

func (f folder) doEditFile(_ context.Context, a editFileArgs) goal.Result {
	b, err := f.read(a.Path)
	if err != nil {
		return failedResult("%s", err)
	}
	file, err := textfile.Parse(b)
	if err != nil {
		return failedResult("%s cannot be edited: %s", a.Path, err)
	}
	text, old, replacement := file.Text, toLF(a.Old), toLF(a.New)
	switch n := strings.Count(text, old); {
	case old == "":
		return failedResult("old is empty; give the exact text to replace, or use write_file for a new file")
	case old == replacement:
		return failedResult("old and new are the same; nothing to change. To change line ends, use a command (sed)")
	case n == 0:
		return failedResult("the text does not occur in %s as given%s", a.Path, closestMatch(text, old))
	case n > 1:
		return failedResult(
			"the text occurs %d times in %s, at lines %s; include more of the surrounding text so that it is unique", n, a.Path,
			matchLines(text, old))
	}
	at := strings.Index(text, old)
	changed, err := file.Replace(at, at+len(old), replacement)
	if err == nil {
		err = f.write(a.Path, changed)
	}
	if err != nil {
		return failedResult("%s", err)
	}
	after := text[:at] + replacement + text[at+len(old):]
	line := 1 + strings.Count(text[:at], "\n")
	return okResult("changed %s at line %d\n%s", a.Path, line,
		wrapOutside("the change of "+a.Path, unifiedDiff(text, after)))
}

// toLF makes the line ends of an argument those of the text that read_file shows.
func toLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// closestMatch looks for the text with different white space, the most frequent mistake of models, and describes what
// it finds.
func closestMatch(text, old string) string {
	const hint = "; read_file shows it exactly (spaces and tabs count)"
	want, lines := stripSpace(strings.Split(strings.Trim(old, "\n"), "\n")), strings.Split(text, "\n")
	have := stripSpace(lines)
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.Equal(have[i:i+len(want)], want) && strings.Join(want, "") != "" {
			return fmt.Sprintf(", but at line %d it does with different white space:\n%s", i+1,
				wrapOutside("the lines", strings.Join(lines[i:i+len(want)], "\n")))
		}
	}
	return hint
}

func stripSpace(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.Join(strings.Fields(l), " ")
	}
	return out
}

// matchLines lists the first few lines at which the text begins.
func matchLines(text, old string) string {
	const maxLines = 8
	var list []string
	for at := 0; len(list) < maxLines; {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return strings.Join(list, ", ")
		}
		list = append(list, strconv.Itoa(1+strings.Count(text[:at+i], "\n")))
		at += i + len(old)
	}
	return strings.Join(list, ", ") + ", …"
}

// formatChange returns the replaced and the new lines as in a diff.
func formatChange(old, text string) string {
	return strings.Trim(prefixLines("-", old)+"\n"+prefixLines("+", text), "\n")
}

// prefixLines puts a mark before each line.
func prefixLines(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+mark)
}

package tools

import (
	"context"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type editFileArgs struct {
	Path string `json:"path" jsonschema:"file to change, relative to your folder"`
	Old  string `json:"old" jsonschema:"the exact text to replace; it must stand in the file exactly once"`
	New  string `json:"new" jsonschema:"the text to put there"`
}

func (f folder) editFile() (Tool, error) {
	t, err := define("edit_file", func(_ context.Context, a editFileArgs) (policy.Effect, error) { return f.writes(a.Path) }, f.doEditFile)
	return showing(t, err, func(_ context.Context, a editFileArgs) string { return "--- " + a.Path + "\n" + change(a.Old, a.New) })
}

func (f folder) doEditFile(_ context.Context, a editFileArgs) goal.Result {
	b, err := f.read(a.Path)
	if err != nil {
		return failed("%s", err)
	}
	text := string(b)
	switch n := strings.Count(text, a.Old); {
	case a.Old == "":
		return failed("old is empty; give the exact text to replace, or use write_file for a new file")
	case a.Old == a.New:
		return failed("old and new are the same; nothing to change")
	case n == 0:
		return failed("the text does not stand in %s as given; read_file shows it exactly (spaces and tabs count)", a.Path)
	case n > 1:
		return failed("the text stands %d times in %s; give more of what is around it so that it is unique", n, a.Path)
	}
	at := strings.Index(text, a.Old)
	if err := f.write(a.Path, []byte(text[:at]+a.New+text[at+len(a.Old):])); err != nil {
		return failed("%s", err)
	}
	line := 1 + strings.Count(text[:at], "\n")
	return ok("changed %s at line %d\n%s", a.Path, line, change(a.Old, a.New))
}

// change shows the replaced and the new lines as a diff does.
func change(old, text string) string {
	var b strings.Builder
	for _, part := range []struct{ mark, text string }{{"-", old}, {"+", text}} {
		if part.text == "" {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(part.text, "\n"), "\n") {
			b.WriteString(part.mark + line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

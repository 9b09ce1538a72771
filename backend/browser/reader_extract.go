package browser

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// Read returns the text of the page as Markdown, at most 16,000 characters of it.
func (rd *reader) Read(ctx context.Context, r pane.ReadOptions) (pane.PageText, error) {
	var out struct {
		Text        string
		Next, Total int
	}
	lacks := ""
	err := rd.turns.withReadTurn(ctx, "reading the page", func(ctx context.Context, pg *page) (err error) {
		lacks, err = rd.readUnfinished(pg, func() error {
			_, _ = pg.injectClosedRoots(ctx)
			_, err := rd.targets.callOnTarget(ctx, pg, &out, "readPage", r.Target, r.Tables, r.Whole, max(r.From, 0), 16000)
			return err
		})
		return err
	})
	if err != nil {
		return pane.PageText{}, err
	}
	text := sanitizeLines(out.Text)
	switch {
	case out.Total == 0 && r.Tables:
		text = "there is no table here"
	case out.Total == 0:
		text = "there is nothing to read here"
	case out.Text == "":
		text = fmt.Sprintf("there is nothing from %d on: the text has %d characters", r.From, out.Total)
	}
	if n := rd.frames.countRemote(); n > 0 && r.Target == "" && out.Next == 0 {
		text += fmt.Sprintf("\n\n(%d frames of other sites are not in this text: browser_snapshot tells of them; target "+
			"with a ref in one reads it)", n)
	}
	if lacks != "" {
		text += fmt.Sprintf("\n\n(%s)", lacks)
	}
	return pane.PageText{Text: text, Next: out.Next, Total: out.Total}, nil
}

// sanitizeLines sanitizes a text of several lines and keeps its lines and their indentation.
func sanitizeLines(text string) string {
	list := strings.Split(text, "\n")
	for i, line := range list {
		bare := strings.TrimLeft(line, " ")
		list[i] = line[:len(line)-len(bare)] + sanitize.Line(bare, 1<<20)
	}
	return strings.Join(list, "\n")
}

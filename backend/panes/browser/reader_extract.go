package browser

import (
	"context"
	"fmt"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// Read returns the text of the page as Markdown, at most 16,000 characters of it.
func (re *Reader) Read(ctx context.Context, r pane.ReadOptions) (pane.PageText, error) {
	var out struct {
		Text        string
		Next, Total int
	}
	lacks := ""
	err := re.turns.withReadTurn(ctx, "reading the page", func(ctx context.Context, pg *page) (err error) {
		lacks, err = re.readUnfinished(pg, func() error {
			_, _ = pg.injectClosedRoots(ctx)
			_, err := re.targets.callOnTarget(ctx, pg, &out, "readPage", r.Target, r.Tables, r.Whole, max(r.From, 0), 16000)
			return err
		})
		return err
	})
	if err != nil {
		return pane.PageText{}, err
	}
	content := text.SanitizeLines(out.Text, 1<<20)
	switch {
	case out.Total == 0 && r.Tables:
		content = "this part of the page has no table"
	case out.Total == 0:
		content = "this part of the page has no text"
	case out.Text == "":
		content = fmt.Sprintf("there is nothing from %d on: the text has %d characters", r.From, out.Total)
	}
	if n := re.frames.countRemote(); n > 0 && r.Target == "" && out.Next == 0 {
		content += fmt.Sprintf("\n\n(%d frames of other sites are not in this text: browser_snapshot shows them; target "+
			"with a ref in one reads it)", n)
	}
	if lacks != "" {
		content += fmt.Sprintf("\n\n(%s)", lacks)
	}
	return pane.PageText{Text: content, Next: out.Next, Total: out.Total}, nil
}

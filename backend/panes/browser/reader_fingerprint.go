package browser

import (
	"context"
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// refPattern matches the ref before a line of the page; it changes with a reload.
var refPattern = text.NewPattern(`^\s*e\d+ `)

// Fingerprint returns the page as text for comparisons: it stays the same as long as the page has
// the same content, wherever it is scrolled to. It neither answers nor closes prompts.
func (re *Reader) Fingerprint(ctx context.Context) (string, error) {
	var view pageView
	err := re.turns.withDialogTurn(ctx, "reading the page", func(ctx context.Context, pg *page) (err error) {
		view, err = re.readPage(ctx, pg)
		return err
	})
	lines := slices.Concat(view.VisibleLines, view.OtherLines)
	for i, line := range lines {
		lines[i] = refPattern.ReplaceAllString(line, "")
	}
	slices.Sort(lines)
	return view.Title + "\n" + strings.Join(lines, "\n"), err
}

package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// FindElements finds what matches a text, a role and a selector: one line each, as in a snapshot,
// with a ref and the position in the viewport; at most 50.
func (re *Reader) FindElements(ctx context.Context, s pane.FindOptions) (string, error) {
	if strings.TrimSpace(s.Text+s.Role+s.CSS) == "" {
		return "", errors.New("finding elements: name a text, a role or a selector")
	}
	if s.Attributes == nil {
		s.Attributes = []string{}
	}
	var found foundElements
	hasSilentFrame, lacks := false, ""
	err := re.turns.withReadTurn(ctx, "finding elements", func(ctx context.Context, pg *page) (err error) {
		lacks, err = re.readUnfinished(pg, func() (err error) {
			found, hasSilentFrame, err = re.findElements(ctx, pg, s)
			return err
		})
		return err
	})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, line := range found.Lines {
		if line = text.SanitizeLine(line, 4000); b.Len()+len(line) > maxSnapshotBytes {
			found.Lines = found.Lines[:i]
			break
		}
		b.WriteString(line + "\n")
	}
	switch {
	case found.Count == 0:
		b.WriteString("nothing on the page matches\n")
	case found.Count > len(found.Lines):
		fmt.Fprintf(&b, "%d elements match; these are the first %d: narrow the search\n", found.Count, len(found.Lines))
	}
	if hasSilentFrame {
		fmt.Fprintf(&b, "(%s)\n", unresponsiveFrameText)
	}
	if lacks != "" {
		fmt.Fprintf(&b, "(%s)\n", lacks)
	}
	return b.String(), nil
}

// foundElements are the matches, one line each, and how many there are in all.
type foundElements struct {
	Lines []string
	Count int
}

// findElements searches the page and its frames, and reports whether a frame did not answer.
func (re *Reader) findElements(
	ctx context.Context, pg *page, s pane.FindOptions,
) (found foundElements, hasSilentFrame bool, err error) {
	for _, view := range re.frames.inOrder(pg) {
		var one foundElements
		_, _ = view.injectClosedRoots(ctx)
		err := view.callScript(ctx, &one, "searchPage", s.Text, s.Role, s.CSS, s.Attributes)
		switch {
		case err == nil:
			found.Lines, found.Count = append(found.Lines, one.Lines...), found.Count+one.Count
		case view == pg:
			return found, hasSilentFrame, err
		}
		hasSilentFrame = hasSilentFrame || view.isUnresponsive(err)
	}
	re.targets.rememberRefs(found.Lines)
	return found, hasSilentFrame, nil
}

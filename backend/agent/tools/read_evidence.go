package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
)

type readEvidenceArgs struct {
	Handle string `json:"handle"`
	Cursor int64  `json:"cursor,omitempty"`
}

func readEvidence(Deps) (Tool, error) {
	return defineControl("read_evidence", func(a readEvidenceArgs) error {
		if isBlank(a.Handle) {
			return errors.New("the handle is empty; give one that the host named, such as step:12")
		}
		return nil
	}, func(ctx context.Context, run goal.RunControl, a readEvidenceArgs) goal.Result {
		page, err := run.Evidence(ctx, a.Handle, a.Cursor)
		if err != nil {
			return failedResult("%s", err)
		}
		return readPage(a.Handle, page)
	})
}

// readPage returns a page without truncating it again.
func readPage(handle string, p goal.TextPage) goal.Result {
	r := okResult("%s", wrapOutside(handle, p.Content))
	r.More, r.Budget = &goal.Continuation{Has: p.HasMore, Next: p.NextCursor, Total: p.TotalBytes}, 2*len(r.Text)
	return r
}

package tools

import (
	"context"
	"encoding/json"
	"errors"

	"goalpost/backend/goal"
)

type readEvidenceArgs struct {
	Handle string `json:"handle" jsonschema:"what to read, as the host named it, such as step:12 or check:1@3"`
	Cursor int64  `json:"cursor,omitempty" jsonschema:"where to read on: the next_cursor of the last page. The beginning if left out"`
}

func readEvidence() (Tool, error) {
	return defineControl("read_evidence", func(a readEvidenceArgs) error {
		if blank(a.Handle) {
			return errors.New("the handle is empty; give one that the host named, such as step:12")
		}
		return nil
	}, func(ctx context.Context, run goal.Control, a readEvidenceArgs) goal.Result {
		page, err := run.Evidence(ctx, a.Handle, a.Cursor)
		if err != nil {
			return failed("%s", err)
		}
		return readPage(a.Handle, page)
	})
}

// readPage puts the page's numbers before its content, not around it: inside a
// JSON string the content would grow, and be cut again on its way to the model.
func readPage(handle string, p goal.Page) goal.Result {
	head, err := json.Marshal(struct {
		HasMore    bool  `json:"has_more"`
		NextCursor int64 `json:"next_cursor"`
		TotalBytes int64 `json:"total_bytes"`
	}{p.HasMore, p.NextCursor, p.TotalBytes})
	if err != nil {
		return failed("the page of %s: %s", handle, err)
	}
	return ok("%s\n%s", head, outside(handle, p.Content))
}

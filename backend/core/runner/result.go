package runner

import (
	"fmt"
	"strings"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// truncateResult cuts the middle out of a result of more than limit bytes and says how to read it. A result that names
// where it continues may have MaxResult bytes, because a cut would make that position wrong.
func truncateResult(r *goal.Result, step, limit int) (cut bool) {
	s := text.ToUTF8(r.Text)
	if r.More != nil {
		limit = conversation.MaxResult
	}
	if r.Budget > 0 {
		limit = min(limit, r.Budget)
	}
	if r.Text = s; len(s) <= limit {
		return false
	}
	half := limit / 2
	head, tail := strings.ToValidUTF8(s[:half], ""), strings.ToValidUTF8(s[len(s)-half:], "")
	r.Text = fmt.Sprintf(
		"%s\n… %d bytes left out: read_evidence with the handle \"step:%d\" and the cursor %d continues here …\n%s", head,
		len(s)-2*half, step, half, tail)
	return true
}

package runner

import (
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/runner/conversation"
)

// truncateResult cuts the middle out of a result of more than most bytes and says how to read it. A result that names
// where it continues may have MaxResult bytes: a cut would make that place wrong.
func truncateResult(r *goal.Result, step, most int) (cut bool) {
	s := strings.ToValidUTF8(r.Text, "\uFFFD")
	if r.More != nil {
		most = conversation.MaxResult
	}
	if r.Budget > 0 {
		most = min(most, r.Budget)
	}
	if r.Text = s; len(s) <= most {
		return false
	}
	half := most / 2
	head, tail := strings.ToValidUTF8(s[:half], ""), strings.ToValidUTF8(s[len(s)-half:], "")
	r.Text = fmt.Sprintf(
		"%s\n… %d bytes left out: read_evidence with the handle \"step:%d\" and the cursor %d continues here …\n%s", head,
		len(s)-2*half, step, half, tail)
	return true
}

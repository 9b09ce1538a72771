package conversation

import (
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Beginnings of excerpts, and the bytes of one.
const (
	agentExcerpt  = "you said: "
	failedExcerpt = "failed: "
	hostExcerpt   = "the host said: "
	stepExcerpt   = "step "

	maxAgentExcerpt  = 1000
	maxFailedExcerpt = 500
	maxStepExcerpt   = 240
	maxArguments     = 120
)

// Excerpts returns what the given messages say, one line each, in at most the given bytes: what the agent said, both
// ends of each result, and why calls failed. It stands for a summary where no model wrote one. What an earlier
// summary says stays in front.
func Excerpts(old []goal.Message, bytes int) string {
	var lines []string
	calls := map[string]goal.Call{}
	for _, m := range old {
		for _, call := range m.Calls {
			calls[call.ID] = call
		}
		switch {
		case m.Compaction != nil:
			lines = append(lines, strings.Split(m.Compaction.Summary, "\n")...)
		case m.Role == goal.Assistant && strings.TrimSpace(m.Text) != "":
			lines = append(lines, agentExcerpt+text.SanitizeLine(m.Text, maxAgentExcerpt))
		case m.Role == goal.ToolRole && m.Step > 0:
			lines = append(lines, excerptResult(m, calls[m.CallID]))
		case m.Role == goal.User && !strings.HasPrefix(m.Text, NotePrefix) && !strings.HasPrefix(m.Text, FailurePrefix):
			lines = append(lines, hostExcerpt+text.SanitizeLine(m.Text, maxStepExcerpt))
		}
	}
	return strings.Join(dropExcerpts(lines, bytes), "\n")
}

// excerptResult returns the line of a result, with both of its ends: programs print what they found last.
func excerptResult(m goal.Message, call goal.Call) string {
	line := fmt.Sprintf("%s%d, %s %s: ", stepExcerpt, m.Step, text.SanitizeLine(call.Tool, maxArguments),
		text.SanitizeLine(call.Arguments, maxArguments))
	limit := maxStepExcerpt
	if strings.HasPrefix(m.Text, `{"ok":false`) {
		line, limit = failedExcerpt+line, maxFailedExcerpt
	}
	content := goal.UnwrapEnvelope(m.Text)
	ends := text.TruncateMiddle([]byte(text.FirstLines(content, len(content))), limit)
	return line + text.SanitizeLine(string(ends), 2*limit)
}

// dropExcerpts drops lines until the rest has at most the given bytes: first those of results and of the host, then
// those of failed calls, then the others, the oldest first.
func dropExcerpts(lines []string, bytes int) []string {
	size := 0
	for _, line := range lines {
		size += len(line) + 1
	}
	for _, droppable := range [][]string{{stepExcerpt, hostExcerpt}, {failedExcerpt}, {""}} {
		var left []string
		for _, line := range lines {
			if size > bytes && hasAnyPrefix(line, droppable) {
				size -= len(line) + 1
				continue
			}
			left = append(left, line)
		}
		lines = left
	}
	return lines
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

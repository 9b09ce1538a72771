package runner

import (
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// maxTailSlack is how many bytes shorter than the output a tail may be and still count as complete: line ends and
// blanks are trimmed.
const maxTailSlack = 80

// failureDetail describes every check that did not pass, with its output.
func failureDetail(claim int, verdicts []goal.Verdict) string {
	var parts []string
	for _, v := range verdicts {
		if v.Outcome == goal.Pass {
			continue
		}
		part := fmt.Sprintf("check %d (%s): %s", v.Check+1, v.Name, v.Detail)
		if v.Tail != "" {
			part += "\nOutput tail:\n" + v.Tail
		}
		if v.Bytes > int64(len(v.Tail))+maxTailSlack {
			part += fmt.Sprintf("\nread_evidence with the handle \"check:%d@%d\" gives %s.", v.Check+1, claim,
				describeKeptEvidence(v.Bytes))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}

// describeKeptEvidence describes how much of the given bytes is stored as evidence. Two streams that are shorter
// together are stored whole.
func describeKeptEvidence(bytes int64) string {
	if bytes > process.MaxCapture {
		return fmt.Sprintf("what was kept of %d bytes: of a stream of more than 1 MiB its beginning and its end", bytes)
	}
	return fmt.Sprintf("all %d bytes", bytes)
}

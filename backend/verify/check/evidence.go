package check

import (
	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/text"
)

// evidenceMax is how much of what was looked at is kept, in bytes.
const evidenceMax = 1 << 20

// evidenceOf is a verdict with a text as its evidence; total is how long the text was before the cut.
func evidenceOf(content []byte, total int64) goal.Verdict {
	return attachEvidence(goal.Verdict{}, text.TruncateMiddle(content, evidenceMax), total)
}

// attachEvidence makes output the evidence of v; total is how long it was before the cut.
func attachEvidence(v goal.Verdict, output []byte, total int64) goal.Verdict {
	if len(output) == 0 {
		return v
	}
	v.Output, v.Bytes, v.Evidence = output, total, fileio.Hash(output)
	return v
}

package check

import (
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// maxEvidenceBytes limits the stored evidence of a verdict, in bytes.
const maxEvidenceBytes = 1 << 20

// evidenceOf returns a verdict with content as its evidence; total is the length before truncation.
func evidenceOf(content []byte, total int64) goal.Verdict {
	return attachEvidence(goal.Verdict{}, text.TruncateMiddle(content, maxEvidenceBytes), total)
}

// attachEvidence makes output the evidence of v; total is the length before truncation.
func attachEvidence(v goal.Verdict, output []byte, total int64) goal.Verdict {
	if len(output) == 0 {
		return v
	}
	v.Output, v.Bytes, v.Evidence = output, total, fileio.Hash(output)
	return v
}

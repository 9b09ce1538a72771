package check

import (
	"goalpost/backend/fileio"
	"goalpost/backend/goal"
)

// evidenceMax is how much of what was looked at is kept, in bytes.
const evidenceMax = 1 << 20

// attachEvidence makes output the evidence of v; total is how long it was before the cut.
func attachEvidence(v goal.Verdict, output []byte, total int64) goal.Verdict {
	if len(output) == 0 {
		return v
	}
	v.Output, v.Bytes, v.Evidence = output, total, fileio.Hash(output)
	return v
}

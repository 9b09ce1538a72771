package check

import (
	"crypto/sha256"
	"encoding/hex"

	"goalpost/backend/goal"
)

// evidenceMax is how much of what was looked at is kept, in bytes.
const evidenceMax = 1 << 20

// attachEvidence makes output the evidence of v; total is how long it was before the cut.
func attachEvidence(v goal.Verdict, output []byte, total int64) goal.Verdict {
	if len(output) == 0 {
		return v
	}
	sum := sha256.Sum256(output)
	v.Output, v.Bytes, v.Evidence = output, total, hex.EncodeToString(sum[:])
	return v
}

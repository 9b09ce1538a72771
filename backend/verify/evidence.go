package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

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

// truncateMiddle leaves out the middle of what is longer than most bytes, and says so.
func truncateMiddle(b []byte, most int) []byte {
	if len(b) <= most {
		return b
	}
	half := most / 2
	note := fmt.Sprintf("\n… %d bytes left out …\n", len(b)-2*half)
	return append(append(append([]byte{}, b[:half]...), note...), b[len(b)-half:]...)
}

// oneLine is the beginning of a text that came from outside, fit for one sentence.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

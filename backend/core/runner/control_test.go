package runner

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPageAt_AllPages_JoinToTheWhole also checks that no page ends inside a character.
func TestPageAt_AllPages_JoinToTheWhole(t *testing.T) {
	kept := strings.Repeat("añb語", 20_000)
	var got strings.Builder
	for cursor := int64(0); ; {
		p, err := pageAt([]byte(kept), cursor, maxEvidencePageBytes)
		if err != nil || !utf8.ValidString(p.Content) || p.TotalBytes != int64(len(kept)) ||
			len(p.Content) > maxEvidencePageBytes {
			t.Fatalf("at %d: %d bytes of %d, %v", cursor, len(p.Content), p.TotalBytes, err)
		}
		got.WriteString(p.Content)
		if cursor = p.NextCursor; !p.HasMore {
			break
		}
	}
	if got.String() != kept {
		t.Error("the pages are not the whole")
	}
	for _, cursor := range []int64{-1, int64(len(kept)) + 1} {
		if _, err := pageAt([]byte(kept), cursor, maxEvidencePageBytes); err == nil {
			t.Errorf("the cursor %d was taken", cursor)
		}
	}
}

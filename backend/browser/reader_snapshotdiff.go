package browser

import (
	"fmt"
	"strings"

	"goalpost/backend/browser/internal/sanitize"
)

// linesFrom returns the lines from the given one on, as many as fit.
func (rd *reader) linesFrom(t lastSnapshot, first int) Snapshot {
	s := Snapshot{URL: rd.state.Info().URL, Total: len(t.lines)}
	var b strings.Builder
	i := first
	for ; i < len(t.lines); i++ {
		line := sanitize.Line(t.lines[i], 2000)
		if b.Len()+len(line)+1 > maxSnapshotBytes {
			break
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	switch {
	case len(t.lines) == 0:
		b.WriteString("the page shows nothing\n")
	case i < len(t.lines):
		s.Next = i
		fmt.Fprintf(&b, "%d more lines are left out: continue from %d, scroll, or look for something by its text or role\n",
			len(t.lines)-i, i)
	case t.cut:
		b.WriteString("the page is larger than what was looked at\n")
	}
	s.Truncated = s.Next > 0 || t.cut
	s.Text = b.String()
	return s
}

// snapshotDiff returns the lines that were added and removed.
func (rd *reader) snapshotDiff(was, is lastSnapshot) Snapshot {
	s := Snapshot{URL: rd.state.Info().URL, Truncated: is.cut}
	count := map[string]int{}
	for _, line := range was.lines {
		count[line]++
	}
	var added, gone []string
	for _, line := range is.lines {
		if count[line]--; count[line] < 0 {
			added = append(added, line)
		}
	}
	for _, line := range was.lines {
		if count[line]--; count[line] >= 0 {
			gone = append(gone, line)
		}
	}
	var b strings.Builder
	left := 0
	tell := func(mark string, lines []string) {
		for _, line := range lines {
			if line = sanitize.Line(line, 2000); b.Len()+len(line)+3 > maxSnapshotBytes {
				left++
				continue
			}
			b.WriteString(mark + line + "\n")
		}
	}
	tell("+ ", added)
	tell("- ", gone)
	switch {
	case left > 0:
		s.Truncated = true
		fmt.Fprintf(&b, "%d more lines differ: take a whole snapshot\n", left)
	case b.Len() == 0:
		b.WriteString("nothing is different since the last snapshot\n")
	}
	s.Text = b.String()
	return s
}

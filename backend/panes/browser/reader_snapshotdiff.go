package browser

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// linesFrom returns the lines from the given one on, as many as fit.
func (re *Reader) linesFrom(t lastSnapshot, first int) Snapshot {
	s := Snapshot{URL: re.state.Info().URL, Total: len(t.lines)}
	var b strings.Builder
	i := first
	for ; i < len(t.lines); i++ {
		line := text.SanitizeLines(t.lines[i], 2000)
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
		fmt.Fprintf(&b, "%s left out: continue from %d, scroll, or look for something by its text or role\n",
			countLines(len(t.lines)-i, "more line is", "more lines are"), i)
	case t.truncated:
		b.WriteString("the page has more content than was read\n")
	}
	s.Truncated = s.Next > 0 || t.truncated
	s.Text = b.String()
	return s
}

// snapshotDiff returns the lines that were added and removed, and whether the others have another
// order.
func (re *Reader) snapshotDiff(was, is lastSnapshot) Snapshot {
	s := Snapshot{URL: re.state.Info().URL, Truncated: is.truncated}
	old, now := trimIndents(was.lines), trimIndents(is.lines)
	additions, removals := subtractLines(now, old), subtractLines(old, now)
	var b strings.Builder
	omitted := 0
	write := func(mark string, lines []string) {
		for _, line := range lines {
			if line = text.SanitizeLine(line, 2000); b.Len()+len(line)+3 > maxSnapshotBytes {
				omitted++
				continue
			}
			b.WriteString(mark + line + "\n")
		}
	}
	write("+ ", additions)
	write("- ", removals)
	if moves := movedLines(old, now); len(moves) > 0 {
		b.WriteString("these lines have a new order:\n")
		write("~ ", moves[:min(len(moves), maxMovedLines)])
		if more := len(moves) - maxMovedLines; more > 0 {
			fmt.Fprintf(&b, "~ %s\n", countLines(more, "more line", "more lines"))
		}
	}
	switch {
	case omitted > 0:
		s.Truncated = true
		fmt.Fprintf(&b, "%s: take a whole snapshot\n", countLines(omitted, "more line differs", "more lines differ"))
	case b.Len() == 0:
		b.WriteString("nothing has changed since the last snapshot\n")
	}
	s.Text = b.String()
	return s
}

func trimIndents(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strings.TrimLeft(line, " ")
	}
	return out
}

// subtractLines returns the lines that others lacks. A line may be there several times.
func subtractLines(lines, others []string) []string {
	count := map[string]int{}
	for _, line := range others {
		count[line]++
	}
	var lacking []string
	for _, line := range lines {
		if count[line]--; count[line] < 0 {
			lacking = append(lacking, line)
		}
	}
	return lacking
}

// maxMovedLines limits the lines that a difference reports in their new order.
const maxMovedLines = 40

// movedLines returns, of the lines that occur once in both lists, those from the first to the last
// that has another place among them, in the new order.
func movedLines(old, now []string) []string {
	places := map[string]int{}
	for _, list := range [][]string{old, now} {
		for _, line := range list {
			places[line]++
		}
	}
	findMissing := func(list, other []string) []string {
		in := map[string]bool{}
		for _, line := range other {
			in[line] = true
		}
		return slices.DeleteFunc(slices.Clone(list), func(line string) bool { return places[line] != 2 || !in[line] })
	}
	before, after := findMissing(old, now), findMissing(now, old)
	if len(before) != len(after) { // a line that is in one list twice
		return nil
	}
	first, last := 0, len(after)-1
	for first <= last && before[first] == after[first] {
		first++
	}
	for last > first && before[last] == after[last] {
		last--
	}
	return after[first : last+1]
}

// countLines formats n with the words for one line or for several.
func countLines(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

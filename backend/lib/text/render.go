package text

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Render renders text as if printed on paper: escape sequences removed, carriage returns and backspaces applied, so
// that a progress bar is its last state. The result is valid UTF-8 without control characters except line end and tab.
func Render(p []byte) string {
	if utf8.Valid(p) && !bytes.ContainsFunc(p, isTerminalControl) {
		return string(p)
	}
	var w lineRenderer
	for len(p) > 0 {
		switch b := p[0]; {
		case b == 0x1b:
			n := escapeLen(p)
			w.escape(p[:n])
			p = p[n:]
		case b < ' ' || b == 0x7f:
			w.control(b)
			p = p[1:]
		default:
			r, n := utf8.DecodeRune(p)
			if !isTerminalControl(r) {
				w.write(r)
			}
			p = p[n:]
		}
	}
	w.out.WriteString(string(w.line))
	return w.out.String()
}

// isTerminalControl reports whether a terminal interprets a character, other than as line end or tab.
func isTerminalControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f
}

// maxSequence bounds an escape sequence, in bytes: what is longer is not one.
const maxSequence = 64 << 10

// escapeLen returns the length of the escape sequence at the beginning of p. One that is cut off extends to the end.
func escapeLen(p []byte) int {
	if len(p) < 2 {
		return len(p)
	}
	switch p[1] {
	case '[': // until a final byte
		for i := 2; i < len(p); i++ {
			if p[i] < ' ' || p[i] > '~' { // not a sequence
				return i
			}
			if p[i] >= '@' {
				return i + 1
			}
		}
		return len(p)
	case ']', 'P', 'X', '^', '_': // a string, until BEL or ESC \
		end := bytes.IndexAny(p[2:min(len(p), maxSequence)], "\a\x1b")
		switch {
		case end < 0 && len(p) < maxSequence:
			return len(p)
		case end < 0:
			return 2
		case p[2+end] == '\a':
			return 2 + end + 1
		case len(p) > 2+end+1 && p[2+end+1] == '\\':
			return 2 + end + 2
		}
		return 2 + end
	case ' ', '#', '%', '(', ')', '*', '+':
		return min(3, len(p))
	}
	if p[1] < ' ' || p[1] >= 0x7f {
		return 1
	}
	return 2
}

// maxMove limits how far an escape sequence moves beyond the printed text.
const maxMove = 1000

// lineRenderer renders one line.
type lineRenderer struct {
	out  strings.Builder
	line []rune
	col  int
}

func (l *lineRenderer) write(r rune) {
	for len(l.line) < l.col {
		l.line = append(l.line, ' ')
	}
	if l.col < len(l.line) {
		l.line[l.col] = r
	} else {
		l.line = append(l.line, r)
	}
	l.col++
}

func (l *lineRenderer) control(b byte) {
	switch b {
	case '\n', '\v', '\f':
		l.out.WriteString(string(l.line))
		l.out.WriteByte('\n')
		l.line, l.col = l.line[:0], 0
	case '\r':
		l.col = 0
	case '\b':
		l.col = max(0, l.col-1)
	case '\t':
		l.write('\t')
	}
}

// escape applies the effects of a sequence within a line: erase, move, delete.
func (l *lineRenderer) escape(p []byte) {
	if len(p) < 3 || p[1] != '[' {
		return
	}
	n := 0
	for _, b := range p[2 : len(p)-1] {
		if b < '0' || b > '9' {
			return
		}
		n = min(n*10+int(b-'0'), maxMove)
	}
	step := max(1, n)
	switch p[len(p)-1] {
	case 'K':
		switch {
		case n == 0 && l.col < len(l.line):
			l.line = l.line[:l.col]
		case n == 2:
			l.line = l.line[:0]
		}
	case 'C':
		l.col = min(l.col+step, len(l.line)+maxMove)
	case 'D':
		l.col = max(0, l.col-step)
	case 'G':
		l.col = step - 1
	case 'P':
		if l.col < len(l.line) {
			l.line = append(l.line[:l.col], l.line[min(len(l.line), l.col+step):]...)
		}
	}
}

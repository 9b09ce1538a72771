package terminal

import (
	"strings"
	"unicode/utf8"
)

// renderPlain renders text as if printed on paper: escape sequences removed, carriage returns and backspaces applied,
// so that a progress bar is its last state. The result is valid UTF-8 without control characters except line end and
// tab.
func renderPlain(p []byte) string {
	var w lineRenderer
	for len(p) > 0 {
		switch b := p[0]; {
		case b == 0x1b:
			n, _, ok := nextToken(p)
			if !ok { // truncated at the end
				n = len(p)
			}
			w.escape(p[:n])
			p = p[n:]
		case b < ' ' || b == 0x7f:
			w.control(b)
			p = p[1:]
		default:
			r, n := utf8.DecodeRune(p)
			if r < 0x80 || r > 0x9f { // C1 controls
				w.write(r)
			}
			p = p[n:]
		}
	}
	w.out.WriteString(string(w.line))
	return w.out.String()
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

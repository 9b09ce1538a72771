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

func (w *lineRenderer) write(r rune) {
	for len(w.line) < w.col {
		w.line = append(w.line, ' ')
	}
	if w.col < len(w.line) {
		w.line[w.col] = r
	} else {
		w.line = append(w.line, r)
	}
	w.col++
}

func (w *lineRenderer) control(b byte) {
	switch b {
	case '\n', '\v', '\f':
		w.out.WriteString(string(w.line))
		w.out.WriteByte('\n')
		w.line, w.col = w.line[:0], 0
	case '\r':
		w.col = 0
	case '\b':
		w.col = max(0, w.col-1)
	case '\t':
		w.write('\t')
	}
}

// escape applies the effects of a sequence within a line: erase, move, delete.
func (w *lineRenderer) escape(p []byte) {
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
		case n == 0 && w.col < len(w.line):
			w.line = w.line[:w.col]
		case n == 2:
			w.line = w.line[:0]
		}
	case 'C':
		w.col = min(w.col+step, len(w.line)+maxMove)
	case 'D':
		w.col = max(0, w.col-step)
	case 'G':
		w.col = step - 1
	case 'P':
		if w.col < len(w.line) {
			w.line = append(w.line[:w.col], w.line[min(len(w.line), w.col+step):]...)
		}
	}
}

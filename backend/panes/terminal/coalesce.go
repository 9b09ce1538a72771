package terminal

import "bytes"

// outputPiece is a part of the output that the screen model processes at once.
type outputPiece struct {
	text []byte
	kind pieceKind
}

type pieceKind int

const (
	pieceText     pieceKind = iota // text, line ends, colours, titles: only the last screenful stays visible
	pieceSequence                  // moves the cursor, erases, scrolls
	pieceMode                      // changes how later output is interpreted
)

const (
	// maxModelBytes limits what the model gets of one batch: it processes one or two megabytes a second, while programs
	// print fifty.
	maxModelBytes = 128 << 10

	maxSequence = 4 << 10 // a longer CSI sequence is treated as text
	maxString   = 1 << 20 // a longer OSC, DCS … is treated as text
	maxCount    = 999     // a larger count in a sequence that repeats is nonsense or an attack
)

// coalesceOutput drops from a batch what is overwritten before it can be seen. It returns the rest in pieces, and how
// much of p they represent; a truncated escape sequence at the end is left for the next batch.
func coalesceOutput(p []byte, rows int) (pieces []outputPiece, used int) {
	for used < len(p) {
		n, kind, ok := nextToken(p[used:])
		if !ok {
			break
		}
		text := p[used : used+n]
		used += n
		switch last := len(pieces) - 1; {
		case kind == pieceSequence && isExcessiveSequence(text):
			pieces = append(pieces, outputPiece{nil, pieceSequence}) // separates the text before and after it
		case kind == pieceText && last >= 0 && pieces[last].kind == pieceText:
			pieces[last].text = p[used-n-len(pieces[last].text) : used]
		default:
			pieces = append(pieces, outputPiece{text, kind})
		}
	}
	total := 0
	for i := range pieces {
		if pieces[i].kind == pieceText {
			pieces[i].text = lastScreenful(pieces[i].text, rows)
		}
		total += len(pieces[i].text)
	}
	rest := pieces[:0]
	for _, p := range pieces {
		if total > maxModelBytes && p.kind != pieceMode {
			total -= len(p.text)
			continue
		}
		rest = append(rest, p)
	}
	return rest, used
}

// lastScreenful returns the end of p that can still be visible on a screen with that many rows.
func lastScreenful(p []byte, rows int) []byte {
	at := len(p)
	for range 2 * rows {
		next := bytes.LastIndexByte(p[:at], '\n')
		if next < 0 {
			return p
		}
		at = next
	}
	if at > 0 && p[at-1] == '\r' {
		at--
	}
	return p[at:]
}

// nextToken returns the length of the first unit of p: text up to an escape, or one escape sequence; ok is false if the
// sequence is not complete.
func nextToken(p []byte) (n int, kind pieceKind, ok bool) {
	if p[0] != 0x1b {
		if n = bytes.IndexByte(p, 0x1b); n < 0 {
			n = len(p)
		}
		return n, pieceText, true
	}
	if len(p) < 2 {
		return 0, pieceText, false
	}
	switch p[1] {
	case '[':
		return nextCSI(p)
	case ']', 'P', 'X', '^', '_':
		return nextString(p)
	case ' ', '#', '%', '(', ')', '*', '+':
		return 3, pieceMode, len(p) >= 3
	}
	if p[1] == 'M' || p[1] == 'D' || p[1] == 'E' {
		return 2, pieceSequence, true
	}
	if p[1] < ' ' || p[1] >= 0x7f {
		return 1, pieceMode, true
	}
	return 2, pieceMode, true
}

func nextCSI(p []byte) (int, pieceKind, bool) {
	for i := 2; i < min(len(p), maxSequence); i++ {
		switch b := p[i]; {
		case b == 'm':
			return i + 1, pieceText, true
		case b == 'h', b == 'l', b == 'r', b == 'p', b == 's', b == 'u':
			return i + 1, pieceMode, true
		case b >= 0x40 && b <= 0x7e:
			return i + 1, pieceSequence, true
		case b < 0x20 || b >= 0x7f: // malformed: something else begins here
			return i, pieceSequence, true
		}
	}
	return maxSequence, pieceText, len(p) >= maxSequence
}

// nextString returns the length of a sequence that carries a string: OSC, DCS, SOS, PM, APC.
func nextString(p []byte) (int, pieceKind, bool) {
	for i := 2; i < min(len(p), maxString); i++ {
		switch {
		case p[i] == 0x07 && p[1] == ']', p[i] == 0x18, p[i] == 0x1a:
			return i + 1, pieceSequence, true
		case p[i] == 0x1b && i+1 < len(p):
			if p[i+1] == '\\' {
				return i + 2, pieceSequence, true
			}
			return i, pieceSequence, true
		}
	}
	return maxString, pieceText, len(p) >= maxString
}

// isExcessiveSequence reports whether a CSI sequence repeats an operation so often that the model would need seconds,
// with nothing to show.
func isExcessiveSequence(p []byte) bool {
	if len(p) < 3 || p[1] != '[' || !bytes.ContainsRune([]byte("bSTLMP@XIZ"), rune(p[len(p)-1])) {
		return false
	}
	count := 0
	for _, b := range p[2 : len(p)-1] {
		if b < '0' || b > '9' {
			count = 0
			continue
		}
		if count = count*10 + int(b-'0'); count > maxCount {
			return true
		}
	}
	return false
}

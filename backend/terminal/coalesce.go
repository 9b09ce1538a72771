package terminal

import "bytes"

// outputPiece is a part of the output that the screen model takes at once.
type outputPiece struct {
	text []byte
	kind pieceKind
}

type pieceKind int

const (
	pieceText     pieceKind = iota // text, line ends, colours, titles: only the last screenful stays visible
	pieceSequence                  // moves the cursor, erases, scrolls
	pieceMode                      // changes how later output is understood
)

const (
	// maxModelBytes is what the model is given of one batch: it takes a megabyte or
	// two a second, programs print fifty.
	maxModelBytes = 128 << 10

	maxSequence = 4 << 10 // a longer CSI sequence is text
	maxString   = 1 << 20 // a longer OSC, DCS … is text
	maxCount    = 999     // a larger count in a sequence that repeats is nonsense or an attack
)

// coalesceOutput leaves out of a batch what cannot be seen once it has been printed,
// and returns the rest in pieces and how much of p they stand for; an escape
// sequence that is cut off at the end is left for the next batch.
func coalesceOutput(p []byte, rows int) (pieces []outputPiece, used int) {
	for used < len(p) {
		n, kind, ok := token(p[used:])
		if !ok {
			break
		}
		text := p[used : used+n]
		used += n
		switch last := len(pieces) - 1; {
		case kind == pieceSequence && isExcessiveSequence(text):
			pieces = append(pieces, outputPiece{nil, pieceSequence}) // keeps what is around it apart
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
	kept := pieces[:0]
	for _, p := range pieces {
		if total > maxModelBytes && p.kind != pieceMode {
			total -= len(p.text)
			continue
		}
		kept = append(kept, p)
	}
	return kept, used
}

// lastScreenful is the end of p that can still be on a screen of so many rows.
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

// token is the first unit of p: text up to an escape, or one escape sequence;
// false when the sequence is not complete.
func token(p []byte) (n int, kind pieceKind, ok bool) {
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
		return csi(p)
	case ']', 'P', 'X', '^', '_':
		return isStringSequence(p)
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

func csi(p []byte) (int, pieceKind, bool) {
	for i := 2; i < min(len(p), maxSequence); i++ {
		switch b := p[i]; {
		case b == 'm':
			return i + 1, pieceText, true
		case b == 'h', b == 'l', b == 'r', b == 'p', b == 's', b == 'u':
			return i + 1, pieceMode, true
		case b >= 0x40 && b <= 0x7e:
			return i + 1, pieceSequence, true
		case b < 0x20 || b >= 0x7f: // broken: what follows is another thing
			return i, pieceSequence, true
		}
	}
	return maxSequence, pieceText, len(p) >= maxSequence
}

// isStringSequence is a sequence that carries a string: OSC, DCS, SOS, PM, APC.
func isStringSequence(p []byte) (int, pieceKind, bool) {
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

// isExcessiveSequence tells whether a CSI sequence asks for something to be done very
// often, which takes the model seconds and shows nothing.
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

package secret

import (
	"slices"
	"strings"
)

// Stream hides values in bytes that come in pieces, even if a value is split between pieces. It holds back bytes that
// may be the beginning of a value until that is decided. If other characters may be between its letters, up to three
// letters are passed on before that, so that a prompt is not held back. It belongs to one goroutine.
type Stream struct {
	mask    *Mask
	passed  string // the end of what was passed on, if a value may begin in it
	pending string
}

// Stream returns a new stream.
func (m *Mask) Stream() *Stream { return &Stream{mask: m} }

// Next takes a piece and returns the bytes that can be passed on, possibly none.
func (s *Stream) Next(piece []byte) []byte {
	if s.pending == "" && !s.mask.HasSecrets() {
		return piece
	}
	needles, letters := s.mask.lists()
	all := s.passed + s.pending + string(piece)
	rest := all[len(all)-partialRuneLen(all):]
	all = all[:len(all)-len(rest)]
	text, at := normalizeText(all)
	bare, bareAt := lettersOf(text, at)
	spans := mergeSpans(append(toOriginal(needles.findAll(text), at),
		toOriginal(dropApart(letters.findAll(bare), bareAt, len(all)), bareAt)...))
	begin, isLong := lettersStart(letters, bare, bareAt, len(all))
	cut := len(all)
	if from := pendingStart(text, needles); from < len(text) {
		cut = at[from]
	}
	if isLong {
		cut = min(cut, begin)
	}
	cut = s.cutAfterSpans(spans, all, cut)
	begun := len(s.passed)
	open := spans[:0]
	for _, p := range spans {
		if p.to <= cut && p.to > begun {
			p.from = max(p.from, begun)
			open = append(open, p)
		}
	}
	out := replaceSpans(all[:cut], open)[begun:]
	s.pending = all[cut:] + rest
	s.passed = all[min(begin, cut):cut]
	return []byte(out)
}

// cutAfterSpans returns where the bytes begin that are held back: at cut, but after a complete value, and before an
// incomplete control sequence.
func (s *Stream) cutAfterSpans(spans []span, all string, cut int) int {
	cut = max(cut, len(s.passed))
	for _, p := range slices.Backward(spans) {
		if p.to <= cut {
			break
		}
		cut = max(cut, p.to)
	}
	if esc := strings.LastIndexByte(all, '\x1b'); esc >= len(s.passed) && esc < cut && len(all)-esc < maxSequence &&
		isOpenEscape(all[esc:]) {
		cut = esc
	}
	return cut
}

// End returns the bytes that were held back.
func (s *Stream) End() []byte {
	rest := s.mask.Text(s.pending)
	s.passed, s.pending = "", ""
	return []byte(rest)
}

// partialRuneLen is how many bytes at the end are the beginning of a zero-width character.
func partialRuneLen(s string) int {
	for _, c := range zeroWidth {
		for l := len(c) - 1; l > 0; l-- {
			if strings.HasSuffix(s, c[:l]) {
				return l
			}
		}
	}
	return 0
}

// maxSequence is the longest control sequence that is held back, in bytes.
const maxSequence = 64

func isOpenEscape(s string) bool { return escapeLen(s) == len(s) && !isClosedEscape(s) }

// isClosedEscape reports whether s, which is one control sequence, is complete.
func isClosedEscape(s string) bool {
	if len(s) < 2 {
		return false
	}
	last := s[len(s)-1]
	switch s[1] {
	case '[':
		return len(s) > 2 && last >= 0x40 && last <= 0x7e
	case '(', ')', '*', '+':
		return len(s) == 3
	}
	return true
}

// pendingStart returns where the longest suffix of the text begins that may be the beginning of a value, the text's
// length if there is none.
func pendingStart(text string, needles *secretPatterns) int {
	from := len(text)
	for _, n := range needles.all {
		for l := min(len(n.text)-1, len(text)); l > len(text)-from; l-- {
			if strings.HasSuffix(text, n.text[:l]) {
				from = len(text) - l
				break
			}
		}
	}
	return from
}

// lettersStart returns where the longest suffix of the letters begins that may be the beginning of a value, end if
// there is none. isLong means that it has more letters than may be passed on.
func lettersStart(list *secretPatterns, letters string, at []int, end int) (begin int, isLong bool) {
	near, next := len(at), end
	for near > 0 && next-at[near-1]-1 <= maxGap {
		near--
		next = at[near]
	}
	from := near + pendingStart(letters[near:], list)
	if from == len(at) {
		return end, false
	}
	return at[from], len(at)-from >= keyLen
}

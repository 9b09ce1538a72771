package secret

import "strings"

// Stream hides values in bytes that come in pieces, even if a value is split between pieces. It holds back bytes that
// may be the beginning of a value until that is decided, fewer than the longest form of one. It belongs to one
// goroutine.
type Stream struct {
	mask    *Mask
	pending string
}

// Stream returns a new stream.
func (m *Mask) Stream() *Stream { return &Stream{mask: m} }

// Next takes a piece and returns the bytes that can be passed on, possibly none.
func (s *Stream) Next(piece []byte) []byte {
	if s.pending == "" && !s.mask.HasSecrets() {
		return piece
	}
	needles := s.mask.list()
	all := s.pending + string(piece)
	rest := all[len(all)-partialRuneLen(all):]
	all = all[:len(all)-len(rest)]
	text, at := normalizeText(all)
	spans := findAll(text, needles)
	from := pendingStart(text, needles)
	for i := len(spans) - 1; i >= 0 && spans[i].to > from; i-- { // a complete value is not held back
		from = max(from, spans[i].to)
	}
	cut := len(all)
	if from < len(text) {
		cut = at[from]
	}
	if esc := strings.LastIndexByte(all, '\x1b'); esc >= 0 && esc < cut && len(all)-esc < maxSequence &&
		isOpenEscape(all[esc:]) {
		cut = esc
	}
	open := spans[:0]
	for _, p := range spans {
		if at[p.to-1] < cut {
			open = append(open, p)
		}
	}
	s.pending = all[cut:] + rest
	return []byte(replaceSpans(all[:cut], open, at))
}

// End returns the bytes that were held back.
func (s *Stream) End() []byte {
	rest := s.mask.Text(s.pending)
	s.pending = ""
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

package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// zeroWidth are characters without a width.
var zeroWidth = [...]string{"\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"}

// normalizeText removes everything that a screen can show between the letters of a value: line ends, a terminal's
// control sequences, characters without a width. at maps every byte to its original offset.
func normalizeText(s string) (text string, at []int) {
	kept := make([]byte, 0, len(s))
	at = make([]int, 0, len(s))
	for i := 0; i < len(s); {
		if mayBeInvisible[s[i]] {
			if n := invisibleLen(s[i:]); n > 0 {
				i += n
				continue
			}
		}
		kept = append(kept, s[i])
		at = append(at, i)
		i++
	}
	return string(kept), at
}

// mayBeInvisible has the first bytes of what normalizeText removes; isLetter has the letters and digits of ASCII.
// Both are tables because a result can have several megabytes.
var mayBeInvisible, isLetter = func() (invisible, letters [256]bool) {
	for _, c := range []byte("\n\r\x00\x1b\xc2\xe2\xef") {
		invisible[c] = true
	}
	for c := range rune(utf8.RuneSelf) {
		letters[c] = unicode.IsLetter(c) || unicode.IsDigit(c)
	}
	return invisible, letters
}()

// normalizeAll is normalizeText that also removes spaces of every kind.
func normalizeAll(s string) (text string, at []int) {
	squeezed, from := normalizeText(s)
	var b strings.Builder
	b.Grow(len(squeezed))
	at = from[:0]
	for i := 0; i < len(squeezed); {
		r, n := utf8.DecodeRuneInString(squeezed[i:])
		if !unicode.IsSpace(r) {
			b.WriteString(squeezed[i : i+n])
			at = append(at, from[i:i+n]...)
		}
		i += n
	}
	return b.String(), at
}

// lettersOf keeps only the letters and digits of a normalized text, and the marks of omissions.
func lettersOf(text string, at []int) (letters string, lettersAt []int) {
	kept := make([]byte, 0, len(text))
	lettersAt = make([]int, 0, len(at))
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			if isLetter[text[i]] {
				kept, lettersAt = append(kept, text[i]), append(lettersAt, at[i])
			}
			i++
			continue
		}
		c, n := utf8.DecodeRuneInString(text[i:])
		if unicode.IsLetter(c) || unicode.IsDigit(c) || c == '…' {
			kept, lettersAt = append(kept, text[i:i+n]...), append(lettersAt, at[i:i+n]...)
		}
		i += n
	}
	return string(kept), lettersAt
}

// invisibleLen counts the invisible bytes at the beginning of s.
func invisibleLen(s string) int {
	switch s[0] {
	case '\n', '\r', '\x00':
		return 1
	case '\x1b':
		return escapeLen(s)
	case '\xc2', '\xe2', '\xef': // first bytes of the two- and three-byte characters below
		for _, c := range zeroWidth {
			if strings.HasPrefix(s, c) {
				return len(c)
			}
		}
	}
	return 0
}

// escapeLen returns the length of the control sequence at the beginning of s. One without an end extends to the end of
// s. Titles and links are not skipped: a value in them must be found.
func escapeLen(s string) int {
	if len(s) == 1 {
		return 1
	}
	switch s[1] {
	case '[': // CSI: until a final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e { // incomplete
				return i
			}
		}
		return len(s)
	case '(', ')', '*', '+':
		return min(3, len(s))
	}
	return 2
}

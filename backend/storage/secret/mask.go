package secret

import (
	"slices"
	"strings"
	"sync"
)

// Mask hides known values: as they are, in capitals or small letters, in the forms of encodingsOf, and broken over
// lines or coloured by a terminal. Where a form has enough letters and digits, anything else may be between them. Mask
// replaces values with their reference, so that a model can use that. The zero Mask knows no values. All methods may be
// called concurrently; Add affects later calls only.
type Mask struct {
	mu      sync.RWMutex
	values  map[string]bool
	needles *secretPatterns // replaced as a whole, never modified; nil: none
	solid   *secretPatterns // the same without spaces
	letters *secretPatterns // the letters and digits of the same, if they are enough
}

// truncationMark replaces a part of a value at the beginning or end of a text.
const truncationMark = "[hidden: part of a secret]"

// Add adds a value. Values too short to be hidden without hiding ordinary words are ignored.
func (m *Mask) Add(placeholder, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(strings.TrimSpace(value)) < minValue || m.values[value] {
		return
	}
	if m.values == nil {
		m.values = map[string]bool{}
	}
	m.values[value] = true
	list := encodingsOf(value)
	for line := range strings.Lines(value) { // a single line of a key is secret, too
		if line = strings.TrimSpace(line); len(line) >= minLine && line != value && !strings.HasPrefix(line, "-----") {
			list = append(list, line)
		}
	}
	var more, solid, letters []secretPattern
	for _, form := range list {
		text, _ := normalizeText(form)
		if len(text) < minValue {
			continue
		}
		more = append(more, secretPattern{text, placeholder})
		if text, _ = normalizeAll(form); len(text) >= minPartial {
			solid = append(solid, secretPattern{text, placeholder})
		}
		text, _ = lettersOf(normalizeText(form))
		if one := (secretPattern{text, placeholder}); len(text) >= minLetters && !slices.Contains(letters, one) {
			letters = append(letters, one)
		}
	}
	m.needles, m.solid, m.letters = m.needles.with(more), m.solid.with(solid), m.letters.with(letters)
}

const (
	// minLine is the shortest line of a multi-line value that is hidden separately, in bytes.
	minLine = 16
	// minLetters is how many letters and digits a form must have to be hidden with anything between them, in bytes.
	// Ordinary text does not contain as many by chance. Every value has them in hexadecimal.
	minLetters = 2 * minValue
)

// lists never returns nil.
func (m *Mask) lists() (needles, letters *secretPatterns) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.needles == nil {
		return &secretPatterns{}, &secretPatterns{}
	}
	return m.needles, m.letters
}

// Text hides known values in a complete text.
func (m *Mask) Text(s string) string { return m.hide(s, markAll) }

// Partial hides known values in a text that may be part of a longer one. It also hides values that are cut off at its
// beginning or end, if at least four bytes are left.
func (m *Mask) Partial(s string) string { return m.hide(s, markWithEdges) }

// Truncated hides known values in a complete text with omissions, marked by "…". It also hides partial values on both
// sides of an omission.
func (m *Mask) Truncated(s string) string {
	if !strings.Contains(s, ellipsis) {
		return m.Text(s)
	}
	return m.hide(s, markTruncated)
}

// hide replaces what mark finds in a text and in its letters.
func (m *Mask) hide(s string, mark func(text string, list *secretPatterns) []span) string {
	if s == "" || !m.HasSecrets() {
		return s
	}
	needles, letters := m.lists()
	text, at := normalizeText(s)
	spans := toOriginal(mark(text, needles), at)
	text, at = lettersOf(text, at)
	return replaceSpans(s, append(spans, toOriginal(dropApart(mark(text, letters), at, len(s)), at)...))
}

// HasSecrets reports whether there is anything to hide.
func (m *Mask) HasSecrets() bool {
	needles, _ := m.lists()
	return len(needles.all) > 0
}

// Find returns where a text shows known values, as pairs of offsets, from the front. It is for drawn text: spaces are
// ignored, because their kind is not visible.
func (m *Mask) Find(s string) (places [][2]int) {
	if !m.HasSecrets() {
		return nil
	}
	m.mu.RLock()
	solid, letters := m.solid, m.letters
	m.mu.RUnlock()
	text, at := normalizeAll(s)
	spans := toOriginal(markTruncated(text, solid), at)
	text, at = lettersOf(text, at)
	for _, p := range mergeSpans(append(spans, toOriginal(dropApart(markTruncated(text, letters), at, len(s)), at)...)) {
		places = append(places, [2]int{p.from, p.to})
	}
	return places
}

// ellipsis marks omissions by tools and pages.
const ellipsis = "…"

// markAll marks every pattern, from the front.
func markAll(text string, list *secretPatterns) []span { return list.findAll(text) }

// markTruncated marks every pattern, and partial patterns beside an omission.
func markTruncated(text string, list *secretPatterns) []span {
	spans := list.findAll(text)
	for from := 0; ; {
		i := strings.Index(text[from:], ellipsis)
		if i < 0 {
			return spans
		}
		before, after := from+i, from+i+len(ellipsis)
		if l := prefixLen(text[:before], list); l > 0 {
			spans = append(spans, span{before - l, before, truncationMark, cutAfter})
		}
		if l := suffixLen(text[after:], list); l > 0 {
			spans = append(spans, span{after, after + l, truncationMark, cutBefore})
		}
		from = after
	}
}

// minPartial is the shortest part of a value at an edge that is hidden, in bytes.
const minPartial = 4

// markWithEdges marks every pattern, and one that is cut off at the beginning or end of the text.
func markWithEdges(text string, list *secretPatterns) []span {
	spans := list.findAll(text)
	if head := suffixLen(text, list); head > 0 {
		spans = append(spans, span{0, head, truncationMark, cutBefore})
	}
	if tail := prefixLen(text, list); tail > 0 {
		spans = append(spans, span{len(text) - tail, len(text), truncationMark, cutAfter})
	}
	return spans
}

// suffixLen counts the bytes at the beginning of a text that are the end of a value.
func suffixLen(text string, needles *secretPatterns) (head int) {
	for _, n := range needles.all {
		for l := min(len(n.text)-1, len(text)); l >= minPartial && l > head; l-- {
			if strings.HasPrefix(text, n.text[len(n.text)-l:]) {
				head = l
			}
		}
	}
	return head
}

// prefixLen counts the bytes at the end of a text that are the beginning of a value.
func prefixLen(text string, needles *secretPatterns) (tail int) {
	for _, n := range needles.all {
		for l := min(len(n.text)-1, len(text)); l >= minPartial && l > tail; l-- {
			if strings.HasSuffix(text, n.text[:l]) {
				tail = l
			}
		}
	}
	return tail
}

// replaceSpans replaces the marked ranges.
func replaceSpans(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, p := range mergeSpans(spans) {
		b.WriteString(s[done:p.from])
		b.WriteString(p.placeholder)
		done = p.to
	}
	b.WriteString(s[done:])
	return b.String()
}

package secret

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Mask hides known values: as they are, in capitals or small letters, in the forms of encodingsOf, and broken over
// lines or coloured by a terminal. It replaces them with their reference, so that a model can use that. The zero Mask
// knows no values. All methods may be called concurrently; Add affects later calls only.
type Mask struct {
	mu      sync.RWMutex
	values  map[string]bool
	needles *secretPatterns // replaced as a whole, never modified; nil: none
	solid   *secretPatterns // the same without spaces
}

// secretPattern is one form of one value, normalized.
type secretPattern struct{ text, placeholder string }

// secretPatterns are searched together.
type secretPatterns struct {
	all []secretPattern      // longest first
	by  [256][]secretPattern // the same by their first byte
}

var noPatterns secretPatterns

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
	var more, solid []secretPattern
	for _, form := range list {
		text, _ := normalizeText(form)
		if len(text) < minValue {
			continue
		}
		more = append(more, secretPattern{text, placeholder})
		if text, _ = normalizeAll(form); len(text) >= minPartial {
			solid = append(solid, secretPattern{text, placeholder})
		}
	}
	m.needles, m.solid = m.needles.with(more), m.solid.with(solid)
}

// with returns a new list with more patterns. Readers continue with n, which may be nil.
func (s *secretPatterns) with(more []secretPattern) *secretPatterns {
	next := &secretPatterns{}
	if s != nil {
		next.all = slices.Clone(s.all)
	}
	next.all = append(next.all, more...)
	slices.SortStableFunc(next.all, func(a, b secretPattern) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, one := range next.all {
		next.by[one.text[0]] = append(next.by[one.text[0]], one)
	}
	return next
}

// minLine is the shortest line of a multi-line value that is hidden separately, in bytes.
const minLine = 16

// list never returns nil.
func (m *Mask) list() *secretPatterns {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.needles == nil {
		return &noPatterns
	}
	return m.needles
}

// Text hides known values in a complete text.
func (m *Mask) Text(s string) string { return m.hide(s, false) }

// Partial hides known values in a text that may be part of a longer one. It also hides values that are cut off at its
// beginning or end, if at least four bytes are left.
func (m *Mask) Partial(s string) string { return m.hide(s, true) }

// Truncated hides known values in a complete text with omissions, marked by "…". It also hides partial values on both
// sides of an omission.
func (m *Mask) Truncated(s string) string {
	if !strings.Contains(s, ellipsis) || !m.HasSecrets() {
		return m.Text(s)
	}
	text, at := normalizeText(s)
	return replaceSpans(s, markTruncated(text, m.list()), at)
}

// markTruncated marks every pattern, and partial patterns beside an omission, from the front.
func markTruncated(text string, list *secretPatterns) []span {
	spans := findAll(text, list)
	for from := 0; ; {
		i := strings.Index(text[from:], ellipsis)
		if i < 0 {
			break
		}
		before, after := from+i, from+i+len(ellipsis)
		if l := prefixLen(text[:before], list); l > 0 {
			spans = append(spans, span{before - l, before, truncationMark})
		}
		if l := suffixLen(text[after:], list); l > 0 {
			spans = append(spans, span{after, after + l, truncationMark})
		}
		from = after
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return spans
}

// HasSecrets reports whether there is anything to hide.
func (m *Mask) HasSecrets() bool { return len(m.list().all) > 0 }

// Find returns where a text shows known values, as pairs of offsets, from the front. It is for drawn text: spaces are
// ignored, because their kind is not visible.
func (m *Mask) Find(s string) (places [][2]int) {
	if !m.HasSecrets() {
		return nil
	}
	m.mu.RLock()
	list := m.solid
	m.mu.RUnlock()
	text, at := normalizeAll(s)
	for _, p := range markTruncated(text, list) {
		places = append(places, [2]int{at[p.from], at[p.to-1] + 1})
	}
	return places
}

// ellipsis marks omissions by tools and pages.
const ellipsis = "…"

func (m *Mask) hide(s string, cut bool) string {
	if s == "" || !m.HasSecrets() {
		return s
	}
	list := m.list()
	text, at := normalizeText(s)
	spans := findAll(text, list)
	if cut {
		spans = findAtEdges(spans, text, list)
	}
	return replaceSpans(s, spans, at)
}

// span is a hidden range of a normalized text.
type span struct {
	from, to    int
	placeholder string
}

// findAll marks every pattern, from the front.
func findAll(text string, needles *secretPatterns) []span {
	var spans []span
	covered := 0
	for i := range len(text) {
		for _, n := range needles.by[text[i]] {
			if len(n.text) > len(text)-i || text[i:i+len(n.text)] != n.text {
				continue
			}
			if to := i + len(n.text); to > covered { // otherwise a longer one contains it
				spans, covered = append(spans, span{i, to, n.placeholder}), to
			}
			break
		}
	}
	return spans
}

// minPartial is the shortest part of a value at an edge that is hidden, in bytes.
const minPartial = 4

// findAtEdges marks a value that is cut off at the beginning or end of the text.
func findAtEdges(spans []span, text string, needles *secretPatterns) []span {
	if head := suffixLen(text, needles); head > 0 {
		spans = append([]span{{0, head, truncationMark}}, spans...)
	}
	if tail := prefixLen(text, needles); tail > 0 {
		spans = append(spans, span{len(text) - tail, len(text), truncationMark})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
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

// replaceSpans replaces the marked ranges. Overlapping ranges become one.
func replaceSpans(s string, spans []span, at []int) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done, end := 0, -1
	for _, p := range spans {
		from, to := at[p.from], at[p.to-1]+1
		switch {
		case p.from >= end: // a new range
			b.WriteString(s[done:from])
			b.WriteString(p.placeholder)
		case p.to <= end:
			continue
		}
		done, end = to, p.to
	}
	b.WriteString(s[done:])
	return b.String()
}

package secret

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Mask hides values that are known to it: as they are, in the forms in which
// URLs, JSON, HTML, shells, hexadecimal and base64 write them, and broken over
// lines or coloured by a terminal. What stands in their place is the reference, so
// that a model can go on with it. The zero Mask knows nothing. All methods may be
// called concurrently; a value holds from Add on, for what comes after.
type Mask struct {
	mu      sync.RWMutex
	known   map[string]bool
	needles *needles // replaced, never changed; nil: none
	solid   *needles // the same without spaces
}

// needle is one form of one value, without what squeeze leaves out.
type needle struct{ text, instead string }

// needles are looked for together.
type needles struct {
	all []needle      // longest first
	by  [256][]needle // the same by their first byte
}

// part stands where a text begins or ends in the middle of a value.
const part = "[hidden: part of a secret]"

// Add makes a value known. What is too short to be hidden without hiding
// ordinary words is left out.
func (m *Mask) Add(instead, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(strings.TrimSpace(value)) < minValue || m.known[value] {
		return
	}
	if m.known == nil {
		m.known = map[string]bool{}
	}
	m.known[value] = true
	list := forms(value)
	for line := range strings.Lines(value) { // a line of a key is a secret, too
		if line = strings.TrimSpace(line); len(line) >= minLine && line != value && !strings.HasPrefix(line, "-----") {
			list = append(list, line)
		}
	}
	var more, solid []needle
	for _, form := range list {
		text, _ := squeeze(form)
		if len(text) < minValue {
			continue
		}
		more = append(more, needle{text, instead})
		if text, _ = solidify(form); len(text) >= minEdge {
			solid = append(solid, needle{text, instead})
		}
	}
	m.needles, m.solid = m.needles.with(more), m.solid.with(solid)
}

// with is a new list: readers go on with the old one, which may be nil.
func (n *needles) with(more []needle) *needles {
	next := &needles{}
	if n != nil {
		next.all = slices.Clone(n.all)
	}
	next.all = append(next.all, more...)
	slices.SortStableFunc(next.all, func(a, b needle) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, one := range next.all {
		next.by[one.text[0]] = append(next.by[one.text[0]], one)
	}
	return next
}

// minLine is the shortest line of a value of several lines that is hidden by itself, in bytes.
const minLine = 16

// list is never nil.
func (m *Mask) list() *needles {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.needles == nil {
		return &needles{}
	}
	return m.needles
}

func (m *Mask) empty() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.needles == nil || len(m.needles.all) == 0
}

// Text hides what is known in a whole text.
func (m *Mask) Text(s string) string { return m.hide(s, false) }

// Part hides what is known in a text that may have been cut out of a longer one:
// what begins or ends in the middle of a value is hidden, too, from four bytes on.
func (m *Mask) Part(s string) string { return m.hide(s, true) }

// Clipped hides what is known in a whole text that has places where somebody left
// something out, with a "…" there: on both sides of it a value is hidden in part, too.
func (m *Mask) Clipped(s string) string {
	if !strings.Contains(s, omission) || m.empty() {
		return m.Text(s)
	}
	text, at := squeeze(s)
	return replaceSpans(s, clipped(text, m.list()), at)
}

// clipped marks every needle, and what is left of one beside an omission, from the front.
func clipped(text string, list *needles) []span {
	spans := find(text, list)
	for from := 0; ; {
		i := strings.Index(text[from:], omission)
		if i < 0 {
			break
		}
		before, after := from+i, from+i+len(omission)
		if l := begins(text[:before], list); l > 0 {
			spans = append(spans, span{before - l, before, part})
		}
		if l := ends(text[after:], list); l > 0 {
			spans = append(spans, span{after, after + l, part})
		}
		from = after
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return spans
}

// HasSecrets says whether there is anything to hide.
func (m *Mask) HasSecrets() bool { return !m.empty() }

// Find says where a text shows what is known, as pairs of offsets, from the front. It is
// for what is drawn: spaces count for nothing, since nobody sees which they are.
func (m *Mask) Find(s string) (places [][2]int) {
	if m.empty() {
		return nil
	}
	m.mu.RLock()
	list := m.solid
	m.mu.RUnlock()
	text, at := solidify(s)
	for _, p := range clipped(text, list) {
		places = append(places, [2]int{at[p.from], at[p.to-1] + 1})
	}
	return places
}

// omission is how tools and pages write that something was left out.
const omission = "…"

func (m *Mask) hide(s string, cut bool) string {
	if s == "" || m.empty() {
		return s
	}
	list := m.list()
	text, at := squeeze(s)
	spans := find(text, list)
	if cut {
		spans = edges(spans, text, list)
	}
	return replaceSpans(s, spans, at)
}

// span is what is hidden of a squeezed text.
type span struct {
	from, to int
	instead  string
}

// find marks every needle, from the front.
func find(text string, needles *needles) []span {
	var spans []span
	covered := 0
	for i := range len(text) {
		for _, n := range needles.by[text[i]] {
			if len(n.text) > len(text)-i || text[i:i+len(n.text)] != n.text {
				continue
			}
			if to := i + len(n.text); to > covered { // else a longer one holds it
				spans, covered = append(spans, span{i, to, n.instead}), to
			}
			break
		}
	}
	return spans
}

// minEdge is the least part of a value at an edge that is hidden, in bytes.
const minEdge = 4

// edges marks a value that the text begins or ends within.
func edges(spans []span, text string, needles *needles) []span {
	if head := ends(text, needles); head > 0 {
		spans = append([]span{{0, head, part}}, spans...)
	}
	if tail := begins(text, needles); tail > 0 {
		spans = append(spans, span{len(text) - tail, len(text), part})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return spans
}

// ends is how many bytes at the beginning of a text are the end of a value.
func ends(text string, needles *needles) (head int) {
	for _, n := range needles.all {
		for l := min(len(n.text)-1, len(text)); l >= minEdge && l > head; l-- {
			if strings.HasPrefix(text, n.text[len(n.text)-l:]) {
				head = l
			}
		}
	}
	return head
}

// begins is how many bytes at the end of a text are the beginning of a value.
func begins(text string, needles *needles) (tail int) {
	for _, n := range needles.all {
		for l := min(len(n.text)-1, len(text)); l >= minEdge && l > tail; l-- {
			if strings.HasSuffix(text, n.text[:l]) {
				tail = l
			}
		}
	}
	return tail
}

// replaceSpans writes the text without what is marked. Marks that overlap become one.
func replaceSpans(s string, spans []span, at []int) string {
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done, end := 0, -1
	for _, p := range spans {
		from, to := at[p.from], at[p.to-1]+1
		switch {
		case p.from >= end: // a new one
			b.WriteString(s[done:from])
			b.WriteString(p.instead)
		case p.to <= end:
			continue
		}
		done, end = to, p.to
	}
	b.WriteString(s[done:])
	return b.String()
}

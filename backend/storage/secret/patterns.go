package secret

import (
	"cmp"
	"slices"
)

// secretPattern is one form of one value, normalized.
type secretPattern struct{ text, placeholder string }

// keyLen is how many bytes of a pattern are its key. No pattern is shorter.
const keyLen = 4

// secretPatterns are searched together. The zero value has none.
type secretPatterns struct {
	all []secretPattern            // longest first
	by  map[string][]secretPattern // the same by their keys
	// pairs has a bit for the first two bytes of every pattern. Most places of a text begin none.
	pairs [1 << 10]uint64
}

// with returns a new list with more patterns. Readers continue with s, which may be nil.
func (s *secretPatterns) with(more []secretPattern) *secretPatterns {
	next := &secretPatterns{by: map[string][]secretPattern{}}
	if s != nil {
		next.all = slices.Clone(s.all)
	}
	next.all = append(next.all, more...)
	slices.SortStableFunc(next.all, func(a, b secretPattern) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, one := range next.all {
		next.by[one.text[:keyLen]] = append(next.by[one.text[:keyLen]], one)
		word, bit := pairIndex(one.text)
		next.pairs[word] |= bit
	}
	return next
}

func pairIndex(text string) (word int, bit uint64) {
	const wordBits = 64
	pair := int(text[0])<<8 | int(text[1])
	return pair / wordBits, 1 << (pair % wordBits)
}

// at returns the patterns that a text of at least keyLen bytes may begin with, longest first.
func (s *secretPatterns) at(text string) []secretPattern {
	if word, bit := pairIndex(text); s.pairs[word]&bit == 0 {
		return nil
	}
	return s.by[text[:keyLen]]
}

// span is a hidden range of a text.
type span struct {
	from, to    int
	placeholder string
	side        cutSide
}

// cutSide is where a partial value was cut off: before the span or after it.
type cutSide int

const (
	whole cutSide = iota
	cutBefore
	cutAfter
)

// findAll marks every pattern, from the front.
func (s *secretPatterns) findAll(text string) []span {
	var spans []span
	covered := 0
	for i := 0; i+keyLen <= len(text); i++ {
		for _, n := range s.at(text[i:]) {
			if len(n.text) > len(text)-i || text[i:i+len(n.text)] != n.text {
				continue
			}
			if to := i + len(n.text); to > covered { // otherwise a longer one contains it
				spans, covered = append(spans, span{i, to, n.placeholder, whole}), to
			}
			break
		}
	}
	return spans
}

// maxGap is how many bytes may be between two letters of a value.
const maxGap = 64

// dropApart drops spans of letters that are too far apart to be one value, and partial values that do not touch the
// place where they were cut off. at has the offsets of the letters in a text of size bytes.
func dropApart(spans []span, at []int, size int) []span {
	offset := func(i int) int {
		switch {
		case i < 0:
			return -1
		case i == len(at):
			return size
		}
		return at[i]
	}
	return slices.DeleteFunc(spans, func(p span) bool {
		if p.side == cutBefore && offset(p.from)-offset(p.from-1) > 1 ||
			p.side == cutAfter && offset(p.to)-offset(p.to-1) > 1 {
			return true
		}
		for i := p.from + 1; i < p.to; i++ {
			if at[i]-at[i-1]-1 > maxGap {
				return true
			}
		}
		return false
	})
}

// toOriginal converts spans of a normalized text to spans of the original one.
func toOriginal(spans []span, at []int) []span {
	for i, p := range spans {
		spans[i].from, spans[i].to = at[p.from], at[p.to-1]+1
	}
	return spans
}

// mergeSpans sorts spans from the front. Overlapping ones become one, with the placeholder of the first.
func mergeSpans(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	merged := spans[:0]
	for _, p := range spans {
		if last := len(merged) - 1; last >= 0 && p.from < merged[last].to {
			merged[last].to = max(merged[last].to, p.to)
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}

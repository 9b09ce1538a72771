package store

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxQuery = 400 // characters
	maxTerms = 12
)

// matchExpression translates what a user types to an expression of FTS4 of nothing but texts in quotes, so that no
// character of it has a meaning there. It is "" if nothing can be found with it.
func matchExpression(words string) string {
	if runes := []rune(words); len(runes) > maxQuery {
		words = string(runes[:maxQuery])
	}
	var terms []string
	isPrefix := false
	for i, part := range strings.Split(words, `"`) {
		list := strings.Fields(part)
		isQuoted := i%2 == 1
		if isQuoted {
			list = []string{part}
		}
		for _, word := range list {
			if word = plainWords(word); word != "" {
				terms, isPrefix = append(terms, word), !isQuoted
			}
		}
	}
	if len(terms) > maxTerms {
		terms, isPrefix = terms[:maxTerms], false
	}
	last := len(terms) - 1
	for i, term := range terms {
		// The words that begin with one letter are too many to be of use.
		if i == last && isPrefix && utf8.RuneCountInString(term[strings.LastIndexByte(term, ' ')+1:]) > 1 {
			term += "*"
		}
		terms[i] = `"` + term + `"`
	}
	return strings.Join(terms, " ")
}

// plainWords replaces everything but letters and digits by spaces, as the tokenizer does.
func plainWords(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M)
	}), " ")
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// parseOffsets reads what offsets() of FTS4 returns, four numbers for each word that was found: the column, the term,
// the first byte and the number of bytes.
func parseOffsets(offsets string) (found []span) {
	fields := strings.Fields(offsets)
	for i := 0; i+3 < len(fields); i += 4 {
		from, err := strconv.Atoi(fields[i+2])
		size, sizeErr := strconv.Atoi(fields[i+3])
		if fields[i] == "0" && err == nil && sizeErr == nil {
			found = append(found, span{from, from + size})
		}
	}
	return found
}

const (
	snippetSize   = 180 // bytes
	snippetBefore = 50
)

// snippet returns the part of a text with most of what was found, on one line.
func snippet(text string, found []span) []SearchPart {
	window := bestWindow(text, found)
	var parts []SearchPart
	add := func(s string, isFound bool) {
		if s = squeezeSpace(s); s != "" {
			parts = append(parts, SearchPart{s, isFound})
		}
	}
	at := window.from
	if at > 0 {
		parts = append(parts, SearchPart{Text: "…"})
	}
	for _, f := range found {
		if f.from >= at && f.to <= window.to {
			add(text[at:f.from], false)
			add(text[f.from:f.to], true)
			at = f.to
		}
	}
	add(text[at:window.to], false)
	if window.to < len(text) {
		parts = append(parts, SearchPart{Text: "…"})
	}
	return parts
}

// bestWindow returns the part of a text with most of what was found; of several, the first.
func bestWindow(text string, found []span) span {
	best, most := span{0, min(len(text), snippetSize)}, 0
	for i, first := range found {
		from := max(0, first.from-snippetBefore)
		to := min(len(text), max(from+snippetSize, first.to))
		n := 0
		for _, f := range found[i:] {
			if f.to > to {
				break
			}
			n++
		}
		if n > most {
			best, most = span{from, to}, n
		}
	}
	if space := strings.IndexByte(text[best.from:best.to], ' '); best.from > 0 && space < snippetBefore-1 {
		best.from += space + 1 // at the beginning of a word
	}
	for best.from > 0 && !utf8.RuneStart(text[best.from]) {
		best.from--
	}
	for best.to < len(text) && !utf8.RuneStart(text[best.to]) {
		best.to++
	}
	return best
}

// squeezeSpace replaces spaces and control characters by single spaces.
func squeezeSpace(s string) string {
	var b strings.Builder
	wasSpace := false
	for _, r := range s {
		isSpace := unicode.IsSpace(r) || unicode.IsControl(r)
		if isSpace && !wasSpace {
			b.WriteByte(' ')
		}
		if !isSpace {
			b.WriteRune(r)
		}
		wasSpace = isSpace
	}
	return b.String()
}

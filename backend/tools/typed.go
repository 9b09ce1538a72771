package tools

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/policy"
)

// Keys in what is spelled, besides characters and Enter.
const (
	interrupt = '\x03' // Ctrl+C: a shell forgets its line
	opaque    = '\x1a' // any key of which nobody can say what it writes
)

// maxLine is how much of an unfinished line is read again with what follows it.
const maxLine = 200

// Lines remembers what agents typed into panes and Enter has not ended yet: a command
// in two pieces is the command. The zero value is ready; concurrent use is fine.
type Lines struct {
	mu sync.Mutex
	of map[string]unfinished
}

type unfinished struct {
	text  string
	blind bool // keys were pressed that may have written anything
}

// read reads text after what stands in a pane. Another program may have read some of
// what stands there, so each rest of it is looked at.
func (l *Lines) read(s *shellLine, pane, text string) {
	l.mu.Lock()
	before := l.of[pane]
	l.mu.Unlock()
	dir := s.dir
	s.whole(readable(text))
	for i := range before.text {
		if s.lost == "" {
			s.dir = dir
			s.whole(readable(before.text[i:] + text))
		}
	}
	s.deletes = once(s.deletes)
	if before.blind || strings.ContainsFunc(text, unspelled) {
		s.doubt("keys were pressed that may write anything")
	}
}

// loose is the effect of typing text into a pane that no wall surrounds.
func (l *Lines) loose(pane, text string) policy.Effect {
	s := shellLine{loose: true}
	l.read(&s, pane, text)
	return policy.Effect{Risk: policy.NetworkWrite, CommandLine: text, Commands: s.commands, Deletes: s.deletes, Pane: pane, Unparsed: s.unread}
}

// typed notes what is typed into a pane.
func (l *Lines) typed(pane, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of[pane]
	for _, r := range newlines(text) {
		switch {
		case r == interrupt, r == '\n' && !goesOn(u.text):
			u = unfinished{}
		case unspelled(r), len(u.text) >= maxLine:
			u.blind = true
		default:
			u.text += string(r)
		}
	}
	if l.of == nil {
		l.of = map[string]unfinished{}
	}
	l.of[pane] = u
}

func newlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// readable is text as a shell reads it.
func readable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == interrupt:
			return '\n'
		case unspelled(r):
			return ' '
		}
		return r
	}, text)
}

// unspelled are characters that a terminal takes for keys.
func unspelled(r rune) bool {
	return r < ' ' && r != '\n' && r != interrupt || r == '\x7f'
}

// goesOn says whether a shell waits for more after Enter.
func goesOn(line string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line+"\n"), "")
	return strings.HasSuffix(line, `\`) || err != nil && syntax.IsIncomplete(err)
}

func once(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

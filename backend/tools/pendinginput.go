package tools

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"goalpost/backend/policy"
)

// Keys in the typed text, besides characters and Enter.
const (
	ctrlC       = '\x03' // Ctrl+C: a shell discards its line
	unknownText = '\x1a' // a key whose text is unknown
)

// maxLine is how much of an unfinished line is analyzed together with the text after it.
const maxLine = 200

// PendingInput remembers text that agents typed into panes without Enter: a command in two pieces is analyzed as one.
// The zero value is ready; it may be used concurrently.
type PendingInput struct {
	mu sync.Mutex
	of map[string]partialLine
}

type partialLine struct {
	text  string
	blind bool // keys with an unknown effect on the line were pressed
}

// analyze analyzes text together with the pending text of a pane. Another program may have read a part of that, so
// each suffix of it is analyzed.
func (l *PendingInput) analyze(s *commandAnalysis, pane, text string) {
	l.mu.Lock()
	before := l.of[pane]
	l.mu.Unlock()
	dir := s.dir
	s.analyze(asShellReads(text))
	for i := range before.text {
		if s.lost == "" {
			s.dir = dir
			s.analyze(asShellReads(before.text[i:] + text))
		}
	}
	s.deletes = removeDuplicates(s.deletes)
	if before.blind || strings.ContainsFunc(text, keyCharacters) {
		s.markUnparsed("keys with an unknown effect were pressed")
	}
}

// unconfinedEffect is the effect of typing text into a pane outside the sandbox.
func (l *PendingInput) unconfinedEffect(pane, text string) policy.Effect {
	s := commandAnalysis{loose: true}
	l.analyze(&s, pane, text)
	return policy.Effect{
		Risk:        policy.NetworkWrite,
		CommandLine: text,
		Commands:    s.commands,
		Deletes:     s.deletes,
		Pane:        pane,
		Unparsed:    s.unread,
	}
}

// record remembers what is typed into a pane.
func (l *PendingInput) record(pane, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of[pane]
	for _, r := range countNewlines(text) {
		switch {
		case r == ctrlC, r == '\n' && !isIncomplete(u.text):
			u = partialLine{}
		case keyCharacters(r), len(u.text) >= maxLine:
			u.blind = true
		default:
			u.text += string(r)
		}
	}
	if l.of == nil {
		l.of = map[string]partialLine{}
	}
	l.of[pane] = u
}

func countNewlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// asShellReads is text as a shell reads it.
func asShellReads(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ctrlC:
			return '\n'
		case keyCharacters(r):
			return ' '
		}
		return r
	}, text)
}

// keyCharacters reports whether a terminal treats a character as a key.
func keyCharacters(r rune) bool {
	return r < ' ' && r != '\n' && r != ctrlC || r == '\x7f'
}

// isIncomplete reports whether a shell waits for more after Enter.
func isIncomplete(line string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line+"\n"), "")
	return strings.HasSuffix(line, `\`) || err != nil && syntax.IsIncomplete(err)
}

func removeDuplicates(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

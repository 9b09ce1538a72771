package commandline

import (
	"strings"
	"sync"

	"goalpost/backend/policy"
	"goalpost/backend/shell"
)

// Keys in the typed text, besides characters and Enter.
const (
	CtrlC      = '\x03' // Ctrl+C: a shell discards its line
	UnknownKey = '\x1a' // a key whose text is unknown
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

// Analyze analyzes text that is typed into a pane whose shell is in the folder dir, "" if that is unknown.
func (l *PendingInput) Analyze(dir, pane, text string) Analysis {
	s := Analysis{dir: dir}
	l.analyze(&s, pane, text)
	return s
}

// analyze analyzes text together with the pending text of a pane. Another program may have read a part of that, so
// each suffix of it is analyzed.
func (l *PendingInput) analyze(s *Analysis, pane, text string) {
	l.mu.Lock()
	before := l.of[pane]
	l.mu.Unlock()
	dir := s.dir
	s.analyze(AsShellReads(text))
	for i := range before.text {
		if s.lost == "" {
			s.dir = dir
			s.analyze(AsShellReads(before.text[i:] + text))
		}
	}
	s.deletes = removeDuplicates(s.deletes)
	if before.blind || strings.ContainsFunc(text, keyCharacters) {
		s.markUnparsed("keys with an unknown effect were pressed")
	}
}

// UnconfinedEffect is the effect of typing text into a pane outside the sandbox.
func (l *PendingInput) UnconfinedEffect(pane, text string) policy.Effect {
	s := Analysis{loose: true}
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

// Record remembers what is typed into a pane.
func (l *PendingInput) Record(pane, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of[pane]
	for _, r := range NormalizeNewlines(text) {
		switch {
		case r == CtrlC, r == '\n' && !isIncomplete(u.text):
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

// NormalizeNewlines turns every kind of Enter into a newline.
func NormalizeNewlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// AsShellReads is text as a shell reads it.
func AsShellReads(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == CtrlC:
			return '\n'
		case keyCharacters(r):
			return ' '
		}
		return r
	}, text)
}

// keyCharacters reports whether a terminal treats a character as a key.
func keyCharacters(r rune) bool {
	return r < ' ' && r != '\n' && r != CtrlC || r == '\x7f'
}

// isIncomplete reports whether a shell waits for more after Enter.
func isIncomplete(line string) bool {
	_, err := shell.Parse(line + "\n")
	return strings.HasSuffix(line, `\`) || shell.IsIncomplete(err)
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

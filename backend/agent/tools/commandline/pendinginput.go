package commandline

import (
	"strings"
	"sync"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/shell"
)

// Keys in the typed text, besides characters and Enter.
const (
	CtrlC      = '\x03' // Ctrl+C: a shell discards its line
	UnknownKey = '\x1a' // a key whose text is unknown
)

// maxLine limits how much of an unfinished line is analyzed together with the text after it, in characters.
const maxLine = 200

// PendingInput stores text that agents typed into panes without Enter, so that a command typed in two pieces is
// analyzed as one. The zero value is ready to use. It is safe for concurrent use.
type PendingInput struct {
	mu sync.Mutex
	of map[string]partialLine
}

type partialLine struct {
	text  string
	blind bool // keys with an unknown effect on the line were pressed
}

// Analyze analyzes text that is typed into a pane. dir is the folder of its shell, "" if it is unknown.
func (p *PendingInput) Analyze(dir, pane, text string) Analysis {
	s := Analysis{dir: dir}
	p.analyze(&s, pane, text)
	return s
}

// analyze analyzes text together with the pending text of a pane. Another program may have read the beginning of the
// pending text, so each suffix of it is analyzed.
func (p *PendingInput) analyze(s *Analysis, pane, text string) {
	p.mu.Lock()
	before := p.of[pane]
	p.mu.Unlock()
	dir := s.dir
	s.analyze(AsShellReads(text))
	for i := range before.text {
		if s.giveUpReason == "" {
			s.dir = dir
			s.analyze(AsShellReads(before.text[i:] + text))
		}
	}
	s.deletes = removeDuplicates(s.deletes)
	if before.blind || strings.ContainsFunc(text, isKeyCharacter) {
		s.markUnparsed("keys with an unknown effect were pressed")
	}
}

// UnconfinedEffect returns the effect of typing text into a pane outside the sandbox.
func (p *PendingInput) UnconfinedEffect(pane, text string) policy.Effect {
	s := Analysis{isUnconfined: true}
	p.analyze(&s, pane, text)
	return policy.Effect{
		Risk:        policy.NetworkWrite,
		CommandLine: text,
		Commands:    s.commands,
		Deletes:     s.deletes,
		Pane:        pane,
		Unparsed:    s.unparsedReason,
	}
}

// Record stores the unfinished part of text that is typed into a pane.
func (p *PendingInput) Record(pane, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.of[pane]
	for _, r := range NormalizeNewlines(text) {
		switch {
		case r == CtrlC, r == '\n' && !isIncomplete(u.text):
			u = partialLine{}
		case isKeyCharacter(r), len(u.text) >= maxLine:
			u.blind = true
		default:
			u.text += string(r)
		}
	}
	if p.of == nil {
		p.of = map[string]partialLine{}
	}
	p.of[pane] = u
}

// NormalizeNewlines converts every kind of Enter to a newline.
func NormalizeNewlines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// AsShellReads returns text as a shell reads it.
func AsShellReads(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == CtrlC:
			return '\n'
		case isKeyCharacter(r):
			return ' '
		}
		return r
	}, text)
}

// isKeyCharacter reports whether a terminal treats a character as a key.
func isKeyCharacter(r rune) bool {
	return r < ' ' && r != '\n' && r != CtrlC || r == '\x7f'
}

// isIncomplete reports whether a shell waits for more input after Enter.
func isIncomplete(line string) bool {
	_, err := shell.Parse(line + "\n")
	return strings.HasSuffix(line, `\`) || shell.IsIncomplete(err)
}

func removeDuplicates(list []string) (out []string) {
	present := map[string]bool{}
	for _, s := range list {
		if !present[s] {
			present[s] = true
			out = append(out, s)
		}
	}
	return out
}

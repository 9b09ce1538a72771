package terminal

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shellMark is something that a program says to the terminal about itself.
type shellMark struct {
	kind       markKind
	exit       int    // of a done mark
	dir        string // of a directory mark
	line       string // of a running mark: the command, if the shell says it
	start, end int64  // offsets of the sequence itself
}

type markKind int

const (
	markPromptStart  markKind = iota + 1 // OSC 133;A
	markPromptEnd                        // OSC 133;B
	markContinuation                     // OSC 133;A;k=s: the shell wants the rest of a command
	markCommandStart                     // OSC 133;C, with ;cmdline_url=… if the shell says what runs
	markCommandEnd                       // OSC 133;D;exit
	markCwd                              // OSC 7
)

// maxOSC bounds what is remembered of one sequence; a longer one is no mark.
const maxOSC = 4 << 10

// markParser finds marks in a stream that arrives in pieces. Command marks count
// only with the session's nonce: a program prints what it likes, but the nonce
// is known to the shell alone.
type markParser struct {
	nonce string
	host  string // whose folders count, "" is everyone's
	state oscState
	text  []byte
	begin int64
}

type oscState int

const (
	oscOutside oscState = iota
	oscEscape           // after ESC
	oscInside           // after ESC ]
	oscEnding           // after ESC within, a backslash ends it
)

// feed looks at p, whose first byte is at offset at, and returns the marks that
// end in it.
func (m *markParser) feed(p []byte, at int64) []shellMark {
	var found []shellMark
	for i := 0; i < len(p); i++ {
		b := p[i]
		switch m.state {
		case oscOutside:
			next := bytes.IndexByte(p[i:], 0x1b)
			if next < 0 {
				return found
			}
			i += next
			m.state, m.begin = oscEscape, at+int64(i)
		case oscEscape:
			switch b {
			case ']':
				m.state, m.text = oscInside, m.text[:0]
			case 0x1b:
				m.begin = at + int64(i)
			default:
				m.state = oscOutside
			}
		case oscInside, oscEnding:
			if m.state == oscEnding && b == '\\' || b == 0x07 {
				if found1, ok := m.parse(at + int64(i) + 1); ok {
					found = append(found, found1)
				}
				m.state = oscOutside
				continue
			}
			found = m.inside(found, b, at+int64(i))
		}
	}
	return found
}

func (m *markParser) inside(found []shellMark, b byte, at int64) []shellMark {
	switch {
	case m.state == oscEnding && b == ']': // a new one begins in the middle
		m.state, m.text, m.begin = oscInside, m.text[:0], at-1
	case m.state == oscEnding && b != 0x1b: // ESC x ends it and is another sequence
		m.state = oscOutside
	case b == 0x1b:
		m.state = oscEnding
	case b == 0x18 || b == 0x1a: // CAN, SUB
		m.state = oscOutside
	case len(m.text) >= maxOSC:
		m.text = append(m.text[:0], "too long"...)
		m.state = oscInside
	default:
		m.text = append(m.text, b)
	}
	return found
}

// parse understands one whole sequence.
func (m *markParser) parse(end int64) (shellMark, bool) {
	code, rest, _ := strings.Cut(string(m.text), ";")
	found := shellMark{start: m.begin, end: end}
	switch code {
	case "7":
		dir, ok := m.fileURL(rest)
		found.kind, found.dir = markCwd, dir
		return found, ok
	case "133":
		fields := strings.Split(rest, ";")
		if m.nonce == "" || fields[len(fields)-1] != "goalpost="+m.nonce {
			return shellMark{}, false
		}
		return m.command(found, fields)
	}
	return shellMark{}, false
}

func (m *markParser) command(found shellMark, fields []string) (shellMark, bool) {
	switch fields[0] {
	case "A":
		found.kind = markPromptStart
		if len(fields) > 2 && fields[1] == "k=s" {
			found.kind = markContinuation
		}
	case "B":
		found.kind = markPromptEnd
	case "C":
		found.kind = markCommandStart
		for _, field := range fields[1:] {
			if text, ok := strings.CutPrefix(field, "cmdline_url="); ok {
				found.line = commandLine(text)
			}
		}
	case "D":
		exit, err := strconv.Atoi(fields[1])
		if err != nil || exit < 0 || exit > 255 {
			return shellMark{}, false
		}
		found.kind, found.exit = markCommandEnd, exit
	default:
		return shellMark{}, false
	}
	return found, true
}

// commandLine is a command as it was typed, without what must not be typed again.
func commandLine(text string) string {
	line, err := url.PathUnescape(text)
	if err != nil || !utf8.ValidString(line) {
		return ""
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, line))
}

// fileURL is the path of file://host/path. A shell on another machine, reached by
// an ssh that was typed here, speaks of folders there.
func (m *markParser) fileURL(text string) (string, bool) {
	u, err := url.Parse(text)
	if err == nil && m.host != "" && u.Host != "" && u.Host != "localhost" && u.Host != m.host {
		return "", false
	}
	if err != nil || u.Scheme != "file" || !strings.HasPrefix(u.Path, "/") || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	return u.Path, true
}

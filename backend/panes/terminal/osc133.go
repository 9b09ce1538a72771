package terminal

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// shellMark is a status message of a program to the terminal.
type shellMark struct {
	kind       markKind
	exit       int    // of a command-end mark
	dir        string // of a folder mark
	line       string // of a command-start mark: the command, if the shell reports it
	start, end int64  // offsets of the sequence itself
}

type markKind int

const (
	markPromptStart  markKind = iota + 1 // OSC 133;A
	markPromptEnd                        // OSC 133;B
	markContinuation                     // OSC 133;A;k=s: the shell waits for the rest of a command
	markCommandStart                     // OSC 133;C, with ;cmdline_url=… if the shell reports the command
	markCommandEnd                       // OSC 133;D;exit
	markCwd                              // OSC 7
)

// maxOSC limits the stored bytes of one sequence; a longer one is not a mark.
const maxOSC = 4 << 10

// markParser finds marks in a stream that arrives in pieces. Command marks are accepted only with the session's
// nonce: programs can print anything, but only the shell knows the nonce.
type markParser struct {
	nonce string
	host  string // folders of other hosts are ignored; "" accepts all hosts
	state oscState
	text  []byte
	begin int64
}

type oscState int

const (
	oscOutside oscState = iota
	oscEscape           // after ESC
	oscInside           // after ESC ]
	oscEnding           // after ESC inside; a backslash ends it
)

// feed parses p, whose first byte has the offset at, and returns the marks that end in it.
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
	case m.state == oscEnding && b == ']': // a new sequence begins in the middle
		m.state, m.text, m.begin = oscInside, m.text[:0], at-1
	case m.state == oscEnding && b != 0x1b: // ESC and another character end the string and begin another sequence
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

// parse parses one complete sequence.
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

// commandLine returns a command as it was typed, without parts that must not be typed again.
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

// fileURL returns the path of file://host/path. A shell on another machine, reached by ssh in this terminal, reports
// folders of that machine.
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

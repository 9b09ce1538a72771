package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// reported lists the fields of an event that its line shows. It leaves out what other tests cover (texts of tools,
// sizes of outputs), so that a transcript changes only with the contract. A type without a case shows all fields.
func reported(kind string) []string {
	return map[string][]string{
		"created":      {"objective", "criterion", "risk"},
		"step_started": {"step_id", "tool"},
		"step":         {"step_id", "tool", "outcome"},
		"verdict":      {"claim", "check", "outcome", "detail"},
		"usage":        {"tokens_in", "tokens_out", "by", "guessed"},
		"paused":       {"exit", "reason", "pane"},
		"ended":        {"status", "exit", "verified", "report"},
	}[kind]
}

// render formats one event as a line, and as a line with all fields.
func render(t *testing.T, e event.Event) (line, whole string) {
	kind := e.Body.EventType()
	if m, ok := e.Body.(*event.Message); ok {
		whole = message(m.Message)
		if m.Message.Role == goal.ToolRole {
			return "message tool", whole
		}
		return whole, whole
	}
	var raw bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e.Body); err != nil {
		t.Fatal(err)
	}
	all := fields(t, raw.Bytes(), nil)
	return strings.Join(append([]string{kind}, fields(t, raw.Bytes(), reported(kind))...), " "),
		strings.Join(append([]string{kind}, all...), " ")
}

func message(m goal.Message) string {
	parts := []string{"message", string(m.Role)}
	if m.Text != "" || len(m.Calls) == 0 {
		parts = append(parts, fmt.Sprintf("%q", m.Text))
	}
	for _, c := range m.Calls {
		parts = append(parts, fmt.Sprintf("%s(%s)", c.Tool, strings.ReplaceAll(c.Arguments, "\n", " ")))
	}
	return strings.Join(parts, " ")
}

// fields formats the fields as key=value, in the order of the JSON.
func fields(t *testing.T, raw []byte, reported []string) []string {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	var list []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if name := fmt.Sprint(key); reported == nil || slices.Contains(reported, name) {
			list = append(list, name+"="+string(value))
		}
	}
	return list
}

// short truncates a line.
func short(line string) string {
	most := 160
	switch kind, _, _ := strings.Cut(line, " "); kind {
	case "ended", "paused":
		most = 120
	}
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

var (
	anyID       = regexp.MustCompile(`\b01[0-9a-hjkmnp-tv-z]{24}\b`)
	anyHash     = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	anyDuration = regexp.MustCompile(`\b(\d+ ?h ?)?(\d+ ?m ?)?\d+(\.\d+)? ?(ms|µs|s)\b|\b\d+ h( \d\d m)?\b|\b\d+ m\b`)
	anyTime     = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT[0-9:.]+Z?`)
	anyPort     = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)
	anyCurl     = regexp.MustCompile(`(curl: \(\d+\))[^"\\\n]*`) // the text differs between versions
	anyTokens   = regexp.MustCompile(`tokens_in=\d+`)
	anyGuess    = regexp.MustCompile(`tokens_in=\d+( tokens_out=\d+.* guessed=true)`)
	anyPid      = regexp.MustCompile(`\bpid \d+`)
	anyAside    = regexp.MustCompile(`/aside/[0-9][0-9.-]*`) // a time, possibly truncated
)

// normaliser returns a function that replaces everything that differs from run to run.
func (s *stage) normaliser() func(string) string {
	known := []string{s.dir, "$DIR", s.home, "$HOME"}
	known = append(known, s.words.Replace("$SELF"), "$SELF", "localhost port "+s.words.Replace("$PORT"),
		"localhost port $PORT")
	paths := strings.NewReplacer(known...)
	return func(line string) string {
		line = paths.Replace(line)
		for _, name := range s.names() {
			line = strings.ReplaceAll(line, string(s.id(name)), "$GOAL("+name+")")
			line = strings.ReplaceAll(line, s.id(name).Short(), "$GOAL("+name+")")
		}
		line = anyID.ReplaceAllString(line, "$$ID")
		line = anyHash.ReplaceAllString(line, "$$SHA256")
		line = anyAside.ReplaceAllString(line, "/aside/$$TIME")
		line = anyTime.ReplaceAllString(line, "$$TIME")
		line = anyDuration.ReplaceAllString(line, "$$T")
		line = anyPort.ReplaceAllString(line, "$1:$$PORT")
		if s.tr.comment["window"] != "" { // these numbers depend on the length of the folder's name
			line = anyTokens.ReplaceAllString(line, "tokens_in=$$N")
		}
		line = anyGuess.ReplaceAllString(line, "tokens_in=$$N$1") // depends on the length, too
		line = anyCurl.ReplaceAllString(line, "$1 …")
		return anyPid.ReplaceAllString(line, "pid $$PID")
	}
}

// ownPort reserves a port of the loopback until the end of the test. It is free inside a goal's network, and no other
// program of the machine can be mistaken for one of the goal.
func ownPort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

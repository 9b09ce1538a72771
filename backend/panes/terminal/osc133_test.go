package terminal

import (
	"reflect"
	"testing"
)

func TestMarks_EachSequence_IsRead(t *testing.T) {
	const n = ";goalpost=n1"
	long := "\x1b]133;C" + string(make([]byte, 2*maxOSC)) + n + "\x07"
	for text, want := range map[string][]shellMark{
		"plain\x1b[31m\n":                          nil,
		"\x1b]133;A" + n + "\x07":                  {{kind: markPromptStart, end: 20}},
		"x\x1b]133;B" + n + "\x1b\\y":              {{kind: markPromptEnd, start: 1, end: 22}},
		"\x1b]133;A;k=s" + n + "\x07":              {{kind: markContinuation, end: 24}},
		"\x1b]133;D;17" + n + "\x07":               {{kind: markCommandEnd, exit: 17, end: 23}},
		"\x1b]133;D;17\x07":                        nil, // printed by a program, which does not know the nonce
		"\x1b]133;D;17;goalpost=n2\x07":            nil,
		"\x1b]133;D" + n + "\x07":                  nil,
		"\x1b]133;D;256" + n + "\x07":              nil,
		"\x1b]133;D;x" + n + "\x07":                nil,
		"\x1b]133;goalpost=n1\x07":                 nil,
		"\x1b]133;Z" + n + "\x07":                  nil,
		"\x1b]133;C\x18" + n + "\x07":              nil, // cancelled
		"\x1b]0;t\x1b]133;C" + n + "\x07":          {{kind: markCommandStart, start: 5, end: 25}},
		"\x1b\x1b]133;C" + n + "\x07":              {{kind: markCommandStart, start: 1, end: 21}},
		"\x1b]7;file://host/a%20b\x07":             {{kind: markCwd, dir: "/a b", end: 22}},
		"\x1b]7;file:///x\x1b\\":                   {{kind: markCwd, dir: "/x", end: 15}},
		"\x1b]7;http://h/x\x07\x1b]7;file:rel\x07": nil,
		"\x1b]7;file:///a%00b\x07":                 nil,
		long:                                       nil,
		long + "\x1b]133;C" + n + "\x07": {{
			kind:  markCommandStart,
			start: int64(len(long)),
			end:   int64(len(long)) + 20,
		}},
	} {
		m := markParser{nonce: "n1"}
		if got := m.feed([]byte(text), 0); !reflect.DeepEqual(got, want) {
			t.Errorf("%.60q: %+v, want %+v", text, got, want)
		}
		m = markParser{nonce: "n1"}
		var got []shellMark
		for i := range text { // in pieces of one byte
			got = append(got, m.feed([]byte(text[i:i+1]), int64(i))...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%.60q in pieces: %+v, want %+v", text, got, want)
		}
	}
}

func TestMarks_FolderOfAnotherMachine_IsIgnored(t *testing.T) {
	m := markParser{host: "here"}
	for text, want := range map[string]int{
		"file:///a":          1,
		"file://here/a":      1,
		"file://localhost/a": 1,
		"file://there/a":     0,
	} {
		if got := m.feed([]byte("\x1b]7;"+text+"\x07"), 0); len(got) != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestMarks_WithoutNonce_AreIgnored(t *testing.T) {
	m := markParser{}
	if got := m.feed([]byte("\x1b]133;C;goalpost=\x07"), 0); got != nil {
		t.Errorf("%+v", got)
	}
}

func FuzzMarks(f *testing.F) {
	f.Add([]byte("\x1b]133;D;1;goalpost=n\x07\x1b]7;file:///x\x1b\\"), uint8(3))
	f.Add([]byte("\x1b]\x1b]\x1b\x1b\x18\x1a\x07"), uint8(1))
	f.Fuzz(func(t *testing.T, p []byte, cut uint8) {
		at := min(int(cut), len(p))
		whole := markParser{nonce: "n"}
		want := whole.feed(p, 100)
		parts := markParser{nonce: "n"}
		got := append(parts.feed(p[:at], 100), parts.feed(p[at:], 100+int64(at))...)
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d: %+v, whole: %+v", at, got, want)
		}
		last := int64(100)
		for _, m := range want {
			if m.start < last || m.end <= m.start || m.end > 100+int64(len(p)) {
				t.Fatalf("%+v after %d", m, last)
			}
			last = m.end
		}
	})
}

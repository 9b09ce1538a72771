package acptest_test

import (
	"io"
	"strings"
	"testing"

	"goalpost/backend/agent/engine/acp/acptest"
)

func noShell(string) error { return nil }

// TestPlay_Transcript_SendsAndCompares: the agent compares the host's messages with the transcript, and puts their ids
// into its answers.
func TestPlay_Transcript_SendsAndCompares(t *testing.T) {
	const transcript = `{"host":{"method":"initialize","params":{"v":1}}}
{"agent":{"id":"$initialize","result":{"text":"$PAD$N"}},"repeat":2,"pad":3}
{"host":{"id":7,"result":{"outcome":"~ed"}}}
`
	for name, c := range map[string]struct{ in, want, err string }{
		"as wanted": {
			in: `{"id":4,"method":"other"}` + "\n" + `{"id":5,"method":"initialize","params":{"v":1,"w":2}}` + "\n" +
				`{"id":7,"result":{"outcome":"selected"}}` + "\n",
			want: `{"id":5,"result":{"text":"xxx0"}}` + "\n" + `{"id":5,"result":{"text":"xxx1"}}` + "\n",
		},
		"another value":    {in: `{"id":5,"method":"initialize","params":{"v":2}}` + "\n", err: "line 1: the host sent"},
		"no JSON":          {in: "hello\n", err: "line 1: the host sent hello"},
		"the host is gone": {in: "", err: "line 1: the host closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := acptest.Play(strings.NewReader(transcript), strings.NewReader(c.in), &out, noShell)
			if c.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) || out.String() != c.want {
				t.Errorf("%v, sent %q", err, out.String())
			}
		})
	}
}

func TestPlay_BadTranscript_NamesTheLine(t *testing.T) {
	for _, text := range []string{"{}", `{"unknown":1}`, "no JSON"} {
		err := acptest.Play(strings.NewReader(text+"\n"), strings.NewReader(""), io.Discard, noShell)
		if err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

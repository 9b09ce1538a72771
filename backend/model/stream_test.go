package model

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"goalpost/backend/goal"
)

func TestStreamReadsOneByteAtATime(t *testing.T) {
	const raw = "\xEF\xBB\xBFdata: {\"choices\":[{\"delta\":{\"content\":\"é世\"}}]}\r\n\r\n: hi\r\n\r\nevent: x\r\ndata: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"!\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]"
	r, err := readStream(io.NopCloser(iotest.OneByteReader(strings.NewReader(raw))), nil, time.Minute)
	if err != nil || r.Text != "é世!" {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestEndlessStreamIsBounded(t *testing.T) {
	line := []byte("data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("x", 1<<20) + "\"}}]}\n\n")
	_, err := readStream(io.NopCloser(&loop{line: line}), nil, time.Minute)
	if e, ok := AsError(err); !ok || e.Kind != Garbage || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("error %v", err)
	}
}

// loop repeats a line for ever.
type loop struct {
	line []byte
	at   int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.line[l.at:])
	l.at = (l.at + n) % len(l.line)
	return n, nil
}

func TestTooManyCalls(t *testing.T) {
	var c calls
	for i := range maxCalls + 1 {
		err := c.add(toolPart{Index: &i})
		if (err != nil) != (i == maxCalls) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
}

func TestPrices(t *testing.T) {
	for model, window := range map[string]int{"gpt-4o": 128_000, "gpt-4o-mini-2024-07-18": 128_000, "gpt-4.1-mini": 1_047_576, "gpt-4o-audio-preview": 0, "llama": 0, "": 0} {
		if got := Window(model); got != window {
			t.Errorf("window of %q is %d", model, got)
		}
	}
	used := goal.Usage{TokensIn: 1_000_000, TokensOut: 100_000}
	far, local := &OpenAI{o: Options{BaseURL: "https://api.openai.com/v1"}}, &OpenAI{o: Options{BaseURL: "http://127.0.0.1:1/v1"}}
	if usd := far.cost("gpt-4o-2024-08-06", used); math.Abs(usd-3.5) > 1e-9 {
		t.Errorf("cost %v", usd)
	}
	if usd := local.cost("gpt-4o", used); usd != 0 {
		t.Errorf("a local model costs %v", usd)
	}
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-9,\"function\":{\"arguments\":{\"a\":1}}}]}}]}\r\n\r\ndata: [DONE]",
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"\",\"function\":{\"name\":\"x\",\"arguments\":null}}]}}]}\n\n",
		"data: {\"error\":\"no\"}\n\n", "error: {\"code\":500}\n\n", "{\"usage\":{\"prompt_tokens\":1e300}}\n", "<html>", "data:", ":", "data: [DONE]", "\xff\x00", "data: 1\ndata: 2\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":[{\"text\":\"a\"}]},\"index\":1}]}\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var heard strings.Builder
		r, err := readStream(io.NopCloser(bytes.NewReader(raw)), func(s string) { heard.WriteString(s) }, time.Minute)
		switch {
		case err != nil:
			if _, ok := AsError(err); !ok {
				t.Fatalf("an error without a kind: %v", err)
			}
			if r.Text != "" || r.Calls != nil {
				t.Fatalf("half a reply: %+v", r)
			}
		case r.Text != heard.String():
			t.Fatalf("text %q, heard %q", r.Text, heard.String())
		case r.Usage.TokensIn < 0 || r.Usage.TokensOut < 0:
			t.Fatalf("usage %+v", r.Usage)
		}
		for _, c := range r.Calls {
			if c.Tool == "" || c.Arguments == "" {
				t.Fatalf("call %+v", c)
			}
		}
	})
}

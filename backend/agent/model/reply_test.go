package model

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"
)

// free returns a reader that computes no cost.
func free(delta func(string)) *replyReader {
	return newOpenAIReader(delta, func(tokenCount) float64 { return 0 })
}

func TestStream_OneByteReads_AreRead(t *testing.T) {
	const raw = "\xEF\xBB\xBFdata: {\"choices\":[{\"delta\":{\"content\":\"é世\"}}]}\r\n\r\n: hi\r\n\r\nevent: " +
		"x\r\ndata: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"!\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]"
	r, err := free(nil).read(io.NopCloser(iotest.OneByteReader(strings.NewReader(raw))), time.Minute)
	if err != nil || r.Text != "é世!" {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestStream_Endless_IsBounded(t *testing.T) {
	line := []byte("data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("x", 1<<20) + "\"}}]}\n\n")
	_, err := free(nil).read(io.NopCloser(&loop{line: line}), time.Minute)
	if e, ok := AsError(err); !ok || e.Kind != InvalidReply || !strings.Contains(err.Error(), "64 MiB") {
		t.Errorf("error %v", err)
	}
}

// loop is a reader that repeats a line for ever.
type loop struct {
	line []byte
	at   int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.line[l.at:])
	l.at = (l.at + n) % len(l.line)
	return n, nil
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		`data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":-9,"function":{"arguments":{"a":1}}}]}}]}` +
			"\r\n\r\ndata: [DONE]",
		`data: {"choices":[{"delta":{"tool_calls":[{"id":"","function":{"name":"x","arguments":null}}]}}]}` + "\n\n",
		"data: {\"error\":\"no\"}\n\n", "error: {\"code\":500}\n\n", "{\"usage\":{\"prompt_tokens\":1e300}}\n", "<html>",
		"data:", ":", "data: [DONE]", "\xff\x00", "data: 1\ndata: 2\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":[{\"text\":\"a\"}]},\"index\":1}]}\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { readAnything(t, raw, free) })
}

func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{
		"event: message_start\n" +
			`data: {"type":"message_start","message":{"usage":{"input_tokens":1e300}}}` + "\n\n" +
			"event: message_stop\n" +
			`data: {"type":"message_stop"}` + "\n\n",
		`data: {"type":"content_block_start","index":-1,"content_block":{"type":"text","text":"hi\u0000"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n",
		`data: {"type":"content_block_start","index":0,` +
			`"content_block":{"type":"tool_use","name":"x","input":[1]}}` + "\n\n" +
			`data: {"type":"message_stop"}` + "\n\n",
		"data: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n",
		"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n", "data: {\"type\":\"ping\"}\n\n",
		"data: {\"type\":7}\n\n", "data: {}\n\ndata: [DONE]\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		readAnything(t, raw, func(delta func(string)) *replyReader {
			return newBlocks(delta, func(tokenCount) float64 { return 0 }).replyReader
		})
	})
}

func FuzzResponses(f *testing.F) {
	for _, seed := range []string{
		`data: {"type":"response.output_item.added","output_index":0,` +
			`"item":{"type":"function_call","name":"x"}}` + "\n\n" +
			`data: {"type":"response.output_item.done","output_index":0,` +
			`"item":{"type":"message","arguments":"{}"}}` + "\n\n" +
			`data: {"type":"response.completed","response":{"usage":{"input_tokens":1e300}}}` + "\n\n",
		`data: {"type":"response.output_text.delta","output_index":-1,"delta":"hi\u0000"}` + "\n\ndata: [DONE]\n\n",
		`data: {"type":"response.output_item.done","output_index":0,` +
			`"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}}` + "\n\ndata: [DONE]\n\n",
		`data: {"type":"response.function_call_arguments.delta","output_index":3,"delta":{}}` + "\n\n",
		`data: {"type":"response.failed","response":{"error":{"code":"server_error"}}}` + "\n\n",
		`data: {"type":"error","code":"x","message":"no"}` + "\n\n",
		`data: {"type":7}` + "\n\n",
		"data: {}\n\ndata: [DONE]\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		readAnything(t, raw, func(delta func(string)) *replyReader {
			return newResponsesReader(delta, func(tokenCount) float64 { return 0 })
		})
	})
}

// readAnything reads an arbitrary stream. The result must be a complete reply or an error with a kind.
func readAnything(t *testing.T, raw []byte, open func(delta func(string)) *replyReader) {
	var received strings.Builder
	r, err := open(func(s string) { received.WriteString(s) }).read(io.NopCloser(bytes.NewReader(raw)), time.Minute)
	switch {
	case err != nil:
		if _, ok := AsError(err); !ok {
			t.Fatalf("an error without a kind: %v", err)
		}
		if r.Text != "" || r.Calls != nil {
			t.Fatalf("half a reply: %+v", r)
		}
	case r.Text != received.String() || !utf8.ValidString(r.Text) || strings.ContainsRune(r.Text, 0):
		t.Fatalf("text %q, received %q", r.Text, received.String())
	case r.Usage.TokensIn < 0 || r.Usage.TokensOut < 0:
		t.Fatalf("usage %+v", r.Usage)
	}
	for _, c := range r.Calls {
		if c.Tool == "" || c.Arguments == "" || !utf8.ValidString(c.Tool) || !utf8.ValidString(c.Arguments) {
			t.Fatalf("call %+v", c)
		}
	}
}

package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/lib/waittest"

	sdk "github.com/coder/acp-go-sdk"
)

// boundHandler checks that nothing it receives exceeds the limits.
type boundHandler struct{ t *testing.T }

func (b boundHandler) Text(string, bool) {}
func (b boundHandler) Thought(string)    {}

func (b boundHandler) ToolCall(c ToolCall) {
	size := len(c.Kind) + len(c.Title) + len(c.Status) + len(c.Input) + len(c.Output)
	for _, d := range c.Diffs {
		size += len(d.Old) + len(d.New)
	}
	if size > 5*(maxCallText+len("…"))+maxDiffs+len(c.Diffs)*2*len("…") {
		b.t.Errorf("a call has %d bytes", size)
	}
}

func (b boundHandler) Permission(_ context.Context, c ToolCall) Permission {
	b.ToolCall(c)
	return Denied
}

// syncBuffer is the agent's input.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// FuzzMessages sends arbitrary messages of an agent after the start of its session. The connection handles them within
// its limits, answers with complete JSON messages, never allows "always", and ends with the agent.
func FuzzMessages(f *testing.F) {
	const update = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}`
	for _, seed := range []string{
		fmt.Sprintf(update, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}`),
		fmt.Sprintf(update, `{"sessionUpdate":"tool_call","toolCallId":"1","title":"t","kind":"edit","content":[`+
			`{"type":"diff","path":"/a","oldText":null,"newText":"x"},{"type":"terminal","terminalId":"1"}]}`),
		fmt.Sprintf(update,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","rawOutput":{"a":[1]}}`),
		fmt.Sprintf(update, `{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}`),
		fmt.Sprintf(update, `{"sessionUpdate":"usage_update","used":1,"size":2}`),
		fmt.Sprintf(update, `{"sessionUpdate":"of the future"}`),
		`{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":` +
			`{"toolCallId":"1","rawInput":{"command":["sh","-c","x"]}},"options":[` +
			`{"optionId":"always","kind":"allow_always","name":"A"},{"optionId":"no","kind":"reject_once","name":"N"}]}}`,
		`{"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"path":"/etc/passwd","content":"x"}}`,
		`{"jsonrpc":"2.0","id":{},"method":"x"}`,
		`{"jsonrpc":"2.0","method":"_auth/status_update","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`,
		`{"id":null,"error":{"code":1}}`, "[]", "{", "\x00\xff", `"`, "1e999",
	} {
		f.Add([]byte(seed + "\n" + seed + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := &syncBuffer{}
		c := &Conn{handler: boundHandler{t}, session: "s1", calls: map[string]ToolCall{}}
		k, locked := &client{conn: c}, &lockedWriter{w: out}
		filtered, to := io.Pipe()
		c.sdk = sdk.NewClientSideConnection(k, locked, filtered)
		c.sdk.SetLogger(slog.New(slog.DiscardHandler))
		filter{c, k, locked}.run(bytes.NewReader(data), to)
		<-c.sdk.Done()
		waittest.Until(t, "end of the open requests", func() bool { return c.waiting.Load() == 0 })
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.calls) > maxToolCalls {
			t.Errorf("%d calls are remembered", len(c.calls))
		}
		for line := range strings.Lines(out.text()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("the agent is sent %q", line)
			}
			if strings.Contains(line, `"optionId":"always"`) {
				t.Errorf("always was chosen: %s", line)
			}
		}
	})
}

package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/lib/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder stores everything that a connection reports, and allows all requests.
type recorder struct {
	mu      sync.Mutex
	text    int
	begun   []string // the pieces that began a message
	thought string
	calls   []acp.ToolCall
	asked   []acp.ToolCall
}

func (r *recorder) Text(piece string, begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begins {
		r.begun = append(r.begun, piece)
	}
	r.text += len(piece)
}

func (r *recorder) Thought(piece string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.thought += piece
}

func (r *recorder) ToolCall(c acp.ToolCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls = append(r.calls, c); len(r.calls) > 1000 {
		r.calls = r.calls[1:]
	}
}

func (r *recorder) Permission(_ context.Context, c acp.ToolCall) acp.Permission {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, c)
	return acp.Allowed
}

// agent is the other end of a connection, line by line.
type agent struct {
	in  *bufio.Reader
	out *os.File
}

// send writes lines; the host may have closed the connection.
func (a agent) send(lines ...string) {
	for _, l := range lines {
		_, _ = io.WriteString(a.out, l+"\n")
	}
}

// id reads messages until a request of the method, and returns its id.
func (a agent) id(method string) string {
	for {
		line, err := a.in.ReadString('\n')
		if err != nil {
			return ""
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == method {
			return string(m.ID)
		}
	}
}

// answer reads messages until the answer to the request with this id.
func (a agent) answer(id string) string {
	for {
		line, err := a.in.ReadString('\n')
		if err != nil || strings.Contains(line, `"id":`+id) && !strings.Contains(line, `"method"`) {
			return line
		}
	}
}

func update(session, body string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` + body + `}}`
}

func permission(id int, session, call string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission","params":{"sessionId":%q,`+
		`"toolCall":%s,"options":[{"optionId":"a","kind":"allow_always","name":"always"},`+
		`{"optionId":"b","kind":"allow_once","name":"once"},{"optionId":"c","kind":"reject_once","name":"no"}]}}`,
		id, session, call)
}

// prompt connects to a scripted agent and sends one prompt. play is the agent's reaction to it.
func prompt(t testing.TB, play func(a agent, promptID string)) (*recorder, acp.Stop, error) {
	t.Helper()
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	t.Cleanup(func() {
		_, _, _ = ourOut.Close(), ourIn.Close(), theirOut.Close()
		work.Wait()
		_ = theirIn.Close()
	})
	work.Go(func() {
		a := agent{bufio.NewReader(theirIn), theirOut}
		a.send(`{"jsonrpc":"2.0","id":` + a.id("initialize") +
			`,"result":{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}},"authMethods":[]}}`)
		a.send(`{"jsonrpc":"2.0","id":` + a.id("session/new") + `,"result":{"sessionId":"s1"}}`)
		play(a, a.id("session/prompt"))
	})
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(5*time.Minute)) // only a hanging connection needs it
	defer cancel()
	r := &recorder{}
	c, err := acp.Open(ctx, acp.Options{
		Version: "test", Dir: "/", Server: acp.MCPServer{Name: "goalpost", URL: "http://127.0.0.1:1/mcp"},
	}, r, ourOut, ourIn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.NewSession(ctx); err != nil {
		t.Fatal(err)
	}
	stop, err := c.Prompt(ctx, "go")
	if ctx.Err() != nil {
		t.Fatal("it hung")
	}
	return r, stop, err
}

func TestThought_BesideAnswer_IsReportedSeparately(t *testing.T) {
	r, _, err := prompt(t, func(a agent, id string) {
		for _, body := range []string{
			`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"First the "}}`,
			`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"folder."}}`,
			`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ok"}}`,
		} {
			a.send(update("s1", body))
		}
		a.send(end(id))
	})
	if err != nil || r.thought != "First the folder." || r.text != len("ok") {
		t.Errorf("thought %q, %d bytes of text, %v", r.thought, r.text, err)
	}
}

// TestText_AnotherMessage_Begins: an id tells messages apart, and for an agent that gives none, a tool call.
func TestText_AnotherMessage_Begins(t *testing.T) {
	const piece = `{"sessionUpdate":"agent_message_chunk",%s"content":{"type":"text","text":"%s"}}`
	r, _, err := prompt(t, func(a agent, id string) {
		for _, body := range []string{
			fmt.Sprintf(piece, "", "I claim "), fmt.Sprintf(piece, "", "at once"),
			`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"claim","kind":"other","status":"pending"}`,
			fmt.Sprintf(piece, "", "ending "),
			`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}`,
			fmt.Sprintf(piece, "", "my turn"),
			fmt.Sprintf(piece, `"messageId":"m1",`, "one "), fmt.Sprintf(piece, `"messageId":"m1",`, "more"),
			fmt.Sprintf(piece, `"messageId":"m2",`, "two"),
		} {
			a.send(update("s1", body))
		}
		a.send(end(id))
	})
	if want := []string{"ending ", "one ", "two"}; err != nil || !slices.Equal(r.begun, want) {
		t.Errorf("%q begin a message, %v; want %q", r.begun, err, want)
	}
}

func end(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"stopReason":"end_turn"}}`
}

// TestPrompt_RequestFormsOfAgents_AreUnderstood: an agent may ask before or after it reports the call, and the
// arguments may be in the request, in the call or in the title.
func TestPrompt_RequestFormsOfAgents_AreUnderstood(t *testing.T) {
	for name, c := range map[string]struct {
		before, request string
		want            acp.ToolCall
	}{
		"arguments in the call only": {
			before:  `{"sessionUpdate":"tool_call","toolCallId":"1","title":"mcp.x","kind":"execute","rawInput":{"a":1}}`,
			request: `{"toolCallId":"1"}`,
			want:    acp.ToolCall{ID: "1", Title: "mcp.x", Kind: "execute", Input: `{"a":1}`},
		},
		"the request comes first": {
			request: `{"toolCallId":"1","title":"make all","kind":"execute"}`,
			want:    acp.ToolCall{ID: "1", Title: "make all", Kind: "execute"},
		},
		"empty arguments": {
			before:  `{"sessionUpdate":"tool_call","toolCallId":"1","title":"read","kind":"read","rawInput":{}}`,
			request: `{"toolCallId":"1","rawInput":{}}`,
			want:    acp.ToolCall{ID: "1", Title: "read", Kind: "read"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var answer string
			r, stop, err := prompt(t, func(a agent, id string) {
				if c.before != "" {
					a.send(update("s1", c.before))
				}
				a.send(permission(900, "s1", c.request))
				answer = a.answer("900")
				a.send(end(id))
			})
			if err != nil || stop != acp.StopEndTurn || len(r.asked) != 1 {
				t.Fatalf("%s %v %+v", stop, err, r.asked)
			}
			got := r.asked[0]
			if got.ID != c.want.ID || got.Title != c.want.Title || got.Kind != c.want.Kind || got.Input != c.want.Input {
				t.Errorf("%+v", got)
			}
			if !strings.Contains(answer, `"optionId":"b"`) {
				t.Errorf("the answer is %s", answer)
			}
		})
	}
}

// TestPrompt_HostileAgent_IsBounded: floods, foreign sessions, unknown methods and huge messages neither hang the host
// nor fill its memory, and end in an answer or a clear error.
func TestPrompt_HostileAgent_IsBounded(t *testing.T) {
	big := strings.Repeat("x", 256<<10)
	for name, c := range map[string]struct {
		play  func(a agent, id string)
		fails bool
		check func(t *testing.T, r *recorder)
	}{
		"a flood of updates": {play: func(a agent, id string) {
			for i := range 50_000 {
				a.send(update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"t"}`, i)))
			}
			a.send(end(id))
		}},
		"huge tool calls": {play: func(a agent, id string) {
			for i := range 150 {
				a.send(update("s1", fmt.Sprintf(
					`{"sessionUpdate":"tool_call","toolCallId":"%d","title":"t",`+
						`"rawInput":{"x":%q},"rawOutput":{"x":%q}}`, i, big, big)))
			}
			a.send(end(id))
		}, check: func(t *testing.T, r *recorder) {
			if n := len(r.calls); n > 100 {
				t.Errorf("%d calls are open", n)
			}
		}},
		"another session": {play: func(a agent, id string) {
			a.send(update("s2", `{"sessionUpdate":"tool_call","toolCallId":"1","title":"t","status":"completed"}`),
				permission(901, "s2", `{"toolCallId":"1"}`), end(id))
		}, check: func(t *testing.T, r *recorder) {
			if len(r.calls)+len(r.asked) != 0 {
				t.Errorf("it counted: %+v %+v", r.calls, r.asked)
			}
		}},
		"methods that are not offered": {play: func(a agent, id string) {
			for i, m := range []string{"fs/write_text_file", "fs/read_text_file", "terminal/create", "made/up", "_made/up"} {
				n := fmt.Sprint(910 + i)
				a.send(`{"jsonrpc":"2.0","id":` + n + `,"method":"` + m +
					`","params":{"sessionId":"s1","path":"/etc/passwd","content":"x","command":"id"}}`)
				if answer := a.answer(n); !strings.Contains(answer, "-32601") {
					a.send(update("s1", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"accepted"}}`))
				}
			}
			a.send(end(id))
		}, check: func(t *testing.T, r *recorder) {
			if r.text != 0 {
				t.Error("a method was accepted")
			}
		}},
		"no JSON": {play: func(a agent, id string) {
			a.send("hello", "{", `{"jsonrpc":"2.0"}`, `[]`, "\x00\xff", `{"jsonrpc":"2.0","id":{},"method":"x"}`, end(id))
		}},
		"a message of 50 MB": {play: func(a agent, _ string) {
			for range 200 {
				_, _ = io.WriteString(a.out, big)
			}
			_ = a.out.Close()
		}, fails: true},
		"an end in the middle": {play: func(a agent, _ string) {
			_, _ = io.WriteString(a.out, `{"jsonrpc":"2.0","id":1,"res`)
			_ = a.out.Close()
		}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, err := prompt(t, c.play)
			if c.fails != (err != nil) {
				t.Errorf("the error is %v", err)
			}
			if c.check != nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				c.check(t, r)
			}
			runtime.GC()
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.HeapAlloc > 200<<20 {
				t.Errorf("%d MB are in use", m.HeapAlloc>>20)
			}
		})
	}
}

// TestPrompt_AgentsOwnTerminal_BecomesTheOutput: an agent sends the output of its own terminal in pieces, outside the
// protocol.
func TestPrompt_AgentsOwnTerminal_BecomesTheOutput(t *testing.T) {
	r, _, err := prompt(t, func(a agent, id string) {
		a.send(update("s1", `{"sessionUpdate":"tool_call","toolCallId":"1","title":"make","kind":"execute",`+
			`"status":"in_progress","content":[{"type":"terminal","terminalId":"1"}],"rawInput":{"command":"make"}}`))
		for _, piece := range []string{"one ", "two"} {
			a.send(update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"1",`+
				`"_meta":{"terminal_output_delta":{"data":"`+piece+`","terminal_id":"1"}}}`))
		}
		a.send(update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed",`+
			`"_meta":{"terminal_output_delta":7,"terminal_exit":{"exit_code":0}}}`), end(id))
	})
	if err != nil || len(r.calls) != 4 {
		t.Fatalf("%v %+v", err, r.calls)
	}
	if last := r.calls[3]; last.Output != "one two" || last.Status != "completed" {
		t.Errorf("the call is %+v", last)
	}
}

// TestPrompt_ProgramOfAgentEnded_ReturnsErrPartEnded: the data of the agent's error says that its program ended.
func TestPrompt_ProgramOfAgentEnded_ReturnsErrPartEnded(t *testing.T) {
	for data, want := range map[string]bool{`{"exitCode":null,"restartable":true}`: true, `{"restartable":"no"}`: false} {
		_, _, err := prompt(t, func(a agent, id string) {
			a.send(`{"jsonrpc":"2.0","id":` + id +
				`,"error":{"code":-32603,"message":"the server is gone","data":` + data + `}}`)
		})
		if errors.Is(err, acp.ErrPartEnded) != want || !strings.Contains(err.Error(), "the server is gone") {
			t.Errorf("%s: %v", data, err)
		}
	}
}

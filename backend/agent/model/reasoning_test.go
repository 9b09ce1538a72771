package model_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// sentMessage is an assistant message as a provider receives it.
type sentMessage struct {
	Role             string          `json:"role"`
	Content          *string         `json:"content"`
	ReasoningContent *string         `json:"reasoning_content"`
	Reasoning        *string         `json:"reasoning"`
	ReasoningDetails json.RawMessage `json:"reasoning_details"`
	ToolCalls        []struct {
		Extra json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
}

// replies returns the assistant messages of a request, oldest first.
func replies(t *testing.T, r modeltest.Request) []sentMessage {
	t.Helper()
	var body struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	var list []sentMessage
	for _, raw := range body.Messages {
		var m sentMessage
		if json.Unmarshal(raw, &m) == nil && m.Role == "assistant" { // others may have parts as content
			list = append(list, m)
		}
	}
	return list
}

// chunks returns a stream of deltas in OpenAI's chat protocol.
func chunks(finish string, deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
	}
	fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", finish)
	return b.String()
}

// reasoningProvider is a provider that rejects a conversation without the reasoning of its calls.
type reasoningProvider struct {
	first   string                   // the stream of the first reply, which calls list_files
	accepts func(m sentMessage) bool // whether an assistant message is accepted
	refusal string                   // the body of its 400
	text    string                   // of the first reply
	unknown bool                     // accepts a placeholder for unknown reasoning
}

const listFiles = `{"tool_calls":[{"index":0,"id":"call_1","type":"function",` +
	`"function":{"name":"list_files","arguments":"{}"}}]}`

func reasoningProviders() map[string]reasoningProvider {
	is := func(s *string, want string) bool { return s != nil && *s == want }
	return map[string]reasoningProvider{
		"DeepSeek": {
			first: chunks("tool_calls", `{"role":"assistant","content":null,"reasoning_content":"The folder "}`,
				`{"reasoning_content":"comes first."}`, `{"content":"Looking."}`, listFiles),
			accepts: func(m sentMessage) bool {
				return is(m.ReasoningContent, "The folder comes first.") && is(m.Content, "Looking.")
			},
			refusal: `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API.",` +
				`"type":"invalid_request_error","code":"invalid_request_error"}}`,
			text:    "Looking.",
			unknown: true,
		},
		"Kimi": {
			first: chunks("tool_calls", `{"role":"assistant","content":"","reasoning_content":"I list it."}`, listFiles),
			accepts: func(m sentMessage) bool {
				return is(m.ReasoningContent, "I list it.") && m.Content == nil
			},
			refusal: `{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call ` +
				`message at index 2","type":"invalid_request_error"}}`,
			unknown: true,
		},
		"GLM": {
			first:   chunks("tool_calls", `{"role":"assistant","reasoning_content":"\nI list it."}`, listFiles),
			accepts: func(m sentMessage) bool { return is(m.ReasoningContent, "\nI list it.") },
			refusal: `{"error":{"code":"1210","message":"reasoning_content must be passed back unchanged"}}`,
			unknown: true,
		},
		"Qwen": {
			first: chunks("tool_calls", `{"role":"assistant","content":null,"reasoning_content":"I list"}`,
				`{"content":null,"reasoning_content":" it."}`, `{"content":"Listing.","reasoning_content":null}`, listFiles),
			accepts: func(m sentMessage) bool { return is(m.ReasoningContent, "I list it.") && is(m.Content, "Listing.") },
			refusal: `{"error":{"code":"invalid_parameter_error","message":"messages[2].reasoning_content is required"}}`,
			text:    "Listing.",
			unknown: true,
		},
		"Grok": {
			first: chunks("tool_calls",
				`{"role":"assistant","content":"","reasoning_content":"First, the folder."}`, listFiles),
			accepts: func(m sentMessage) bool { return is(m.ReasoningContent, "First, the folder.") && m.Content == nil },
			refusal: `{"code":"invalid-argument","error":"reasoning_content of the call is missing"}`,
			unknown: true,
		},
		"Groq": {
			first:   chunks("tool_calls", `{"reasoning":"List "}`, `{"reasoning":"it."}`, listFiles),
			accepts: func(m sentMessage) bool { return is(m.Reasoning, "List it.") && m.ReasoningContent == nil },
			refusal: `{"error":{"message":"no thoughts"}}`,
		},
		"Gemini": {
			first: chunks("tool_calls", `{"role":"assistant","tool_calls":[{"index":0,"id":"a","type":"function",`+
				`"function":{"name":"list_files","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln+/=="}}},`+
				`{"index":1,"id":"b","type":"function","function":{"name":"list_files","arguments":"{\"path\":\"x\"}"}}]}`),
			accepts: func(m sentMessage) bool {
				return len(m.ToolCalls) == 2 && len(m.ToolCalls[1].Extra) == 0 &&
					string(m.ToolCalls[0].Extra) == `{"google":{"thought_signature":"c2ln+/=="}}`
			},
			refusal: `[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.",` +
				`"status":"INVALID_ARGUMENT"}}]`,
			unknown: true,
		},
		"OpenRouter": {
			first: chunks("tool_calls",
				`{"reasoning":"The ","reasoning_details":[{"type":"reasoning.text","text":"The ","format":"anthropic-claude-v1",`+
					`"index":0,"signature":null}]}`,
				`{"reasoning":"folder.","reasoning_details":[{"type":"reasoning.text","text":"folder.",`+
					`"format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.text","signature":"seal==","format":"anthropic-claude-v1","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.encrypted","data":"AAAA","id":"call_1","index":1}]}`,
				`{"reasoning_details":[{"type":"reasoning.encrypted","data":"BBBB","id":"call_2","index":2}]}`,
				listFiles),
			accepts: func(m sentMessage) bool {
				var got, want any
				return json.Unmarshal(m.ReasoningDetails, &got) == nil && m.Reasoning == nil &&
					json.Unmarshal([]byte(`[{"type":"reasoning.text","text":"The folder.","signature":"seal==",
						"format":"anthropic-claude-v1","index":0},
						{"type":"reasoning.encrypted","data":"AAAA","id":"call_1","index":1},
						{"type":"reasoning.encrypted","data":"BBBB","id":"call_2","index":2}]`), &want) == nil &&
					fmt.Sprint(got) == fmt.Sprint(want)
			},
			refusal: `{"error":{"message":"Provider returned error","code":400}}`,
		},
		"MiniMax, in tags": {
			first: chunks("tool_calls", `{"content":"<thi"}`, `{"content":"nk>I list"}`, `{"content":" it.</th"}`,
				`{"content":"ink>\n\nLooking."}`, listFiles),
			accepts: func(m sentMessage) bool { return is(m.Content, "<think>I list it.</think>\nLooking.") },
			refusal: `{"error":{"message":"no thoughts"}}`,
			text:    "Looking.",
		},
	}
}

// throughJournal returns a message as a later process reads it.
func throughJournal(t *testing.T, m goal.Message) goal.Message {
	t.Helper()
	raw, err := json.Marshal(&event.Message{Message: m})
	if err != nil {
		t.Fatal(err)
	}
	body, err := event.Decode("message", raw)
	if err != nil {
		t.Fatal(err)
	}
	read, ok := body.(*event.Message)
	if !ok {
		t.Fatalf("%s is %T", raw, body)
	}
	return read.Message
}

func (rp reasoningProvider) start(t *testing.T) *modeltest.Server {
	return modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
		sent := replies(t, r)
		switch {
		case len(sent) == 0:
			return modeltest.Answer{Raw: rp.first}
		case !rp.accepts(sent[0]) && !isPlaceholder(sent[0]):
			return modeltest.Answer{Status: 400, Body: rp.refusal}
		}
		return modeltest.Say("done")
	})
}

// isPlaceholder reports whether a message has what a provider accepts for unknown reasoning.
func isPlaceholder(m sentMessage) bool {
	return m.ReasoningContent != nil && *m.ReasoningContent == "(not recorded)" ||
		len(m.ToolCalls) > 0 && strings.Contains(string(m.ToolCalls[0].Extra), `"skip_thought_signature_validator"`)
}

// TestReasoning_ServerEnforcesIt_GoesBack: reasoning is sent back over two turns, also if the messages come from the
// journal.
func TestReasoning_ServerEnforcesIt_GoesBack(t *testing.T) {
	for name, p := range reasoningProviders() {
		t.Run(name, func(t *testing.T) {
			s := p.start(t)
			c, in := client(t, s.URL), turn()
			in.Model = "minimax-m2"
			r, err := c.Turn(t.Context(), in, nil)
			if err != nil || len(r.Calls) == 0 || r.Text != p.text || r.Reasoning == nil {
				t.Fatalf("reply %+v, %v", r, err)
			}
			next := continueAfter(in, r)
			for i, m := range next.Messages {
				next.Messages[i] = throughJournal(t, m)
			}
			later := client(t, s.URL)
			if r, err = later.Turn(t.Context(), next, nil); err != nil || r.Text != "done" {
				t.Fatalf("the second turn: %+v, %v", r, err)
			}
			sent := s.Requests()
			if len(sent) != 2 || !p.accepts(replies(t, sent[1])[0]) {
				t.Errorf("%d requests, the last %s", len(sent), sent[len(sent)-1].Body)
			}
		})
	}
}

// TestReasoning_OfOtherModelOrOldJournal_IsReplaced: unknown reasoning is replaced by a placeholder, and the client
// remembers which one the provider accepts.
func TestReasoning_OfOtherModelOrOldJournal_IsReplaced(t *testing.T) {
	for name, p := range reasoningProviders() {
		if !p.unknown {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := p.start(t)
			c, in := client(t, s.URL), turn()
			old := throughJournal(t, goal.Message{
				Role:  goal.Assistant,
				Calls: []goal.Call{{ID: "x", Tool: "list_files", Arguments: "{}"}},
			})
			other := old
			other.Reasoning = &goal.Reasoning{
				Model:      "other",
				Form:       "reasoning_content",
				Text:       "of another model",
				Signatures: []string{"of another model"},
			}
			result := goal.Message{Role: goal.ToolRole, CallID: "x", Text: "a.txt"}
			in.Messages = append(in.Messages, old, result, other, result)
			for range 2 {
				if r, err := c.Turn(t.Context(), in, nil); err != nil || r.Text != "done" {
					t.Fatalf("reply %+v, %v", r, err)
				}
			}
			sent := s.Requests()
			if len(sent) != 3 || strings.Contains(string(sent[2].Body), "of another model") {
				t.Errorf("%d requests, the last %s", len(sent), sent[len(sent)-1].Body)
			}
		})
	}
}

func TestReasoning_ServerRefusesTheField_IsLeftOut(t *testing.T) {
	for name, p := range reasoningProviders() {
		field := map[string]string{
			"DeepSeek":   "reasoning_content",
			"Groq":       "reasoning",
			"OpenRouter": "reasoning_details",
			"Gemini":     "extra_content",
		}[name]
		if field == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
				switch {
				case n == 0:
					return modeltest.Answer{Raw: p.first}
				case strings.Contains(string(r.Body), `"`+field+`"`):
					return modeltest.Fail(400, "'messages.2' : property '"+field+"' is unsupported")
				}
				return modeltest.Say("done")
			})
			c, in := client(t, s.URL), turn()
			r, err := c.Turn(t.Context(), in, nil)
			if err != nil {
				t.Fatal(err)
			}
			next := continueAfter(in, r)
			for range 2 {
				if r, err := c.Turn(t.Context(), next, nil); err != nil || r.Text != "done" {
					t.Fatalf("reply %+v, %v", r, err)
				}
			}
			if n := len(s.Requests()); n != 4 {
				t.Errorf("%d requests, want 4: the refusal is remembered", n)
			}
		})
	}
}

// TestReasoning_InTags_IsNotText: a piece of the stream may end inside a tag. Tags later in the text are ordinary
// text.
func TestReasoning_InTags_IsNotText(t *testing.T) {
	for whole, want := range map[string][2]string{
		"<think>a < b</think>\n\nc < d":              {"c < d", "a < b"},
		" \n<thinking>a</thinking>b":                 {"b", "a"},
		"<reasoning>a</reasoning>b":                  {"b", "a"},
		"<think>a</think><think>b</think>c":          {"c", "ab"},
		"<think>never closed</thin":                  {"", "never closed</thin"},
		"<think></think>\n\n":                        {"", ""},
		"<thin air":                                  {"<thin air", ""},
		"<th":                                        {"<th", ""},
		"In code: <think>a</think>":                  {"In code: <think>a</think>", ""},
		"<think>a</think>b <think>c</think> d</x>\n": {"b <think>c</think> d</x>\n", "a"},
		"\n":  {"\n", ""},
		"  x": {"  x", ""},
	} {
		for size := 1; size <= len(whole); size++ {
			var deltas []string
			for piece := range slices.Chunk([]byte(whole), size) {
				b, err := json.Marshal(map[string]string{"content": string(piece)})
				if err != nil {
					t.Fatal(err)
				}
				deltas = append(deltas, string(b))
			}
			s := modeltest.New(t, one(modeltest.Answer{Raw: chunks("stop", deltas...)}))
			var streamed strings.Builder
			r, err := client(t, s.URL).Turn(t.Context(), turn(), func(text string) { streamed.WriteString(text) })
			if err != nil || r.Text != want[0] || streamed.String() != want[0] || r.Reasoning.ReadableText() != want[1] {
				t.Fatalf("%q in pieces of %d: %q, %q, streamed %q, %v",
					whole, size, r.Text, r.Reasoning.ReadableText(), streamed.String(), err)
			}
			if size == len(whole) {
				next := turn()
				next.Messages = append(next.Messages, goal.Message{Role: goal.Assistant, Text: r.Text, Reasoning: r.Reasoning})
				if _, err := client(t, s.URL).Turn(t.Context(), next, nil); err != nil {
					t.Fatal(err)
				}
				m := replies(t, s.Requests()[1])[0]
				if m.Content == nil || *m.Content == "" || want[1] != "" && strings.Contains(*m.Content, want[1]) {
					t.Errorf("%q went back as %v", whole, m.Content)
				}
			}
		}
	}
}

// TestReasoning_TooLong_IsDropped: reasoning that is too long is dropped as a whole.
func TestReasoning_TooLong_IsDropped(t *testing.T) {
	piece := strings.Repeat("x", 1<<20)
	deltas := slices.Repeat([]string{`{"reasoning_content":"` + piece + `"}`}, 5)
	s := modeltest.New(t, one(modeltest.Answer{Raw: chunks("stop", append(deltas, `{"content":"ok"}`)...)}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "ok" || r.Reasoning != nil {
		t.Errorf("%q, %d bytes of reasoning, %v", r.Text, r.Reasoning.Bytes(), err)
	}
}

// TestReasoning_OldJournal_Opens: old messages were stored without reasoning.
func TestReasoning_OldJournal_Opens(t *testing.T) {
	body, err := event.Decode("message", []byte(`{"message":{"role":"assistant","text":"hi",`+
		`"calls":[{"id":"a","tool":"list_files","arguments":"{}"}]}}`))
	m, ok := body.(*event.Message)
	if err != nil || !ok || m.Message.Reasoning != nil || m.Message.Text != "hi" {
		t.Errorf("%+v, %v", body, err)
	}
	raw, err := json.Marshal(&event.Message{Message: goal.Message{Role: goal.User, Text: "hi"}})
	if err != nil || strings.Contains(string(raw), "reasoning") {
		t.Errorf("%s, %v", raw, err)
	}
	if len(slices.Collect(maps.Keys(reasoningProviders()))) < 5 {
		t.Error("fewer than five providers")
	}
}

var _ model.Client = (*model.OpenAI)(nil)

package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// protocols returns the clients, which must behave alike.
func protocols() map[string]func(model.Options) (model.Client, error) {
	return map[string]func(model.Options) (model.Client, error){
		"openai":    func(o model.Options) (model.Client, error) { return model.NewOpenAI(o) },
		"responses": func(o model.Options) (model.Client, error) { return model.NewResponses(o) },
		"anthropic": func(o model.Options) (model.Client, error) { return model.NewAnthropic(o) },
	}
}

// each runs a test over every protocol, with a client for a base URL.
func each(t *testing.T, test func(t *testing.T, protocol string, dial func(base string) model.Client)) {
	t.Helper()
	wire := model.NewTransport()
	t.Cleanup(wire.CloseIdleConnections)
	for name, open := range protocols() {
		t.Run(name, func(t *testing.T) {
			test(t, name, func(base string) model.Client {
				c, err := open(model.Options{
					BaseURL:   base,
					Model:     "small",
					APIKey:    key + "\n",
					KeyName:   "TEST_KEY",
					Transport: wire,
				})
				if err != nil {
					t.Fatal(err)
				}
				return c
			})
		})
	}
}

func TestTurn_Text_IsStreamedAndReturned(t *testing.T) {
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Answer{
			Text:   "Grüße, 世界! 🎉 done",
			Usage:  goal.Usage{TokensIn: 7, TokensOut: 3},
			Cached: 4,
		}))
		var received strings.Builder
		pieces := 0
		r, err := dial(s.URL).Turn(t.Context(), turn(), func(text string) { received.WriteString(text); pieces++ })
		if err != nil {
			t.Fatal(err)
		}
		if r.Text != "Grüße, 世界! 🎉 done" || received.String() != r.Text || pieces < 2 {
			t.Errorf("text %q, received %q in %d pieces", r.Text, received.String(), pieces)
		}
		if r.Usage != (goal.Usage{TokensIn: 7, TokensOut: 3}) {
			t.Errorf("usage %+v", r.Usage)
		}
		req := s.Requests()[0]
		if req.Model != "small" || !req.Stream || !req.IncludeUsage || len(req.Tools) != 1 ||
			req.Messages[0].Role != goal.System {
			t.Errorf("the request was %s", req.Body)
		}
		name, want := "Authorization", "Bearer "+key
		if protocol == "anthropic" {
			name, want = "X-Api-Key", key
		}
		if got := req.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	})
}

// TestTurn_Effort_IsRequestedEveryTime: the effort is not dropped if the server rejects it, and the error says what to
// do.
func TestTurn_Effort_IsRequestedEveryTime(t *testing.T) {
	for protocol, open := range protocols() {
		t.Run(protocol, func(t *testing.T) {
			refuses := false
			s := modeltest.New(t, func(int, modeltest.Request) modeltest.Answer {
				if refuses {
					return modeltest.Fail(400,
						"reasoning_effort and output_config.effort are unknown to this model, and thinking is, too")
				}
				return modeltest.Say("ok")
			})
			dial := func(effort string) (model.Client, error) {
				return open(model.Options{BaseURL: s.URL, Model: "small", Effort: effort})
			}
			if protocol == "responses" {
				protocol = string(model.ProtocolResponses)
			}
			words := model.Protocol(protocol).Efforts()
			for i, effort := range append([]string{""}, words...) {
				c, err := dial(effort)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Turn(t.Context(), turn(), nil); err != nil {
					t.Fatal(err)
				}
				req := s.Requests()[i]
				if req.Effort != effort || effort == "" && bytes.Contains(req.Body, []byte("effort")) {
					t.Errorf("%q was asked for as %s", effort, req.Body)
				}
			}
			if len(words) < 5 {
				t.Errorf("only %v", words)
			}
			if _, err := dial("much"); err == nil || !strings.Contains(err.Error(), "much") {
				t.Errorf("a word that the protocol does not have: %v", err)
			}
			refuses = true
			c, err := dial("high")
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Turn(t.Context(), turn(), nil)
			if e, ok := model.AsError(err); !ok || !strings.Contains(e.Hint, `"high"`) {
				t.Errorf("refused with %v", err)
			}
			for _, req := range s.Requests()[len(words)+1:] {
				if req.Effort != "high" {
					t.Errorf("the server was asked for %q instead", req.Effort)
				}
			}
		})
	}
}

func TestTurn_Conversation_IsSentWhole(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Say("ok")))
		in := turn()
		in.Messages = append(in.Messages,
			goal.Message{
				Role: goal.Assistant,
				Text: "writing",
				Calls: []goal.Call{{
					ID:        "a",
					Tool:      "write_file",
					Arguments: `{"path":"x"}`,
				}, {ID: "b", Tool: "write_file", Arguments: `{"path":`}},
			},
			goal.Message{Role: goal.ToolRole, CallID: "a", Text: "wrote x"},
			goal.Message{Role: goal.ToolRole, CallID: "b", Text: "broken arguments"},
			goal.Message{Role: goal.Assistant},
			goal.Message{Role: goal.User, Text: "continue"},
		)
		if _, err := dial(s.URL).Turn(t.Context(), in, nil); err != nil {
			t.Fatal(err)
		}
		got := s.Requests()[0].Messages
		if len(got) != 7 {
			t.Fatalf("%d messages arrived: %+v", len(got), got)
		}
		if got[2].Calls[0].Arguments != `{"path":"x"}` || got[3].CallID != "a" || got[3].Text != "wrote x" ||
			got[6].Text != "continue" {
			t.Errorf("the conversation arrived as %+v", got)
		}
		if !json.Valid([]byte(got[2].Calls[1].Arguments)) || !strings.Contains(got[2].Calls[1].Arguments, "unparsable") {
			t.Errorf("broken arguments went back as %q", got[2].Calls[1].Arguments)
		}
	})
}

// TestRequest_InvalidNames_AreSanitized: a provider would reject every later turn of a conversation with an invalid
// name.
func TestRequest_InvalidNames_AreSanitized(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
			if n > 0 {
				return modeltest.Say("ok")
			}
			return modeltest.Answer{Calls: []goal.Call{
				{
					ID:        "same",
					Tool:      "rm -rf /; é",
					Arguments: "{}",
				}, {
					ID:        "same",
					Tool:      "read_file",
					Arguments: `[1]`,
				}, {ID: "bad\nid", Tool: strings.Repeat("long", 100), Arguments: `"x"`},
			}}
		})
		c, in := dial(s.URL), turn()
		r, err := c.Turn(t.Context(), in, nil)
		if err != nil || len(r.Calls) != 3 {
			t.Fatalf("reply %+v, %v", r, err)
		}
		ids := map[string]bool{}
		in.Messages = append(in.Messages, goal.Message{Role: goal.Assistant, Calls: r.Calls})
		for _, call := range r.Calls {
			ids[call.ID] = true
			in.Messages = append(in.Messages, goal.Message{Role: goal.ToolRole, CallID: call.ID, Text: "there is no such tool"})
		}
		if len(ids) != 3 || len(r.Calls[2].Tool) > 128 || r.Calls[0].Tool != "rm -rf /; é" {
			t.Errorf("calls %+v", r.Calls)
		}
		if _, err := c.Turn(t.Context(), in, nil); err != nil {
			t.Fatalf("the conversation is refused: %v", err)
		}
		for _, call := range s.Requests()[1].Messages[2].Calls {
			if strings.ContainsAny(call.Tool, " ;/é") || len(call.Tool) > 64 || !strings.HasPrefix(call.Arguments, "{") {
				t.Errorf("sent back %+v", call)
			}
		}
	})
}

func TestCalls_EveryQuirk_AreRead(t *testing.T) {
	calls := []goal.Call{
		{ID: "one", Tool: "write_file", Arguments: `{"path":"a.txt","content":"x \"y\" é\n"}`},
		{ID: "two", Tool: "read_file", Arguments: `{"path":"b.txt"}`},
		{ID: "three", Tool: "read_file", Arguments: `{"path":"b.txt"}`},
		{ID: "four", Tool: "list_files", Arguments: `{}`},
	}
	for name, q := range map[string]modeltest.Quirks{
		"plain":            {},
		"no index":         {NoIndex: true},
		"id repeated":      {RepeatID: true},
		"both":             {NoIndex: true, RepeatID: true},
		"no id":            {NoID: true},
		"no id, no index":  {NoID: true, NoIndex: true},
		"object arguments": {ObjectArguments: true},
		"no finish reason": {NoFinish: true},
		"no last word":     {NoDone: true},
		"no usage":         {NoUsage: true},
		"CRLF, comments":   {CRLF: true, Comments: true},
		"whole input":      {WholeInput: true},
		"unknown events":   {OtherEvents: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(modeltest.Answer{Text: "I write.", Calls: calls, Quirks: q}))
			each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
				r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
				if err != nil || r.Text != "I write." || len(r.Calls) != len(calls) {
					t.Fatalf("reply %+v, %v", r, err)
				}
				// Anthropic's protocol also reports usage at the start of a turn.
				isGuessed := q.NoUsage && protocol != "anthropic" || q.NoFinish && protocol == "responses"
				if r.Usage.Guessed != isGuessed || r.Usage.TokensIn == 0 || r.Usage.TokensOut == 0 {
					t.Errorf("usage %+v", r.Usage)
				}
				ids := map[string]bool{}
				for i, c := range r.Calls {
					ids[c.ID] = true
					if c.Tool != calls[i].Tool || c.Arguments != calls[i].Arguments || c.ID == "" || (!q.NoID && c.ID != calls[i].ID) {
						t.Errorf("call %d is %+v, want %+v", i, c, calls[i])
					}
				}
				if len(ids) != len(calls) {
					t.Errorf("ids are not unique: %v", ids)
				}
			})
		})
	}
}

// TestTurn_EveryFault_HasKindAndHint checks the kind, whether the turn can be repeated, and the hint. No faulty answer
// becomes half a reply.
func TestTurn_EveryFault_HasKindAndHint(t *testing.T) {
	long := "data: " + strings.Repeat("x", 9<<20)
	write := []goal.Call{{Tool: "write_file", Arguments: `{"path":"a","content":"b"}`}}
	tests := map[string]struct {
		answer modeltest.Answer
		kind   model.Kind
		retry  bool
		says   string
	}{
		"401": {modeltest.Fail(401, "wrong key "+key), model.Auth, false, "check the key in TEST_KEY"},
		"403": {modeltest.Fail(403, "no"), model.Auth, false, "TEST_KEY"},
		"404": {
			modeltest.Fail(404, "no such model"), model.BadRequest, false,
			"the model's name and the base URL",
		},
		"400": {modeltest.Fail(400, "no such field"), model.BadRequest, false, "no such field"},
		"302": {modeltest.Answer{Status: 302}, model.BadRequest, false, "302"},
		"500": {modeltest.Fail(500, "oops"), model.Overloaded, true, "oops"},
		"529": {modeltest.Answer{
			Status: 529,
			Body:   `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		}, model.Overloaded, true, "Overloaded"},
		"500 as a page": {modeltest.Answer{
			Status:      500,
			Body:        "<html>" + strings.Repeat("<p>sorry</p>", 10_000),
			ContentType: "text/html",
		}, model.Overloaded, true, "500: Internal Server Error"},
		"503 as a page": {modeltest.Answer{
			Status:      503,
			Body:        "<html>busy</html>",
			ContentType: "text/html",
		}, model.Overloaded, true, "503"},
		"429": {modeltest.Answer{
			Status: 429,
			Body:   `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`,
		}, model.RateLimited, true, "slow down"},
		"429 no credit": {modeltest.Answer{
			Status: 429,
			Body:   `{"error":{"message":"quota","code":"insufficient_quota"}}`,
		}, model.Refused, false, "credit"},
		"400 no credit": {
			modeltest.Fail(400, "Your credit balance is too low"), model.Refused, false,
			"your account at the provider",
		},
		"too long": {
			modeltest.Fail(400, "This model's maximum context length is 8192 tokens"), model.TooLong,
			false, "larger context window",
		},
		"prompt too long": {
			modeltest.Fail(400, "prompt is too long: 208310 tokens > 200000 maximum"), model.TooLong,
			false, "larger context window",
		},
		"too long by code": {modeltest.Answer{
			Status: 400,
			Body:   `{"error":{"message":"no","code":"context_length_exceeded"}}`,
		}, model.TooLong, false, "larger context window"},
		"too long for 429": {
			modeltest.Fail(429,
				"Request too large for x on tokens per min (TPM): Limit 30000, Requested 45000"), model.TooLong, false,
			"larger context window",
		},
		"too long for 500": {modeltest.Answer{
			Status: 500,
			Body:   `{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`,
		}, model.TooLong, false, "larger context window"},
		"413": {modeltest.Answer{
			Status:      413,
			Body:        "no",
			ContentType: "text/plain",
		}, model.TooLong, false, "413"},
		"window's end": {modeltest.Answer{
			Text: "half",
			Stop: "model_context_window_exceeded",
		}, model.TooLong, false, "larger context window"},
		"cut in the text": {
			modeltest.Answer{Text: strings.Repeat("word ", 40), CutAfter: 4},
			model.Truncated, true,
			"before the reply was complete",
		},
		"cut in a call": {modeltest.Answer{Calls: write, CutAfter: 5}, model.Truncated, true, "before"},
		"ended in the text": {modeltest.Answer{
			Text:   "half",
			Quirks: modeltest.Quirks{NoFinish: true, NoDone: true},
		}, model.Truncated, true, "before"},
		"ended in a call": {modeltest.Answer{
			Calls:  write,
			Quirks: modeltest.Quirks{NoFinish: true, NoDone: true},
		}, model.Truncated, true, "before"},
		"empty":       {modeltest.Answer{Raw: "\n"}, model.Truncated, true, "before"},
		"only [DONE]": {modeltest.Answer{Raw: "data: [DONE]\n\n"}, model.Truncated, true, "without a reply"},
		"a web page": {modeltest.Answer{
			Raw:         "<html>",
			ContentType: "text/html; charset=utf-8",
		}, model.InvalidReply, true, "base URL"},
		"a page as stream": {
			modeltest.Answer{Raw: "<html>\n<body>hi</body>\n</html>\n"},
			model.InvalidReply, true,
			"not a stream",
		},
		"binary": {
			modeltest.Answer{Raw: "\x00\x01\xff\xfe\n\x80\x81"},
			model.InvalidReply, true,
			"not a stream",
		},
		"invalid JSON": {
			modeltest.Answer{Raw: "data: {nope}\n\ndata: [DONE]\n\n"},
			model.InvalidReply, true,
			"cannot be read",
		},
		"invalid types": {
			modeltest.Answer{Raw: `data: {"type":"message_start","message":7,"choices":7}` + "\n\n"},
			model.InvalidReply, true, `field "message" has an unknown form`,
		},
		"an endless line":     {modeltest.Answer{Raw: long}, model.InvalidReply, true, "8 MiB"},
		"too many calls":      {modeltest.Answer{Calls: make([]goal.Call, 200)}, model.Mistaken, false, "128 tool calls"},
		"overloaded, text":    {modeltest.Answer{Text: "hel", Break: "overloaded_error"}, model.Overloaded, true, "sorry"},
		"overloaded, call":    {modeltest.Answer{Calls: write, Break: "overloaded_error"}, model.Overloaded, true, "sorry"},
		"limit in the stream": {modeltest.Answer{Text: "hel", Break: "rate_limit_error"}, model.RateLimited, true, "sorry"},
		"key in the stream":   {modeltest.Answer{Break: "authentication_error"}, model.Auth, false, "TEST_KEY"},
		"refusal":             {modeltest.Answer{Text: "I will not", Stop: "refusal"}, model.Refused, false, "I will not"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
				s := modeltest.New(t, one(test.answer))
				r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
				e, ok := model.AsError(err)
				if !ok {
					t.Fatalf("reply %+v, error %v", r, err)
				}
				if e.Kind != test.kind || e.IsRetryable() != test.retry || !strings.Contains(err.Error(), test.says) {
					t.Errorf("kind %s, retryable %v: %v", e.Kind, e.IsRetryable(), err)
				}
				if e.Hint == "" || strings.Contains(err.Error(), key) {
					t.Errorf("no hint, or the key is in it: %v", err)
				}
				if strings.Contains(err.Error(), "json") || strings.Contains(err.Error(), "invalid character") {
					t.Errorf("it is for programmers: %v", err)
				}
				if r.Text != "" || len(r.Calls) != 0 {
					t.Errorf("half a reply came out: %+v", r)
				}
				if errors.Is(err, goal.ErrContextTooLong) != (test.kind == model.TooLong) {
					t.Errorf("too long: %v", err)
				}
				if n := len(s.Requests()); n != 1 {
					t.Errorf("%d requests: the client repeats automatically", n)
				}
			})
		})
	}
}

// TestTurn_OddEndings_AreHandled checks unknown reasons for the end of a reply, and replies without text.
func TestTurn_OddEndings_AreHandled(t *testing.T) {
	list := []goal.Call{{ID: "x", Tool: "list_files", Arguments: "{}"}}
	for name, c := range map[string]struct {
		answer modeltest.Answer
		text   string
		args   []string
	}{
		"an unknown word": {modeltest.Answer{Text: "hello", Stop: "tired"}, "hello", nil},
		"nothing at all":  {modeltest.Answer{}, "", nil},
		"cut text":        {modeltest.Answer{Text: "hal", Stop: "max_tokens"}, "hal", nil},
		"cut by OpenAI":   {modeltest.Answer{Text: "hal", Stop: "length"}, "hal", nil},
		"cut by Gemini":   {modeltest.Answer{Text: "hal", Stop: "MAX_TOKENS"}, "hal", nil},
		"cut before arguments": {modeltest.Answer{
			Calls: []goal.Call{{Tool: "list_files"}},
			Stop:  "max_tokens",
		}, "", []string{"was cut"}},
		"cut in the arguments": {modeltest.Answer{
			Calls: []goal.Call{list[0], {Tool: "write_file", Arguments: `{"path":"a","con`}},
			Stop:  "length",
		}, "", []string{"{}", "was cut"}},
		"whole, though cut": {modeltest.Answer{
			Calls: []goal.Call{{Tool: "read_file", Arguments: `{"path":"a"}`}},
			Stop:  "length",
		}, "", []string{`{"path":"a"}`}},
		"broken, though not": {modeltest.Answer{
			Calls: []goal.Call{{Tool: "read_file", Arguments: `{"path`}},
		}, "", []string{`{"path`}},
		"NUL and half a letter": {modeltest.Answer{Text: "a\x00b\xff"}, "a\uFFFDb", nil},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
				s := modeltest.New(t, one(c.answer))
				r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
				if err != nil || !strings.HasPrefix(r.Text, c.text) || strings.ContainsRune(r.Text, 0) ||
					len(r.Calls) != len(c.args) {
					t.Fatalf("reply %+v, %v", r, err)
				}
				if isCut := c.answer.Stop != "" && c.answer.Stop != "tired"; r.IsCutOff != isCut {
					t.Errorf("cut off: %v", r.IsCutOff)
				}
				for i, want := range c.args {
					if got := r.Calls[i].Arguments; !strings.Contains(got, want) {
						t.Errorf("call %d has %q, want %q", i, got, want)
					}
				}
			})
		})
	}
}

// TestConnection_AfterAReply_IsReused: the client waits briefly for the end of the response.
func TestConnection_AfterAReply_IsReused(t *testing.T) {
	for protocol, open := range protocols() {
		t.Run(protocol, func(t *testing.T) {
			wire := model.NewTransport()
			t.Cleanup(wire.CloseIdleConnections)
			s := modeltest.New(t, one(modeltest.Answer{Text: "all of it", KeepOpen: true}))
			c, err := open(model.Options{BaseURL: s.URL, Model: "small", UsageTimeout: 50 * time.Millisecond, Transport: wire})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "all of it" {
				t.Errorf("reply %+v, %v", r, err)
			}
		})
	}
}

// TestCalls_HugeArguments_AreReplaced: the reply has only this call, with arguments that no tool accepts.
func TestCalls_HugeArguments_AreReplaced(t *testing.T) {
	long := `{"path":"a","content":"` + strings.Repeat("x", 100<<20)
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Answer{
			Text: "I write.",
			Calls: []goal.Call{{
				Tool:      "run_command",
				Arguments: `{"command":"true"}`,
			}, {ID: "b", Tool: "write_file", Arguments: long}},
		}))
		r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
		if err != nil || len(r.Calls) != 1 || r.Text != "I write." {
			t.Fatalf("reply %.500v, %v", r, err)
		}
		var object map[string]any
		if call := r.Calls[0]; call.Tool != "write_file" || call.ID != "b" || len(call.Arguments) > 500 ||
			json.Unmarshal([]byte(call.Arguments), &object) == nil || !strings.Contains(call.Arguments, "4 MiB") {
			t.Errorf("call %.500v", call)
		}
		if r.Usage.TokensOut < 1<<20 {
			t.Errorf("usage %+v", r.Usage)
		}
	})
}

func TestCalls_EndlessArguments_StopTheReading(t *testing.T) {
	x := strings.Repeat("x", 64<<10)
	begin, more := map[string]string{
		"openai": `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a",` +
			`"function":{"name":"write_file","arguments":""}}]}}]}`,
		"anthropic": `{"type":"content_block_start","index":0,` +
			`"content_block":{"type":"tool_use","id":"a","name":"write_file","input":{}}}`,
		"responses": `{"type":"response.output_item.added","output_index":0,` +
			`"item":{"type":"function_call","call_id":"a","name":"write_file"}}`,
	}, map[string]string{
		"openai":    `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + x + `"}}]}}]}`,
		"responses": `{"type":"response.function_call_arguments.delta","output_index":0,"delta":"` + x + `"}`,
		"anthropic": `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"` + x +
			`"}}`,
	}
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		sent := make(chan int, 1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			all := 0
			for event, err := begin[protocol], error(nil); err == nil && all < 1<<30; event = more[protocol] {
				var n int
				n, err = io.WriteString(w, "data: "+event+"\n\n")
				all += n
			}
			sent <- all
		}))
		defer s.Close()
		r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
		if err != nil || len(r.Calls) != 1 || !strings.Contains(r.Calls[0].Arguments, "4 MiB") {
			t.Fatalf("reply %.500v, %v", r, err)
		}
		if n := <-sent; n > 64<<20 { // includes the connection's buffers
			t.Errorf("the server got rid of %d MiB", n>>20)
		}
	})
}

// picture begins like a PNG.
var picture = []byte("\x89PNG\r\n\x1a\nand so on")

func TestImages_VisionModel_AreSent(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Say("a red square")))
		in := turn()
		in.Messages[0].Images = [][]byte{picture, []byte("\xff\xd8\xffJPEG")}
		in.Messages = append(in.Messages,
			goal.Message{
				Role:  goal.Assistant,
				Calls: []goal.Call{{ID: "a", Tool: "read_file", Arguments: "{}"}, {ID: "b", Tool: "read_file", Arguments: "{}"}},
			},
			goal.Message{Role: goal.ToolRole, CallID: "a", Text: "one", Images: [][]byte{picture}},
			goal.Message{Role: goal.ToolRole, CallID: "b", Text: "two"},
		)
		if _, err := dial(s.URL).Turn(t.Context(), in, nil); err != nil {
			t.Fatal(err)
		}
		req := s.Requests()[0]
		var shown [][]byte
		results := 0
		for _, m := range req.Messages {
			shown = append(shown, m.Images...)
			if m.Role == goal.ToolRole {
				results++
			}
		}
		if len(shown) != 3 || !bytes.Equal(shown[0], picture) || !bytes.Equal(shown[2], picture) || results != 2 ||
			req.Messages[1].Text != "make it" {
			t.Errorf("%d pictures and %d results in %s", len(shown), results, req.Body)
		}
		if !bytes.Contains(req.Body, []byte("image/png")) || !bytes.Contains(req.Body, []byte("image/jpeg")) {
			t.Errorf("the pictures have no types: %s", req.Body)
		}
	})
}

func TestImages_ModelWithoutVision_IsRefused(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Fail(400, "this model does not support image input")))
		in := turn()
		c := dial(s.URL)
		if e, ok := model.AsError(second(c.Turn(t.Context(), in, nil))); !ok || e.Kind != model.BadRequest {
			t.Errorf("without a picture: %v", e)
		}
		in.Messages[0].Images = [][]byte{picture}
		if e, ok := model.AsError(second(c.Turn(t.Context(), in, nil))); !ok || e.Kind != model.NoVision ||
			!strings.Contains(e.Hint, "accepts images") {
			t.Errorf("refused by the server: %v", e)
		}
		in.Model = "qwen2.5-coder:7b" // known
		if e, ok := model.AsError(second(c.Turn(t.Context(), in, nil))); !ok || e.Kind != model.NoVision ||
			!strings.Contains(e.Message, "qwen2.5-coder:7b") {
			t.Errorf("known: %v", e)
		}
		if n := len(s.Requests()); n != 2 {
			t.Errorf("%d requests, want 2: a model that is known not to see is not asked", n)
		}
	})
}

func second(_ goal.Reply, err error) error { return err }

func TestTurn_NoServer_IsUnreachable(t *testing.T) {
	const base = "http://user:hidden@127.0.0.1:1/v1?secret=1" // nothing listens on this port
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		_, err := dial(base).Turn(t.Context(), turn(), nil)
		e, ok := model.AsError(err)
		if !ok || e.Kind != model.Unreachable || !e.IsRetryable() {
			t.Fatalf("error %v", err)
		}
		if !strings.Contains(e.Hint, "is the server running at http://127.0.0.1:") ||
			strings.Contains(e.Error(), "hidden") || strings.Contains(e.Error(), "secret") {
			t.Errorf("hint %q, error %v", e.Hint, err)
		}
	})
}

func TestTurn_NotAWebServer_IsAnError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 64<<10)) // the request, or its beginning
			_, _ = io.WriteString(c, "SSH-2.0-OpenSSH\r\n")
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		_, err := dial("http://"+l.Addr().String()).Turn(t.Context(), turn(), nil)
		// the reset of the connection may arrive before the text
		if e, ok := model.AsError(err); !ok || (e.Kind != model.InvalidReply && e.Kind != model.Unreachable) ||
			strings.Contains(e.Message, "malformed") || strings.Contains(e.Message, "EOF") {
			t.Errorf("error %v", err)
		}
	})
}

func TestTurn_Cancelled_EndsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Answer{Text: "a long story", Hang: true}))
		ctx, cancel := context.WithCancel(t.Context())
		received := make(chan struct{}, 64)
		failed := make(chan error, 1)
		go func() {
			_, err := dial(s.URL).Turn(ctx, turn(), func(string) { received <- struct{}{} })
			failed <- err
		}()
		<-received // the stream is open
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

// TestTurns_OneCancelled_OthersContinue: turns share only their connections, so cancelling one does not affect the
// others.
func TestTurns_OneCancelled_OthersContinue(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
			return modeltest.Answer{Text: "a long story", Hang: r.Last().Text == "make it"}
		})
		c := dial(s.URL)
		ctx, cancel := context.WithCancel(t.Context())
		received, failed := make(chan struct{}, 64), make(chan error, 1)
		go func() {
			_, err := c.Turn(ctx, turn(), func(string) { received <- struct{}{} })
			failed <- err
		}()
		<-received
		other := turn()
		other.Messages[0].Text = "another goal"
		if r, err := c.Turn(t.Context(), other, func(string) { cancel() }); err != nil || r.Text != "a long story" {
			t.Errorf("reply %+v, %v", r, err)
		}
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestNew_InvalidBaseURL_IsRefused(t *testing.T) {
	for protocol, open := range protocols() {
		for _, bad := range []string{"", "localhost:8080", "ftp://x/v1", "http://", "http://[::1"} {
			if _, err := open(model.Options{BaseURL: bad}); err == nil {
				t.Errorf("%s: %q was accepted", protocol, bad)
			}
		}
	}
}

func TestTurn_SchemaNotJSON_IsAnError(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		in := turn()
		in.Tools[0].Schema = json.RawMessage(`{`)
		s := modeltest.New(t, one(modeltest.Say("x")))
		if _, err := dial(s.URL).Turn(t.Context(), in, nil); err == nil || !strings.Contains(err.Error(), "MCP") ||
			len(s.Requests()) != 0 {
			t.Errorf("error %v", err)
		}
	})
}

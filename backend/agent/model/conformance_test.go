package model_test

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// wholeReplies returns the first replies of reasoningProviders as answers that are not streamed.
func wholeReplies() map[string]string {
	reply := func(message string) string {
		return `{"choices":[{"index":0,"message":` + message + `,"finish_reason":"tool_calls"}],` +
			`"usage":{"prompt_tokens":9,"completion_tokens":4}}`
	}
	const list = `"tool_calls":[{"id":"call_1","type":"function","function":{"name":"list_files","arguments":"{}"}}]`
	return map[string]string{
		"DeepSeek": reply(`{"role":"assistant","content":"Looking.","reasoning_content":"The folder comes first.",` + list +
			`}`),
		"Kimi": reply(`{"role":"assistant","content":"","reasoning_content":"I list it.",` + list + `}`),
		"Groq": reply(`{"role":"assistant","content":null,"reasoning":"List it.",` + list + `}`),
		"Gemini": reply(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"list_files",` +
			`"arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln+/=="}}},{"id":"b","type":"function",` +
			`"function":{"name":"list_files","arguments":"{\"path\":\"x\"}"}}]}`),
		"OpenRouter": reply(`{"role":"assistant","content":null,"reasoning":"The folder.","reasoning_details":[` +
			`{"type":"reasoning.text","text":"The folder.","signature":"seal==","format":"anthropic-claude-v1","index":0},` +
			`{"type":"reasoning.encrypted","data":"AAAA","id":"call_1","index":1},` +
			`{"type":"reasoning.encrypted","data":"BBBB","id":"call_2","index":2}],` + list + `}`),
		"MiniMax, in tags": reply(`{"role":"assistant","content":"<think>I list it.</think>\n\nLooking.",` + list + `}`),
	}
}

// TestReasoning_ReplyNotStreamed_GoesBack: the servers require the reasoning of replies that were not streamed, too.
func TestReasoning_ReplyNotStreamed_GoesBack(t *testing.T) {
	for name, body := range wholeReplies() {
		t.Run(name, func(t *testing.T) {
			p := reasoningProviders()[name]
			s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
				switch sent := replies(t, r); {
				case len(sent) == 0:
					return modeltest.Answer{Raw: body, ContentType: "application/json"}
				case !p.accepts(sent[0]):
					return modeltest.Answer{Status: 400, Body: p.refusal}
				}
				return modeltest.Say("done")
			})
			c, in := client(t, s.URL), turn()
			in.Model = "minimax-m2"
			r, err := c.Turn(t.Context(), in, nil)
			if err != nil || r.Text != p.text || len(r.Calls) == 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			r, err = c.Turn(t.Context(), continueAfter(in, r), nil)
			if err != nil || r.Text != "done" || len(s.Requests()) != 2 {
				t.Errorf("after %d requests %+v, %v", len(s.Requests()), r, err)
			}
		})
	}
}

// greeting is the text of helloStreams. Its letters have one to four bytes.
const greeting = "hello, Grüße 世界 🎉"

// helloStreams returns the same reply in each protocol.
func helloStreams() map[string]string {
	return map[string]string{
		"openai": chunks("stop", `{"role":"assistant","content":"hel"}`, `{"content":"lo, Grüße 世界 🎉"}`),
		"responses": `data: {"type":"response.output_text.delta","output_index":0,"delta":"hel"}

data: {"type":"response.output_text.delta","output_index":0,"delta":"lo, Grüße 世界 \ud83c\udf89"}

data: {"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":3,"output_tokens":2}}}

`,
		"anthropic": `data: {"type":"message_start","message":{"usage":{"input_tokens":3}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hel"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo, Grüße 世界 🎉"}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

`,
	}
}

// TestTransport_OddForm_IsRead: servers and gateways send streams in various forms, which are read in each protocol.
func TestTransport_OddForm_IsRead(t *testing.T) {
	for name, send := range map[string]func(w http.ResponseWriter, stream string) error{
		"byte order mark": func(w http.ResponseWriter, stream string) error {
			_, err := w.Write([]byte("\xEF\xBB\xBF" + stream))
			return err
		},
		"no space after the colon": func(w http.ResponseWriter, stream string) error {
			_, err := w.Write([]byte(strings.ReplaceAll(stream, "data: ", "data:")))
			return err
		},
		"labelled as JSON": func(w http.ResponseWriter, stream string) error {
			w.Header().Set("Content-Type", "application/json")
			_, err := w.Write([]byte(stream))
			return err
		},
		"without a type": func(w http.ResponseWriter, stream string) error {
			w.Header()["Content-Type"] = nil
			_, err := w.Write([]byte(stream))
			return err
		},
		"compressed, though not asked for": func(w http.ResponseWriter, stream string) error {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			if _, err := z.Write([]byte(stream)); err != nil {
				return err
			}
			return z.Close()
		},
		"comments, no data and unknown fields": func(w http.ResponseWriter, stream string) error {
			const nothing = ": keep-alive\n\ndata:\n\nid: 7\nretry: 10\nevent\n\n"
			_, err := w.Write([]byte(nothing + strings.ReplaceAll(stream, "\n\n", "\n\n"+nothing)))
			return err
		},
		"lines that end with CR LF": func(w http.ResponseWriter, stream string) error {
			_, err := w.Write([]byte(strings.ReplaceAll(stream, "\n", "\r\n")))
			return err
		},
		"byte by byte": func(w http.ResponseWriter, stream string) error {
			for i := range len(stream) {
				if _, err := w.Write([]byte(stream[i : i+1])); err != nil {
					return err
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
				url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					if err := send(w, helloStreams()[protocol]); err != nil {
						t.Error(err)
					}
				})
				if r, err := dial(url+"/v1").Turn(t.Context(), turn(), nil); err != nil || r.Text != greeting {
					t.Errorf("%+v, %v", r, err)
				}
			})
		})
	}
}

func TestHTTP2_OverTLS_IsUsed(t *testing.T) {
	for protocol, open := range protocols() {
		t.Run(protocol, func(t *testing.T) {
			used := make(chan string, 1)
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				used <- r.Proto
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write([]byte(helloStreams()[protocol]))
			}))
			s.EnableHTTP2 = true
			s.StartTLS()
			t.Cleanup(s.Close)
			wire := model.NewTransport()
			t.Cleanup(wire.CloseIdleConnections)
			wire.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
			wire.TLSClientConfig.RootCAs = x509.NewCertPool()
			wire.TLSClientConfig.RootCAs.AddCert(s.Certificate())
			c, err := open(model.Options{BaseURL: s.URL + "/v1", Model: "small", Transport: wire})
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.Turn(t.Context(), turn(), nil)
			if err != nil || r.Text != greeting {
				t.Fatalf("%+v, %v", r, err)
			}
			if proto := <-used; proto != "HTTP/2.0" {
				t.Errorf("over %s", proto)
			}
		})
	}
}

// TestRetryAfter_InMilliseconds_IsRead: OpenAI and Azure send Retry-After-Ms.
func TestRetryAfter_InMilliseconds_IsRead(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After-Ms", "1500")
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := dial(url+"/v1").Turn(t.Context(), turn(), nil)
		if e, ok := model.AsError(err); !ok || e.RetryAfter != 1500*time.Millisecond {
			t.Errorf("%+v", err)
		}
	})
}

// TestRetryAfter_AsADate_IsRead: the wait is computed with the client's clock.
func TestRetryAfter_AsADate_IsRead(t *testing.T) {
	now := time.Date(2026, 11, 23, 19, 0, 0, 0, time.UTC)
	for date, want := range map[string]time.Duration{
		"Mon, 23 Nov 2026 19:00:42 GMT":   42 * time.Second,
		"Monday, 23-Nov-26 19:00:42 GMT":  42 * time.Second,
		"Mon Nov 23 19:00:42 2026":        42 * time.Second,
		"Mon, 23 Nov 2026 18:59:00 GMT":   0,
		"Mon, 23 Nov 2099 19:00:00 GMT":   24 * time.Hour,
		"2026-11-23T19:00:42Z, or sooner": 0,
	} {
		for protocol, open := range protocols() {
			a := modeltest.Fail(http.StatusServiceUnavailable, "busy")
			a.RetryAfter = date
			s := modeltest.New(t, one(a))
			wire := model.NewTransport()
			t.Cleanup(wire.CloseIdleConnections)
			c, err := open(model.Options{BaseURL: s.URL, Model: "small", Clock: &hourglass{now: now}, Transport: wire})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Turn(t.Context(), turn(), nil)
			if e, ok := model.AsError(err); !ok || e.Kind != model.Overloaded || e.RetryAfter != want {
				t.Errorf("%s, %q: %+v", protocol, date, e)
			}
		}
	}
}

// TestOpenAI_OllamasOwnProtocol_FailsWithTheAddress: /api/chat streams one JSON object a line.
func TestOpenAI_OllamasOwnProtocol_FailsWithTheAddress(t *testing.T) {
	const native = `{"model":"x","message":{"role":"assistant","content":"hel"},"done":false}
{"model":"x","message":{"role":"assistant","content":"lo"},"done":true,"done_reason":"stop"}
`
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, one(modeltest.Answer{Raw: native, ContentType: "application/x-ndjson"}))
		r, err := dial(s.URL).Turn(t.Context(), turn(), nil)
		if e, ok := model.AsError(err); !ok || e.Kind != model.InvalidReply || e.IsRetryable() ||
			!strings.Contains(err.Error(), "base URL") {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestAnthropic_GatewayRestartsTheMessage_NoHalfCallIsRun: a gateway that switches its provider in the middle of a
// reply begins the message again. No tool accepts the half call, and the whole one is in the reply.
func TestAnthropic_GatewayRestartsTheMessage_NoHalfCallIsRun(t *testing.T) {
	start := `data: {"type":"message_start","message":{"usage":{"input_tokens":3}}}` + "\n\n" +
		`data: {"type":"content_block_start","index":0,` +
		`"content_block":{"type":"tool_use","id":"%s","name":"read_file","input":{}}}` + "\n\n"
	piece := func(arguments string) string {
		b, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		return `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` +
			string(b) + "}}\n\n"
	}
	raw := fmt.Sprintf(start, "a") + piece(`{"path":"hal`) + fmt.Sprintf(start, "b") + piece(`{"path":"whole"}`) +
		`data: {"type":"content_block_stop","index":0}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}

data: {"type":"message_stop"}

`
	s := modeltest.New(t, one(modeltest.Answer{Raw: raw}))
	r, err := claude(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, c := range r.Calls {
		var args struct{ Path string }
		switch {
		case json.Unmarshal([]byte(c.Arguments), &args) != nil: // the agent gets an error
		case args.Path == "whole":
			whole++
		default:
			t.Errorf("a call with %s", c.Arguments)
		}
	}
	if whole != 1 {
		t.Errorf("calls %+v", r.Calls)
	}
}

// TestEmptyReply_ServerRefusesEmptyContent_IsSentWithWords: Mistral and Moonshot require some text in each message.
func TestEmptyReply_ServerRefusesEmptyContent_IsSentWithWords(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
			if bytes.Contains(r.Body, []byte(`"content":""`)) || bytes.Contains(r.Body, []byte(`"text":""`)) ||
				bytes.Contains(r.Body, []byte(`"content":[]`)) {
				return modeltest.Fail(400, "assistant message must have either content or tool_calls, but not none")
			}
			if n == 0 {
				return modeltest.Answer{}
			}
			return modeltest.Say("done")
		})
		c, in := dial(s.URL), turn()
		r, err := c.Turn(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		next := continueAfter(in, r)
		next.Messages = append(next.Messages, goal.Message{Role: goal.User, Text: "You called no tool."})
		if r, err = c.Turn(t.Context(), next, nil); err != nil || r.Text != "done" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

package relay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/agent/engine/relay"
	"goalpost/backend/domain/goal"
)

const messagesQuestion = `{"model":"relay","max_tokens":9,"stream":%t,"system":[{"type":"text","text":"be brief"}],
"messages":[{"role":"user","content":[{"type":"text","text":"look"},
{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"I look."},
{"type":"tool_use","id":"c1","name":"f","input":{"x":1}}]},
{"role":"user","content":[
{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":[{"type":"text","text":"seen"}]},
{"type":"text","text":"next"}]}],
"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}},
{"type":"web_search_20250305","name":"web_search"}]}`

const geminiQuestion = `{"systemInstruction":{"parts":[{"text":"be brief"}]},"contents":[
{"role":"user","parts":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]},
{"role":"model","parts":[{"text":"hm","thought":true},{"text":"I look."},
{"functionCall":{%s"name":"f","args":{"x":1}}}]},
{"role":"user","parts":[{"functionResponse":{%s"name":"f","response":{"error":"seen"}}},{"text":"next"}]}],
"tools":[{"functionDeclarations":[{"name":"f","description":"d",
"parameters":{"type":"OBJECT","properties":{"type":{"type":"STRING"}}}}]}]}`

const (
	messagesPath     = "/v1/messages?beta=true"
	geminiPath       = "/v1beta/models/gemini-2.5-pro:generateContent"
	geminiStreamPath = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"
)

// TestRelay_EachDialect_AsksTheSameAndAnswersInItsForm: the model sees the same conversation in each protocol, and its
// reply has the protocol's form, streamed or whole.
func TestRelay_EachDialect_AsksTheSameAndAnswersInItsForm(t *testing.T) {
	gemini := fmt.Sprintf(geminiQuestion, `"id":"c1",`, `"id":"c1",`)
	for name, c := range map[string]struct {
		path, body string
		want       []string
	}{
		"messages, stream": {messagesPath, fmt.Sprintf(messagesQuestion, true), []string{
			"event: message_start\n", `"text_delta"`, `"text":"he"`, "event: content_block_stop\n",
			`"content_block":{"id":"c2","input":{},"name":"f","type":"tool_use"}`, `"partial_json":"{\"a\":1}"`,
			`"stop_reason":"tool_use"`, `"input_tokens":7`, "event: message_stop\n",
		}},
		"messages": {messagesPath, fmt.Sprintf(messagesQuestion, false), []string{
			`"text":"hello"`, `{"id":"c2","input":{"a":1},"name":"f","type":"tool_use"}`, `"stop_reason":"tool_use"`,
			`"output_tokens":3`,
		}},
		"gemini, stream": {geminiStreamPath, gemini, []string{
			`{"text":"he"}`, `{"text":"llo"}`, `"functionCall":{"args":{"a":1},"id":"c2","name":"f"}`,
			`"finishReason":"STOP"`, `"promptTokenCount":7`,
		}},
		"gemini": {geminiPath, gemini, []string{
			`{"text":"hello"}`, `"functionCall":{"args":{"a":1},"id":"c2","name":"f"}`, `"candidatesTokenCount":3`,
		}},
		"gemini without ids": {geminiPath, fmt.Sprintf(geminiQuestion, "", ""), []string{`{"text":"hello"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked goal.Turn
			r := relay.New(modelFunc(func(turn goal.Turn, delta func(string)) (goal.Reply, error) {
				asked = turn
				delta("he")
				delta("llo")
				return goal.Reply{
					Text: "hello", Calls: []goal.Call{{ID: "c2", Tool: "f", Arguments: `{"a":1}`}},
					Usage: goal.Usage{TokensIn: 7, TokensOut: 3},
				}, nil
			}), "the-model", func(err error) { t.Error(err) })
			w := ask(r, c.path, c.body)
			for _, want := range c.want {
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
					t.Errorf("%q is missing in %d %s", want, w.Code, w.Body)
				}
			}
			if asked.Model != "the-model" || asked.System != "be brief" || len(asked.Messages) != 4 || len(asked.Tools) != 1 {
				t.Fatalf("the model was asked %+v", asked)
			}
			user, reply, result, last := asked.Messages[0], asked.Messages[1], asked.Messages[2], asked.Messages[3]
			if user.Text != "look" || string(user.Images[0]) != "hi" || reply.Text != "I look." || len(reply.Calls) != 1 ||
				reply.Calls[0].Arguments != `{"x":1}` || result.CallID != reply.Calls[0].ID || result.CallID == "" ||
				result.Text != "Error: seen" || last.Text != "next" || last.Role != goal.User {
				t.Errorf("the conversation is %+v", asked.Messages)
			}
			if schema := string(asked.Tools[0].Schema); !strings.Contains(schema, `"type":"object"`) ||
				strings.Contains(schema, "STRING") {
				t.Errorf("the tool is %s", schema)
			}
		})
	}
}

// TestRelay_ReplyCutOff_SaysSoInEachDialect: the agent would otherwise take half a text as a complete answer.
func TestRelay_ReplyCutOff_SaysSoInEachDialect(t *testing.T) {
	const chatPath, responsesPath = "/v1/chat/completions", "/v1/responses"
	gemini := fmt.Sprintf(geminiQuestion, "", "")
	for name, c := range map[string]struct{ path, body, want string }{
		"chat": {chatPath, `{"messages":[{"role":"user","content":"hi"}]}`, `"finish_reason":"length"`},
		"chat, stream": {
			chatPath, `{"stream":true,"messages":[{"role":"user","content":"hi"}]}`, `"finish_reason":"length"`,
		},
		"responses":         {responsesPath, `{"input":"hi"}`, `"incomplete_details":{"reason":"max_output_tokens"}`},
		"responses, stream": {responsesPath, `{"input":"hi","stream":true}`, "event: response.incomplete"},
		"messages":          {messagesPath, fmt.Sprintf(messagesQuestion, false), `"stop_reason":"max_tokens"`},
		"messages, stream":  {messagesPath, fmt.Sprintf(messagesQuestion, true), `"stop_reason":"max_tokens"`},
		"gemini":            {geminiPath, gemini, `"finishReason":"MAX_TOKENS"`},
		"gemini, stream":    {geminiStreamPath, gemini, `"finishReason":"MAX_TOKENS"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := relay.New(modelFunc(func(_ goal.Turn, delta func(string)) (goal.Reply, error) {
				delta("half a")
				return goal.Reply{Text: "half a", IsCutOff: true}, nil
			}), "the-model", func(err error) { t.Error(err) })
			if w := ask(r, c.path, c.body); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%q is missing in %d %s", c.want, w.Code, w.Body)
			}
		})
	}
}

// TestRelay_EachDialect_WordsErrorsForItsAgent: agents shorten their conversation when they read their protocol's
// error. The host handles an outage.
func TestRelay_EachDialect_WordsErrorsForItsAgent(t *testing.T) {
	var reported, answer error
	r := relay.New(modelFunc(func(goal.Turn, func(string)) (goal.Reply, error) { return goal.Reply{}, answer }), "m",
		func(err error) { reported = err })
	for path, c := range map[string]struct{ body, tooLong string }{
		messagesPath:     {fmt.Sprintf(messagesQuestion, true), "prompt is too long"},
		geminiStreamPath: {fmt.Sprintf(geminiQuestion, "", ""), "exceeds the maximum number of tokens"},
	} {
		answer, reported = fmt.Errorf("server: %w", goal.ErrContextTooLong), nil
		if w := ask(r, path, c.body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.tooLong) ||
			!json.Valid(w.Body.Bytes()) || reported != nil {
			t.Errorf("%s: %d %s, reported %v", path, w.Code, w.Body, reported)
		}
		answer = &goal.Unavailable{Err: errors.New("down")}
		if w := ask(r, path, c.body); w.Code != http.StatusBadRequest || !errors.Is(reported, answer) {
			t.Errorf("%s: %d, reported %v", path, w.Code, reported)
		}
		for _, body := range []string{
			"", "{}", `{"messages":[{"role":"god","content":"x"}],"contents":[{"role":"god","parts":[]}]}`,
			`{"messages":[{"role":"user","content":` +
				`[{"type":"image","source":{"type":"url","url":"http://a.example/x.png"}}]}],` +
				`"contents":[{"parts":[{"inlineData":{"data":"%"}}]}]}`,
		} {
			if w := ask(r, path, body); w.Code != http.StatusBadRequest || !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s %s: %d %s", path, body, w.Code, w.Body)
			}
		}
	}
}

// TestRelay_CountRequest_DoesNotAskTheModel: the length of a conversation is estimated. A GET of the address is
// answered, too.
func TestRelay_CountRequest_DoesNotAskTheModel(t *testing.T) {
	r := relay.New(modelFunc(func(goal.Turn, func(string)) (goal.Reply, error) {
		t.Error("the model was asked")
		return goal.Reply{}, nil
	}), "m", func(err error) { t.Error(err) })
	gemini := fmt.Sprintf(geminiQuestion, "", "")
	for path, c := range map[string]struct{ body, want string }{
		"/v1/messages/count_tokens?beta=true":   {fmt.Sprintf(messagesQuestion, false), `{"input_tokens":`},
		"/v1beta/models/g:countTokens":          {gemini, `{"totalTokens":`},
		"/v1beta/models/gemini-pro:countTokens": {`{"generateContentRequest":` + gemini + `}`, `{"totalTokens":`},
	} {
		if w := ask(r, path, c.body); w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for path, want := range map[string]int{"/": http.StatusOK, "/v1/models": http.StatusNotFound} {
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, httptest.NewRequest(http.MethodHead, path, nil)); w.Code != want {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestRelay_NextQuestion_RestoresReasoning: agents drop the reasoning of another provider, so the relay adds it to its
// reply again.
func TestRelay_NextQuestion_RestoresReasoning(t *testing.T) {
	thought := &goal.Reasoning{Model: "m", Form: "x", Text: "because"}
	var asked goal.Turn
	r := relay.New(modelFunc(func(turn goal.Turn, _ func(string)) (goal.Reply, error) {
		asked = turn
		return goal.Reply{Calls: []goal.Call{{ID: "c1", Tool: "f", Arguments: "{}"}}, Reasoning: thought}, nil
	}), "m", func(err error) { t.Error(err) })
	for _, want := range []*goal.Reasoning{nil, thought} {
		if ask(r, messagesPath, fmt.Sprintf(messagesQuestion, true)); asked.Messages[1].Reasoning != want {
			t.Errorf("the reasoning is %+v", asked.Messages[1].Reasoning)
		}
	}
}

package relay_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"goalpost/backend/agent/engine/relay"
	"goalpost/backend/domain/goal"
)

// modelFunc is a model.
type modelFunc func(t goal.Turn, delta func(string)) (goal.Reply, error)

func (m modelFunc) Turn(_ context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	return m(t, delta)
}

const question = `{"model":"relay","stream":%t,"messages":[{"role":"system","content":"be brief"},
{"role":"user","content":[{"type":"text","text":"look"},
{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]},
{"role":"assistant","content":null,
"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"c1","content":"seen"}],
"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]}`

func ask(r *relay.Relay, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return w
}

// TestRelay_Question_ReachesTheModelAndIsCounted: the conversation, pictures and tools reach the model under its own
// name, and its usage is counted once.
func TestRelay_Question_ReachesTheModelAndIsCounted(t *testing.T) {
	var asked goal.Turn
	r := relay.New(modelFunc(func(turn goal.Turn, delta func(string)) (goal.Reply, error) {
		asked = turn
		delta("he")
		delta("llo")
		return goal.Reply{
			Text: "hello", Calls: []goal.Call{{ID: "c2", Tool: "f", Arguments: `{"a":1}`}},
			Usage: goal.Usage{TokensIn: 7, TokensOut: 3, USD: 0.5},
		}, nil
	}), "the-model", func(err error) { t.Error(err) })
	for _, stream := range []bool{true, false} {
		w := ask(r, "/v1/chat/completions", fmt.Sprintf(question, stream))
		for _, want := range []string{`"name":"f"`, `"arguments":"{\"a\":1}"`, `"tool_calls"`, `"prompt_tokens":7`} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("stream %t: %q is missing in %s", stream, want, w.Body)
			}
		}
		if stream != strings.HasSuffix(w.Body.String(), "data: [DONE]\n\n") {
			t.Errorf("stream %t: %s", stream, w.Body)
		}
	}
	if len(asked.Messages) != 3 || asked.System != "be brief" || asked.Model != "the-model" || len(asked.Tools) != 1 ||
		string(asked.Messages[0].Images[0]) != "hi" || asked.Messages[2].CallID != "c1" {
		t.Errorf("the model was asked %+v", asked)
	}
	if u := r.TakeUsage(); u.TokensIn != 14 || u.TokensOut != 6 || u.USD != 1 {
		t.Errorf("used %+v", u)
	}
	if u := r.TakeUsage(); u != (goal.Usage{}) {
		t.Errorf("counted twice: %+v", u)
	}
}

// TestRelay_Error_ReachesAgentOrHost: the agent handles a conversation that is too long, the host an outage. Bad
// requests do not reach the model.
func TestRelay_Error_ReachesAgentOrHost(t *testing.T) {
	var reported, answer error
	r := relay.New(modelFunc(func(goal.Turn, func(string)) (goal.Reply, error) { return goal.Reply{}, answer }), "m",
		func(err error) { reported = err })
	answer = fmt.Errorf("server: %w", goal.ErrContextTooLong)
	if w := ask(r, "/v1/chat/completions", fmt.Sprintf(question, true)); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "context_length_exceeded") || reported != nil {
		t.Errorf("%d %s, reported %v", w.Code, w.Body, reported)
	}
	answer = &goal.Unavailable{Err: errors.New("down")}
	if ask(r, "/v1/chat/completions", fmt.Sprintf(question, true)); !errors.Is(reported, answer) {
		t.Errorf("reported %v", reported)
	}
	for _, body := range []string{
		"", "{", `{"messages":[]}`, `{"messages":[{"role":"god","content":"x"}]}`,
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://a.example/x.png"}}]}]}`,
	} {
		if w := ask(r, "/v1/chat/completions", body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", body, w.Code)
		}
	}
	if w := ask(r, "/v1/models", "{}"); w.Code != http.StatusNotFound {
		t.Errorf("models: %d", w.Code)
	}
	if r.IsBusy() {
		t.Error("a request is left")
	}
}

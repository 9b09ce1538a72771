package model_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

func claude(t *testing.T, base string) *model.Anthropic {
	t.Helper()
	c, err := model.NewAnthropic(model.Options{BaseURL: base, Model: "claude-opus-5-5"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// continueAfter returns a conversation that continues after a reply, with a result for each call.
func continueAfter(in goal.Turn, r goal.Reply) goal.Turn {
	in.Messages = append(in.Messages[:len(in.Messages):len(in.Messages)], goal.Message{
		Role:      goal.Assistant,
		Text:      r.Text,
		Calls:     r.Calls,
		Reasoning: r.Reasoning,
	})
	for _, c := range r.Calls {
		in.Messages = append(in.Messages, goal.Message{Role: goal.ToolRole, CallID: c.ID, Text: "done"})
	}
	return in
}

func TestAnthropic_BaseURLWithOrWithoutVersion_IsAccepted(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Say("here")))
	root := strings.TrimSuffix(s.URL, "/v1")
	for _, base := range []string{root, root + "/", root + "/v1", root + "/v1/"} {
		if r, err := claude(t, base).Turn(t.Context(), turn(), nil); err != nil || r.Text != "here" {
			t.Errorf("%s: %+v, %v", base, r, err)
		}
	}
}

// TestThinking_IsSentBackUnchanged: the thinking of a reply is sent back, but left out if the conversation was changed
// or another model is asked.
func TestThinking_IsSentBackUnchanged(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{
		Thinking: "first the file",
		Text:     "I write.",
		Calls:    []goal.Call{{Tool: "write_file", Arguments: `{"path":"a"}`}, {Tool: "list_files", Arguments: "{}"}},
	}))
	c, in := claude(t, s.URL), turn()
	var received strings.Builder
	r, err := c.Turn(t.Context(), in, func(text string) { received.WriteString(text) })
	if err != nil || r.Text != "I write." || received.String() != r.Text || len(r.Calls) != 2 {
		t.Fatalf("reply %+v, %v, received %q", r, err, received.String())
	}
	sent := func(n int) string { return string(s.Requests()[n].Body) }
	next := continueAfter(in, r)
	for i, m := range next.Messages {
		next.Messages[i] = throughJournal(t, m)
	}
	if _, err := c.Turn(t.Context(), next, nil); err != nil {
		t.Fatal(err)
	}
	thought := `{"type":"thinking","thinking":"first the file","signature":"sealed"}`
	if i, j := strings.Index(sent(1), thought), strings.Index(sent(1), `"I write."`); i < 0 || j < i {
		t.Errorf("the thought did not go back before the words: %s", sent(1))
	}
	changed := continueAfter(in, goal.Reply{Text: "I wrote it.", Calls: r.Calls, Reasoning: r.Reasoning})
	other := next
	other.Model = "claude-haiku-4-5"
	for i, conversation := range []goal.Turn{changed, other} {
		if _, err := c.Turn(t.Context(), conversation, nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(sent(2+i), "first the file") {
			t.Errorf("the thought went back in %s", sent(2+i))
		}
	}
}

// TestThinking_ServerRefuses_IsLeftOut: the turn is repeated without the thinking of earlier replies.
func TestThinking_ServerRefuses_IsLeftOut(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		if bytes.Contains(r.Body, []byte(`"signature"`)) {
			return modeltest.Fail(http.StatusBadRequest, "messages.1.content.0: invalid signature in thinking block")
		}
		return modeltest.Answer{Thinking: "hm", Calls: []goal.Call{{Tool: "list_files", Arguments: "{}"}}}
	})
	c, in := claude(t, s.URL), turn()
	r, err := c.Turn(t.Context(), in, nil)
	if err == nil {
		_, err = c.Turn(t.Context(), continueAfter(in, r), nil)
	}
	if n := len(s.Requests()); err != nil || n != 3 {
		t.Errorf("%d requests, %v", n, err)
	}
}

// TestAnthropic_LongReplyRefused_AsksForShort: later turns ask for short replies from the start.
func TestAnthropic_LongReplyRefused_AsksForShort(t *testing.T) {
	longest := func(r modeltest.Request) int {
		var body struct {
			MaxTokens int `json:"max_tokens"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Error(err)
		}
		return body.MaxTokens
	}
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		if longest(r) > 8192 {
			return modeltest.Fail(http.StatusBadRequest,
				"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens")
		}
		return modeltest.Say("fine")
	})
	c := claude(t, s.URL)
	for range 2 {
		if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "fine" {
			t.Fatalf("reply %+v, %v", r, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3: the refusal is remembered", n)
	}
	old := turn()
	old.Model = "claude-3-5-haiku-20241022"
	if _, err := claude(t, s.URL).Turn(t.Context(), old, nil); err != nil || longest(s.Requests()[3]) != 8192 {
		t.Errorf("a model whose longest reply is known: %v", err)
	}
}

// TestAnthropic_NextTurn_RepeatsThePrefix: apart from cache breakpoints, a turn repeats the request before it byte for
// byte, so that the provider finds it in its cache.
func TestAnthropic_NextTurn_RepeatsThePrefix(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{
		Thinking: "so",
		Text:     "I look.",
		Calls:    []goal.Call{{Tool: "list_files", Arguments: "{}"}},
	}))
	c, in := claude(t, s.URL), turn()
	for range 4 {
		r, err := c.Turn(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		in = continueAfter(in, r)
	}
	const sign = `,"cache_control":{"type":"ephemeral"}`
	var before string
	for i, r := range s.Requests() {
		body := string(r.Body)
		if n := strings.Count(body, sign); n != min(3, i+2) {
			t.Errorf("%d marks in request %d", n, i)
		}
		if !strings.HasSuffix(body, sign+"}]}]}") {
			t.Errorf("the end of the conversation is not marked: %s", body)
		}
		body = strings.ReplaceAll(body, sign, "")
		if !strings.HasPrefix(body, strings.TrimSuffix(before, "]}")) {
			t.Errorf("request %d does not begin with the one before", i)
		}
		before = body
	}
}

// TestAnthropic_MessagesOutOfOrder_AreSentInOrder: the API would reject any other order in every later turn, too.
func TestAnthropic_MessagesOutOfOrder_AreSentInOrder(t *testing.T) {
	call := goal.Call{ID: "a", Tool: "list_files", Arguments: "{}"}
	for name, messages := range map[string][]goal.Message{
		"nothing":         nil,
		"the agent first": {{Role: goal.Assistant, Text: "hello"}, {Role: goal.User, Text: "continue"}},
		"a call without result": {
			{Role: goal.User, Text: "x"},
			{Role: goal.Assistant, Calls: []goal.Call{call}},
			{Role: goal.User, Text: "continue"},
		},
		"a call at the end": {{Role: goal.User, Text: "x"}, {Role: goal.Assistant, Calls: []goal.Call{call}}},
		"one result of two": {
			{Role: goal.User, Text: "x"},
			{Role: goal.Assistant, Calls: []goal.Call{call, {ID: "b", Tool: "list_files", Arguments: "{}"}}},
			{Role: goal.ToolRole, CallID: "b", Text: "y"},
			{Role: goal.User, Text: "continue"},
		},
		"a result without call": {{Role: goal.User, Text: "x"}, {Role: goal.ToolRole, CallID: "a", Text: "y"}},
		"blank words":           {{Role: goal.User, Text: " \n"}, {Role: goal.Assistant, Text: "\t"}, {Role: goal.User}},
		"the host speaks": {
			{Role: goal.System, Text: "x"},
			{Role: goal.Assistant, Text: "y"},
			{Role: goal.System, Text: "z"},
		},
		"twice in a row": {
			{Role: goal.User, Text: "x"},
			{Role: goal.User, Text: "y"},
			{Role: goal.Assistant, Text: "z"},
			{Role: goal.Assistant, Text: "z"},
			{Role: goal.User, Text: "continue"},
		},
	} {
		s := modeltest.New(t, one(modeltest.Say("ok")))
		if _, err := claude(t, s.URL).Turn(t.Context(), goal.Turn{Messages: messages}, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnthropic_AnswerNotStreamed_IsRead(t *testing.T) {
	for raw, want := range map[string]string{
		`{"type":"message","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"hello"},` +
			`{"type":"tool_use","id":"q","name":"read_file","input":{"path":"a"}}],` +
			`"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}`: "",
		`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`: "busy",
		`{"type":"message","content":"no list"}`:                                "cannot be read",
		`{}`:                                                                    "no reply",
	} {
		s := modeltest.New(t, one(modeltest.Answer{ContentType: "application/json", Raw: raw}))
		r, err := claude(t, s.URL).Turn(t.Context(), turn(), nil)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", raw, err)
			}
			continue
		}
		if err != nil || r.Text != "hello" || len(r.Calls) != 1 || r.Calls[0].Arguments != `{"path":"a"}` ||
			r.Usage.TokensOut != 2 {
			t.Errorf("reply %+v, %v", r, err)
		}
	}
}

package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

func responses(t *testing.T, base string) *model.OpenAI {
	t.Helper()
	c, err := model.NewResponses(model.Options{BaseURL: base, Model: "gpt-5.6", APIKey: key, KeyName: "TEST_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestResponses_EncryptedReasoning_GoesBack: encrypted reasoning is sent back before its call, also from the journal,
// but not to another model.
func TestResponses_EncryptedReasoning_GoesBack(t *testing.T) {
	const sealed = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed look first"}`
	s := modeltest.New(t, one(modeltest.Answer{
		Thinking: "look first",
		Text:     "Looking.",
		Calls:    []goal.Call{{Tool: "list_files", Arguments: "{}"}, {Tool: "write_file", Arguments: `{"path":"<a>"}`}},
	}))
	c, in := responses(t, s.URL), turn()
	r, err := c.Turn(t.Context(), in, nil)
	if err != nil || r.Text != "Looking." || len(r.Calls) != 2 || r.Reasoning == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	next := continueAfter(in, r)
	for i, m := range next.Messages {
		next.Messages[i] = throughJournal(t, m)
	}
	if _, err := responses(t, s.URL).Turn(t.Context(), next, nil); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Include []string          `json:"include"`
		Input   []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(s.Requests()[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, item := range body.Input {
		var typed struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(item, &typed); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, typed.Type)
	}
	want := "message reasoning message function_call function_call function_call_output function_call_output"
	if strings.Join(kinds, " ") != want || string(body.Input[1]) != sealed ||
		len(body.Include) != 1 || body.Include[0] != "reasoning.encrypted_content" {
		t.Errorf("the second request is %s", s.Requests()[1].Body)
	}
	next.Model = "other"
	if _, err := c.Turn(t.Context(), next, nil); err != nil || strings.Contains(string(s.Requests()[2].Body), "sealed") {
		t.Errorf("another model got %s, %v", s.Requests()[2].Body, err)
	}
}

// TestResponses_Incomplete_IsCutOff: the status or the type of the event is enough, whatever the reason.
func TestResponses_Incomplete_IsCutOff(t *testing.T) {
	const output = `"output":[{"type":"message","content":[{"type":"output_text","text":"half"}]}]`
	for _, a := range []modeltest.Answer{
		{Raw: `data: {"type":"response.incomplete","response":{` + output + `}}` + "\n\n"},
		{Raw: `data: {"type":"response.done","response":{"status":"incomplete",` + output + `}}` + "\n\n"},
		{
			Raw:         `{"object":"response","status":"incomplete","incomplete_details":{"reason":"steps"},` + output + `}`,
			ContentType: "application/json",
		},
	} {
		s := modeltest.New(t, one(a))
		if r, err := responses(t, s.URL).Turn(t.Context(), turn(), nil); err != nil || r.Text != "half" || !r.IsCutOff {
			t.Errorf("%s: %+v, %v", a.Raw, r, err)
		}
	}
}

func TestResponses_ModelWithoutEncryptedReasoning_IsNotAskedForIt(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		if strings.Contains(string(r.Body), "encrypted_content") {
			return modeltest.Fail(400, "Encrypted content is not supported with this model.")
		}
		return modeltest.Say("hi")
	})
	c := responses(t, s.URL)
	for range 2 {
		if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "hi" {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

// TestProtocol_ServerHasOnlyTheOther_IsSwitched: the client switches to the other protocol, in both directions, and
// later turns use it, too.
func TestProtocol_ServerHasOnlyTheOther_IsSwitched(t *testing.T) {
	noEndpoint := func(status int) modeltest.Answer { return modeltest.Answer{Status: status, Body: "404 page not found"} }
	for name, test := range map[string]struct {
		isResponses bool // at first
		refusal     modeltest.Answer
	}{
		"no such endpoint": {true, noEndpoint(404)},
		"no such method":   {true, noEndpoint(405)},
		"only in Responses": {
			false,
			modeltest.Fail(404, "This model is only supported in v1/responses and not in v1/chat/completions."),
		},
		"Copilot": {false, modeltest.Fail(400, "model x is not accessible via the /chat/completions endpoint")},
		"tools in Responses": {
			false,
			modeltest.Fail(400, "Function tools with reasoning_effort are not supported. "+
				"Use /v1/responses or set reasoning_effort to 'none'."),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
				if r.Responses == test.isResponses {
					return test.refusal
				}
				return modeltest.Say("hi")
			})
			c := client(t, s.URL)
			if test.isResponses {
				c = responses(t, s.URL)
			}
			for range 2 {
				if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "hi" {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			if n := len(s.Requests()); n != 3 {
				t.Errorf("%d requests, want 3: the protocol is remembered", n)
			}
		})
	}
}

// TestProtocol_NoServerHasTheModel_IsAnError: the error after one switch has the server's message.
func TestProtocol_NoServerHasTheModel_IsAnError(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		if r.Responses {
			return modeltest.Answer{Status: 404, Body: "not found"}
		}
		return modeltest.Fail(400, "use v1/responses for this")
	})
	_, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err == nil || !strings.Contains(err.Error(), "use v1/responses for this") || len(s.Requests()) != 3 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
	s = modeltest.New(t, one(modeltest.Fail(404, "The model `gpt-5.6` does not exist")))
	_, err = responses(t, s.URL).Turn(t.Context(), turn(), nil)
	if err == nil || !strings.Contains(err.Error(), "does not exist") || len(s.Requests()) != 1 {
		t.Errorf("an unknown model: %v after %d requests", err, len(s.Requests()))
	}
}

func TestProtocol_NoResponsesAPI_KeepsEffortNone(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		switch {
		case r.Responses:
			return modeltest.Answer{Status: 404, Body: "not found"}
		case r.Effort != "none":
			return modeltest.Fail(400, "Use /v1/responses or set reasoning_effort to 'none'.")
		}
		return modeltest.Say("hi")
	})
	if r, err := client(t, s.URL).Turn(t.Context(), turn(), nil); err != nil || r.Text != "hi" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestResponses_OddAnswers_AreRead(t *testing.T) {
	message := func(text string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}]}`
	}
	done := `data: {"type":"response.completed","response":{"status":"completed","output":[` +
		message("whole") + `]}}` + "\n\n"
	for name, test := range map[string]struct {
		answer modeltest.Answer
		text   string
		kind   model.Kind
	}{
		"not streamed": {
			modeltest.Answer{
				ContentType: "application/json",
				Raw: `{"object":"response","status":"completed","error":null,"output":[` + message("a") + `,` + message("b") +
					`],"usage":{"input_tokens":3,"output_tokens":1}}`,
			}, "ab", "",
		},
		"only the end": {modeltest.Answer{Raw: done}, "whole", ""},
		"chat answers": {modeltest.Answer{ContentType: "application/json", Raw: `{"choices":[]}`}, "", model.InvalidReply},
		"failed": {
			modeltest.Answer{Raw: `data: {"type":"response.failed","response":{"status":"failed",` +
				`"error":{"code":"rate_limit_exceeded","message":"slow"}}}` + "\n\n"},
			"", model.RateLimited,
		},
		"failed, silent": {
			modeltest.Answer{Raw: `data: {"type":"response.failed","response":{"status":"failed"}}` + "\n\n"},
			"", model.Overloaded,
		},
		"an error event": {
			modeltest.Answer{Raw: `data: {"type":"error","code":"server_error","message":"sorry"}` + "\n\n"},
			"", model.Overloaded,
		},
		"filtered": {
			modeltest.Answer{Raw: `data: {"type":"response.incomplete","response":{"status":"incomplete",` +
				`"incomplete_details":{"reason":"content_filter"}}}` + "\n\n"},
			"", model.Refused,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(test.answer))
			r, err := responses(t, s.URL).Turn(t.Context(), turn(), nil)
			e, _ := model.AsError(err)
			if r.Text != test.text || (e == nil) != (test.kind == "") || e != nil && e.Kind != test.kind {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestResponses_ItemsAllNumberedZero_AreReadOnce: the reply has two calls, and the last event repeats the whole reply.
func TestResponses_ItemsAllNumberedZero_AreReadOnce(t *testing.T) {
	call := func(id, path string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"read_file","arguments":"{\"path\":\"` + path + `\"}"}`
	}
	var raw strings.Builder
	for _, item := range []string{call("a", "x"), call("b", "y")} {
		begun := strings.Replace(item, `"arguments":"{`, `"arguments":"","rest":"{`, 1)
		raw.WriteString(`data: {"type":"response.output_item.added","output_index":0,"item":` + begun + "}\n\n")
		raw.WriteString(`data: {"type":"response.output_item.done","output_index":0,"item":` + item + "}\n\n")
	}
	raw.WriteString(`data: {"type":"response.completed","response":{"status":"completed","output":[` +
		call("a", "x") + "," + call("b", "y") + "]}}\n\n")
	s := modeltest.New(t, one(modeltest.Answer{Raw: raw.String()}))
	r, err := responses(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || len(r.Calls) != 2 || r.Calls[0].ID != "a" || r.Calls[1].ID != "b" ||
		r.Calls[0].Arguments != `{"path":"x"}` || r.Calls[1].Arguments != `{"path":"y"}` {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestResponses_StreamLacksItems_AreTakenFromTheEnd: the stream lacks the end of a text and a whole call, which are
// both in the reply that the last event repeats.
func TestResponses_StreamLacksItems_AreTakenFromTheEnd(t *testing.T) {
	const raw = `data: {"type":"response.output_text.delta","output_index":0,"delta":"Looking."}` + "\n\n" +
		`data: {"type":"response.completed","response":{"status":"completed","output":[` +
		`{"type":"message","content":[{"type":"output_text","text":"Looking."}]},` +
		`{"type":"function_call","call_id":"a","name":"read_file","arguments":"{}"}]}}` + "\n\n"
	s := modeltest.New(t, one(modeltest.Answer{Raw: raw}))
	r, err := responses(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "Looking." || len(r.Calls) != 1 || r.Calls[0].ID != "a" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestResponses_OutputLimit_HasItsOwnName(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		if strings.Contains(string(r.Body), `"max_output_tokens":32000`) {
			return modeltest.Say("hi")
		}
		return modeltest.Answer{Stop: "length"}
	})
	if r, err := responses(t, s.URL).Turn(t.Context(), turn(), nil); err != nil || r.Text != "hi" {
		t.Errorf("%+v, %v", r, err)
	}
	if got := s.Requests()[0].Header.Get("Authorization"); got != "Bearer "+key {
		t.Errorf("the key is %q", got)
	}
}

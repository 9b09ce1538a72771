package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

const cacheMark = `,"cache_control":{"type":"ephemeral"}`

// partsAsText matches a content with a single text part, as in a message with a cache breakpoint.
var partsAsText = regexp.MustCompile(`\[\{"text":("(?:[^"\\]|\\.)*"),"type":"text"\}\]`)

// TestCacheMarks_ClaudeBehindGateway_AreWhereAnthropicWantsThem: the marks are after the system prompt, at the end of
// the conversation, and where it ended in the turn before. Apart from the marks, each request repeats the one before.
func TestCacheMarks_ClaudeBehindGateway_AreWhereAnthropicWantsThem(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{
		Text:  "I look.",
		Calls: []goal.Call{{Tool: "list_files", Arguments: "{}"}, {Tool: "read_file", Arguments: "{}"}},
	}))
	c, in := client(t, s.URL), turn()
	in.Model = "anthropic/claude-sonnet-5.5"
	for range 4 {
		r, err := c.Turn(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		in = continueAfter(in, r)
	}
	before := ""
	for i, r := range s.Requests() {
		var body struct {
			Messages []json.RawMessage `json:"messages"`
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		var marked []int
		for n, m := range body.Messages {
			if strings.Contains(string(m), cacheMark) {
				marked = append(marked, n)
			}
		}
		last := len(body.Messages) - 1
		want := []int{0, last - 3, last} // a turn adds a reply and two results
		if i == 0 {
			want = []int{0, last}
		}
		if !equal(marked, want) {
			t.Errorf("request %d has marks in %v, want %v", i, marked, want)
		}
		list, _, _ := strings.Cut(strings.ReplaceAll(string(r.Body), cacheMark, ""), `],"model"`)
		list = partsAsText.ReplaceAllString(list, "$1")
		if !strings.HasPrefix(list, before) {
			t.Errorf("request %d does not begin like the one before:\n%s\n%s", i, list, before)
		}
		before = list
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestCacheMarks_Messages_AreInTheLastPart: gateways reject a mark beside the content. Messages without text have none.
func TestCacheMarks_Messages_AreInTheLastPart(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Say("ok")))
	in := turn()
	in.Model = "anthropic/claude-sonnet-5.5"
	in.Messages = append(in.Messages,
		goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: "a", Tool: "look", Arguments: "{}"}}},
		goal.Message{Role: goal.ToolRole, CallID: "a", Text: "seen", Images: [][]byte{picture}},
		goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: "b", Tool: "look", Arguments: "{}"}}},
		goal.Message{Role: goal.ToolRole, CallID: "b", Text: " "})
	if _, err := client(t, s.URL).Turn(t.Context(), in, nil); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Messages []struct {
			Content any `json:"content"`
			Cache   any `json:"cache_control"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(s.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	marked := ""
	for i, m := range body.Messages {
		if m.Cache != nil {
			t.Errorf("message %d has a mark beside its content", i)
		}
		parts, _ := m.Content.([]any)
		for n, p := range parts {
			if part, _ := p.(map[string]any); part["cache_control"] != nil {
				marked += string(rune('0'+i)) + string(rune('0'+n)) + " "
			}
		}
	}
	if marked != "00 10 41 " { // the system prompt, the objective, and the text after the picture
		t.Errorf("marks are in %q of %s", marked, s.Requests()[0].Body)
	}
}

func TestCacheMarks_OtherModels_HaveNone(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Say("ok")))
	for _, name := range []string{"small", "openai/gpt-5.6", "google/gemini-3-pro"} {
		in := turn()
		in.Model = name
		if _, err := client(t, s.URL).Turn(t.Context(), in, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range s.Requests() {
		if strings.Contains(string(r.Body), "cache_control") {
			t.Errorf("sent %s", r.Body)
		}
	}
}

// TestForm_ServerRefusesIt_IsChangedAndRemembered checks requirements that only some servers have, with their errors.
func TestForm_ServerRefusesIt_IsChangedAndRemembered(t *testing.T) {
	type body struct {
		Messages []struct {
			Role      goal.Role       `json:"role"`
			Content   json.RawMessage `json:"content"`
			CallID    string          `json:"tool_call_id"`
			ToolCalls []struct {
				ID string `json:"id"`
			} `json:"tool_calls"`
		} `json:"messages"`
	}
	longest := func(b body) (id string) {
		for _, m := range b.Messages {
			for _, c := range m.ToolCalls {
				if len(c.ID) > len(id) {
					id = c.ID
				}
			}
		}
		return id
	}
	hasRoles := func(b body, before, role goal.Role) bool {
		for i := 1; i < len(b.Messages); i++ {
			if b.Messages[i-1].Role == before && b.Messages[i].Role == role {
				return true
			}
		}
		return false
	}
	nine := regexp.MustCompile(`^[A-Za-z0-9]{9}$`)
	for name, test := range map[string]struct {
		isRefused func(body) bool
		refusal   modeltest.Answer
	}{
		"Mistral, ids": {
			func(b body) bool { return !nine.MatchString(longest(b)) },
			modeltest.Answer{
				Status: 400,
				Body: `{"object":"error","message":"Tool call id was call_of_another_provider_that_is_long ` +
					`but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}`,
			},
		},
		"OpenAI, ids": {
			func(b body) bool { return len(longest(b)) > 40 },
			modeltest.Answer{
				Status: 400,
				Body: `{"error":{"message":"Invalid 'messages[2].tool_calls[0].id': string too long. ` +
					`Expected a maximum length of 40.","code":"string_above_max_length"}}`,
			},
		},
		"Mistral, order": {
			func(b body) bool { return hasRoles(b, goal.ToolRole, goal.User) },
			modeltest.Answer{Status: 400, Body: `{"object":"error","message":"Unexpected role 'user' after role 'tool'",` +
				`"type":"invalid_request_message_order","code":"3230"}`},
		},
		"llama.cpp, order": {
			func(b body) bool { return hasRoles(b, goal.ToolRole, goal.User) || hasRoles(b, goal.User, goal.User) },
			modeltest.Answer{Status: 500, Body: `{"error":{"code":500,"message":"After the optional system message, ` +
				`conversation roles must alternate user and assistant","type":"server_error"}}`},
		},
		"a gateway, marks": {
			func(b body) bool { return !strings.HasPrefix(string(b.Messages[0].Content), `"`) },
			modeltest.Fail(400, "messages[0].cache_control: extra inputs are not permitted"),
		},
		"a gateway, parts": {
			func(b body) bool { return !strings.HasPrefix(string(b.Messages[0].Content), `"`) },
			modeltest.Fail(422, "messages[0].content: a string is expected"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			const id = "call_of_another_provider_that_is_longer_than_forty_characters"
			in := turn()
			in.Model = "gateway-claude"
			in.Messages = append(in.Messages,
				goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: id, Tool: "look", Arguments: "{}"}}},
				goal.Message{Role: goal.ToolRole, CallID: id, Text: "seen"},
				goal.Message{Role: goal.User, Text: "a note"},
				goal.Message{Role: goal.User, Text: "another"})
			s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
				var b body
				if err := json.Unmarshal(r.Body, &b); err != nil {
					return modeltest.Fail(500, err.Error())
				}
				if b.Messages[3].CallID != b.Messages[2].ToolCalls[0].ID {
					return modeltest.Fail(500, "the result has another id than its call")
				}
				if test.isRefused(b) {
					return test.refusal
				}
				return modeltest.Say("done")
			})
			c := client(t, s.URL)
			for range 2 {
				if r, err := c.Turn(t.Context(), in, nil); err != nil || r.Text != "done" {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			if n := len(s.Requests()); n != 3 {
				t.Errorf("%d requests, want 3: the form is remembered", n)
			}
		})
	}
}

// TestForm_RefusedAgain_IsAnError: a changed form is tried once.
func TestForm_RefusedAgain_IsAnError(t *testing.T) {
	for _, words := range []string{
		"Tool call id was x but must be a-z with a length of 9", "roles must alternate", "invalid schema for function 'x'",
		"messages[0].cache_control is not permitted",
	} {
		s := modeltest.New(t, one(modeltest.Fail(400, words)))
		in := turn()
		in.Model = "claude"
		_, err := client(t, s.URL).Turn(t.Context(), in, nil)
		if e, ok := model.AsError(err); !ok || e.Kind != model.BadRequest || !strings.Contains(e.Message, words) ||
			len(s.Requests()) != 2 {
			t.Errorf("after %d requests %v", len(s.Requests()), err)
		}
	}
}

// TestReasoning_SealRefused_IsLeftOut: rejected reasoning is left out, but later reasoning is sent back.
func TestReasoning_SealRefused_IsLeftOut(t *testing.T) {
	sealed := map[string]goal.Reasoning{
		"openai": {Form: "reasoning_details", Items: []json.RawMessage{
			json.RawMessage(`{"type":"reasoning.text","text":"old"}`),
		}},
		"responses": {Form: "responses", Items: []json.RawMessage{
			json.RawMessage(`{"type":"reasoning","encrypted_content":"old"}`), json.RawMessage(`{"type":"goalpost.call"}`),
		}},
	}
	for protocol, words := range map[string][]string{
		"openai": {
			"messages.1.content.0: Invalid `signature` in `thinking` block",
			"Duplicate item found with id rs_1",
		},
		"responses": {
			"The encrypted content could not be verified.",
			"Item 'rs_1' was provided without its required following item.",
		},
	} {
		for _, refusal := range words {
			s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
				if strings.Contains(string(r.Body), "old") {
					return modeltest.Fail(400, refusal)
				}
				return modeltest.Say("done")
			})
			wire := model.NewTransport()
			t.Cleanup(wire.CloseIdleConnections)
			c, err := protocols()[protocol](model.Options{BaseURL: s.URL, Model: "small", Transport: wire})
			if err != nil {
				t.Fatal(err)
			}
			in, before := turn(), sealed[protocol]
			before.Model = "small"
			look := []goal.Call{{ID: "a", Tool: "look", Arguments: "{}"}}
			in.Messages = append(in.Messages,
				goal.Message{Role: goal.Assistant, Calls: look, Reasoning: &before},
				goal.Message{Role: goal.ToolRole, CallID: "a", Text: "seen"})
			if r, err := c.Turn(t.Context(), in, nil); err != nil || r.Text != "done" {
				t.Fatalf("%s, %s: %+v, %v", protocol, refusal, r, err)
			}
			later := sealed[protocol]
			later.Model, later.Items = "small", []json.RawMessage{
				json.RawMessage(strings.Replace(string(before.Items[0]), "old", "new", 1)),
				json.RawMessage(`{"type":"goalpost.call"}`),
			}
			in.Messages = append(in.Messages,
				goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: "b", Tool: "look", Arguments: "{}"}}, Reasoning: &later},
				goal.Message{Role: goal.ToolRole, CallID: "b", Text: "seen"})
			r, err := c.Turn(t.Context(), in, nil)
			all := s.Requests()
			if err != nil || r.Text != "done" || len(all) != 3 || !strings.Contains(string(all[2].Body), `"new"`) {
				t.Errorf("%s, %s: %d requests, the last %s, %v", protocol, refusal, len(all), all[len(all)-1].Body, err)
			}
		}
	}
}

// TestSchemas_ServerSupportsAPart_AreSimplified: in each protocol, later turns also use the simple form.
func TestSchemas_ServerSupportsAPart_AreSimplified(t *testing.T) {
	const full = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,
		"$defs":{"point":{"type":"object","properties":{"x":{"type":"number","minimum":0}},"required":["x"]}},
		"properties":{
			"path":{"type":["null","string"],"description":"where","pattern":"^/"},
			"kind":{"const":"file"}, "size":{"enum":[1,2],"type":"integer"}, "mode":{"enum":["r","w"]},
			"at":{"$ref":"#/$defs/point"}, "far":{"$ref":"https://example.com/x"},
			"either":{"anyOf":[{"type":"null"},{"type":"boolean"}],"description":"one of them"},
			"list":{"type":"array"}, "rows":{"items":{"oneOf":[{"type":"integer"},{"type":"string"}]}}, "any":true},
		"required":["path"]}`
	const simple = `{"type":"object","properties":{
			"path":{"type":"string","description":"where (pattern \"^/\")"},
			"kind":{"type":"string","enum":["file"]}, "size":{"type":"integer","description":"(enum [1,2])"},
			"mode":{"type":"string","enum":["r","w"]},
			"at":{"type":"object","properties":{"x":{"type":"number","description":"(minimum 0)"}},"required":["x"]},
			"far":{"type":"string"},
			"either":{"type":"boolean","description":"one of them"},
			"list":{"type":"array","items":{"type":"string"}}, "rows":{"type":"array","items":{"type":"integer"}},
			"any":{"type":"string"}},
		"required":["path"]}`
	refusal := map[string]modeltest.Answer{
		"openai": {
			Status: 400,
			Body: `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"anyOf\" at ` +
				`'tools[0].function.parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}]`,
		},
		"responses": modeltest.Fail(400, "Invalid schema for function 'write_file': 'anyOf' is not permitted."),
		"anthropic": modeltest.Fail(400, "tools.0.custom.input_schema: input_schema does not support anyOf"),
	}
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
			if strings.Contains(string(r.Body), "anyOf") {
				return refusal[protocol]
			}
			return modeltest.Say("done")
		})
		c, in := dial(s.URL), turn()
		in.Tools[0].Schema = json.RawMessage(full)
		for range 2 {
			if r, err := c.Turn(t.Context(), in, nil); err != nil || r.Text != "done" {
				t.Fatalf("%+v, %v", r, err)
			}
		}
		all := s.Requests()
		var sent struct {
			Tools []struct {
				Function   struct{ Parameters any } `json:"function"`
				Parameters any                      `json:"parameters"`
				Input      any                      `json:"input_schema"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(all[len(all)-1].Body, &sent); err != nil || len(all) != 3 {
			t.Fatalf("%d requests, %v", len(all), err)
		}
		got := map[string]any{
			"openai": sent.Tools[0].Function.Parameters, "responses": sent.Tools[0].Parameters, "anthropic": sent.Tools[0].Input,
		}[protocol]
		var want any
		if err := json.Unmarshal([]byte(simple), &want); err != nil {
			t.Fatal(err)
		}
		if a, b := canonical(t, got), canonical(t, want); a != b {
			t.Errorf("sent %s\nwant %s", a, b)
		}
	})
}

// recursiveProperties returns properties that refer to the definition m, which contains them.
func recursiveProperties(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/m"}`, i))
	}
	return strings.Join(list, ",")
}

// TestSchemas_Recursive_AreBounded: a schema without properties stays an object.
func TestSchemas_Recursive_AreBounded(t *testing.T) {
	s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
		if n == 0 {
			return modeltest.Fail(400, "failed to parse grammar")
		}
		return modeltest.Say("done")
	})
	in := turn()
	in.Tools[0].Schema = json.RawMessage(`{"$defs":{"n":{"$ref":"#/$defs/n"},"m":{"properties":{` +
		recursiveProperties(20) +
		`}}},"properties":{"n":{"$ref":"#/$defs/n"},"m":{"$ref":"#/$defs/m"}}}`)
	in.Tools = append(in.Tools, goal.ToolSpec{Name: "bare", Schema: json.RawMessage(`{}`)})
	c := client(t, s.URL)
	for range 2 {
		if r, err := c.Turn(t.Context(), in, nil); err != nil || r.Text != "done" {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	body := s.Requests()[1].Body
	if !bytes.Equal(body, s.Requests()[2].Body) {
		t.Error("the same turn was sent in two forms")
	}
	bare := `"name":"bare","description":"","parameters":{"type":"object","properties":{}}`
	if len(body) > 200_000 || !strings.Contains(string(body), bare) {
		t.Errorf("%d bytes, the end %s", len(body), body[max(0, len(body)-400):])
	}
}

func canonical(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

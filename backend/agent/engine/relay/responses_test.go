package relay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"goalpost/backend/agent/engine/relay"
	"goalpost/backend/domain/goal"
)

// responsesQuestion is a request as Codex sends it, with a call of each kind of its tools.
const responsesQuestion = `{"model":"relay","stream":%t,"instructions":"be brief","store":false,
"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"and exact"}]},
{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},
 {"type":"input_image","image_url":"data:image/png;base64,aGk="}]},
{"type":"reasoning","summary":[],"encrypted_content":"x"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look"}]},
{"type":"function_call","call_id":"c1","name":"exec_command","arguments":"{\"cmd\":\"ls\"}"},
{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** Begin \"Patch\""},
{"type":"function_call","call_id":"c3","namespace":"mcp__goalpost","name":"write_todos","arguments":"{}"},
{"type":"local_shell_call","call_id":"c4","action":{"type":"exec","command":["ls","-a"]}},
{"type":"function_call_output","call_id":"c1","output":"a.txt"},
{"type":"custom_tool_call_output","call_id":"c2","output":"patched"},
{"type":"function_call_output","call_id":"c3","output":[{"type":"input_text","text":"noted"},
 {"type":"input_image","image_url":"data:image/png;base64,aG8="}]},
{"type":"local_shell_call_output","call_id":"c4","output":"."}],
"tools":[{"type":"function","name":"exec_command","description":"runs","parameters":{"type":"object"}},
{"type":"custom","name":"apply_patch","description":"edits",
 "format":{"type":"grammar","syntax":"lark","definition":"start: x"}},
{"type":"local_shell"},{"type":"web_search"},
{"type":"namespace","name":"mcp__goalpost","description":"d","tools":[
 {"type":"function","name":"write_todos","parameters":{"type":"object"}},
 {"type":"function","name":"claim_complete"}]}]}`

// responsesItem is an item of an answer, as an agent reads it.
type responsesItem struct {
	Type, Name, Namespace, Arguments, Input string
	CallID                                  string `json:"call_id"`
	Content                                 []struct{ Type, Text string }
	Action                                  struct{ Command []string }
}

type responsesObject struct {
	Status string
	Output []responsesItem
	Error  struct{ Code, Message string }
	Usage  struct {
		Input int64 `json:"input_tokens"`
		Total int64 `json:"total_tokens"`
	}
}

// responsesStream holds the content of a stream.
type responsesStream struct {
	types []string
	text  string          // of the deltas
	items []responsesItem // that have ended
	last  responsesObject
}

func readResponsesStream(t *testing.T, body string) (s responsesStream) {
	t.Helper()
	for i, block := range strings.Split(strings.TrimSpace(body), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		var e struct {
			Type, Delta string
			Sequence    int `json:"sequence_number"`
			Item        responsesItem
			Response    responsesObject
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); !ok || err != nil {
			t.Fatalf("event %d is %q: %v", i, block, err)
		}
		if name != "event: "+e.Type || e.Sequence != i {
			t.Errorf("event %d is %s, %d, called %s", i, e.Type, e.Sequence, name)
		}
		s.types, s.last = append(s.types, e.Type), e.Response
		switch e.Type {
		case "response.output_text.delta":
			s.text += e.Delta
		case "response.output_item.done":
			s.items = append(s.items, e.Item)
		}
	}
	return s
}

// TestResponses_Question_ReachesTheModel: texts, pictures, calls and results of each kind reach the model, with names
// that it can repeat. The items of one answer are one message.
func TestResponses_Question_ReachesTheModel(t *testing.T) {
	var asked goal.Turn
	r := relay.New(modelFunc(func(turn goal.Turn, _ func(string)) (goal.Reply, error) {
		asked = turn
		return goal.Reply{Text: "seen"}, nil
	}), "the-model", func(err error) { t.Error(err) })
	if w := ask(r, "/v1/responses", fmt.Sprintf(responsesQuestion, false)); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if asked.System != "be brief\n\nand exact" || asked.Model != "the-model" || len(asked.Messages) != 6 {
		t.Fatalf("asked %+v", asked)
	}
	user, answer, results := asked.Messages[0], asked.Messages[1], asked.Messages[2:]
	if user.Text != "look" || string(user.Images[0]) != "hi" || answer.Text != "I look" {
		t.Errorf("asked %+v", asked.Messages)
	}
	for i, want := range []goal.Call{
		{ID: "c1", Tool: "exec_command", Arguments: `{"cmd":"ls"}`},
		{ID: "c2", Tool: "apply_patch", Arguments: `{"input":"*** Begin \"Patch\""}`},
		{ID: "c3", Tool: "mcp__goalpost__write_todos", Arguments: "{}"},
		{ID: "c4", Tool: "local_shell", Arguments: `{"command":["ls","-a"]}`},
	} {
		if answer.Calls[i] != want || results[i].CallID != want.ID || results[i].Role != goal.ToolRole {
			t.Errorf("call %d is %+v, its result %+v", i, answer.Calls[i], results[i])
		}
	}
	if results[2].Text != "noted" || string(results[2].Images[0]) != "ho" {
		t.Errorf("a result with a picture is %+v", results[2])
	}
	var names []string
	for _, tool := range asked.Tools {
		names = append(names, tool.Name)
		if !json.Valid(tool.Schema) {
			t.Errorf("%s has the schema %s", tool.Name, tool.Schema)
		}
	}
	want := "exec_command apply_patch local_shell mcp__goalpost__write_todos mcp__goalpost__claim_complete"
	if strings.Join(names, " ") != want || !strings.Contains(asked.Tools[1].Description, "start: x") {
		t.Errorf("the tools are %+v", asked.Tools)
	}
}

// TestResponses_Answer_HasTheFormOfTheAgentsTools: calls have the form of the tool that the agent offered, streamed or
// whole.
func TestResponses_Answer_HasTheFormOfTheAgentsTools(t *testing.T) {
	reply := goal.Reply{
		Text: "hello",
		Calls: []goal.Call{
			{ID: "c5", Tool: "exec_command", Arguments: `{"cmd":"make"}`},
			{ID: "c6", Tool: "apply_patch", Arguments: `{"input":"*** End Patch"}`},
			{ID: "c7", Tool: "mcp__goalpost__claim_complete", Arguments: `{"rationale":"done"}`},
			{ID: "c8", Tool: "local_shell", Arguments: `{"command":["make"]}`},
			{Tool: "unknown", Arguments: "{"},
			{ID: "c10", Tool: "apply_patch", Arguments: "*** Begin Patch"},
		},
		Usage: goal.Usage{TokensIn: 7, TokensOut: 3},
	}
	r := relay.New(modelFunc(func(_ goal.Turn, delta func(string)) (goal.Reply, error) {
		delta("he")
		delta("llo")
		return reply, nil
	}), "m", func(err error) { t.Error(err) })
	check := func(items []responsesItem) {
		t.Helper()
		if len(items) != 7 || items[0].Content[0].Text != "hello" || items[0].Content[0].Type != "output_text" {
			t.Fatalf("the items are %+v", items)
		}
		for i, want := range []responsesItem{
			{Type: "function_call", CallID: "c5", Name: "exec_command", Arguments: `{"cmd":"make"}`},
			{Type: "custom_tool_call", CallID: "c6", Name: "apply_patch", Input: "*** End Patch"},
			{
				Type: "function_call", CallID: "c7", Namespace: "mcp__goalpost", Name: "claim_complete",
				Arguments: `{"rationale":"done"}`,
			},
			{Type: "local_shell_call", CallID: "c8"},
			{Type: "function_call", Name: "unknown", Arguments: "{"},
			{Type: "custom_tool_call", CallID: "c10", Name: "apply_patch", Input: "*** Begin Patch"},
		} {
			got := items[i+1]
			if got.CallID == "" || want.CallID != "" && got.CallID != want.CallID || got.Type != want.Type ||
				got.Name != want.Name || got.Namespace != want.Namespace || got.Arguments != want.Arguments ||
				got.Input != want.Input {
				t.Errorf("item %d is %+v", i+1, got)
			}
		}
		if strings.Join(items[4].Action.Command, " ") != "make" {
			t.Errorf("the shell call is %+v", items[4])
		}
	}
	stream := readResponsesStream(t, ask(r, "/v1/responses", fmt.Sprintf(responsesQuestion, true)).Body.String())
	check(stream.items)
	check(stream.last.Output)
	if stream.text != "hello" || stream.types[0] != "response.created" || stream.last.Status != "completed" ||
		stream.types[len(stream.types)-1] != "response.completed" || stream.last.Usage.Total != 10 {
		t.Errorf("the stream is %+v", stream)
	}
	var whole responsesObject
	if err := json.Unmarshal(ask(r, "/v1/responses", fmt.Sprintf(responsesQuestion, false)).Body.Bytes(),
		&whole); err != nil {
		t.Fatal(err)
	}
	check(whole.Output)
	if whole.Status != "completed" || whole.Usage.Input != 7 {
		t.Errorf("the answer is %+v", whole)
	}
}

// TestResponses_Errors_SayWhatToDo: a conversation that is too long fails as agents expect it, the host handles an
// outage, and an error names the content that this server cannot read.
func TestResponses_Errors_SayWhatToDo(t *testing.T) {
	var reported, answer error
	r := relay.New(modelFunc(func(goal.Turn, func(string)) (goal.Reply, error) { return goal.Reply{}, answer }), "m",
		func(err error) { reported = err })
	answer = fmt.Errorf("server: %w", goal.ErrContextTooLong)
	s := readResponsesStream(t, ask(r, "/v1/responses", fmt.Sprintf(responsesQuestion, true)).Body.String())
	if s.last.Status != "failed" || s.last.Error.Code != "context_length_exceeded" || reported != nil {
		t.Errorf("the stream is %+v, reported %v", s, reported)
	}
	if w := ask(r, "/v1/responses", fmt.Sprintf(responsesQuestion, false)); w.Code != http.StatusBadRequest ||
		!strings.Contains(w.Body.String(), "context_length_exceeded") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	answer = &goal.Unavailable{Err: errors.New("down")}
	if w := ask(r, "/v1/responses", fmt.Sprintf(responsesQuestion, true)); w.Code != http.StatusBadRequest ||
		!errors.Is(reported, answer) {
		t.Errorf("%d %s, reported %v", w.Code, w.Body, reported)
	}
	for body, want := range map[string]string{
		`{"input":[]}`: "no messages",
		`{"input":7}`:  "cannot be read",
		`{"input":"x","previous_response_id":"resp_1"}`: "needs the whole input",
		`{"input":[{"role":"god","content":"x"}]}`:      `role \"god`,
		`{"input":[{"type":"levitation"}]}`:             `\"levitation`,
		`{"input":[{"role":"user","content":` +
			`[{"type":"input_image","image_url":"http://a.example/x.png"}]}]}`: "data URL",
		`{"input":[{"role":"user","content":[{"type":"input_file","file_id":"f"}]}]}`: `\"input_file`,
	} {
		if w := ask(r, "/v1/responses", body); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	answer = nil
	if w := ask(r, "/v1/responses", `{"input":"a text"}`); w.Code != http.StatusOK {
		t.Errorf("a text alone: %d %s", w.Code, w.Body)
	}
}

// FuzzResponses sends arbitrary bodies. The answer is a response, a stream that ends with one, or an error in JSON.
func FuzzResponses(f *testing.F) {
	f.Add(fmt.Sprintf(responsesQuestion, true))
	f.Add(fmt.Sprintf(responsesQuestion, false))
	f.Add(`{"input":"x","stream":true,"tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace"}]}]}`)
	f.Add(`{"input":[{"type":"local_shell_call","action":7},{"type":"function_call_output","output":null}]}`)
	f.Add(`{"input":[{"type":"message","role":"user","content":null}],"tools":[{"type":"custom","format":null}]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, body string) {
		r := relay.New(modelFunc(func(turn goal.Turn, delta func(string)) (goal.Reply, error) {
			if len(turn.Messages) == 0 {
				t.Error("the model was asked nothing")
			}
			reply := goal.Reply{Text: "hi"}
			for _, tool := range turn.Tools { // with arguments that no tool expects
				if !json.Valid(tool.Schema) {
					t.Errorf("the schema of %q is %q", tool.Name, tool.Schema)
				}
				reply.Calls = append(reply.Calls, goal.Call{Tool: tool.Name, Arguments: body[:min(len(body), 200)]})
			}
			delta("hi")
			return reply, nil
		}), "m", func(err error) { t.Error(err) })
		w := ask(r, "/v1/responses", body)
		answer := w.Body.String()
		switch {
		case r.IsBusy() || w.Code != http.StatusOK && w.Code != http.StatusBadRequest:
			t.Errorf("%d %s", w.Code, answer)
		case strings.HasPrefix(answer, "event: "):
			if s := readResponsesStream(t, answer); s.last.Status != "completed" {
				t.Errorf("the stream ends with %+v", s.last)
			}
		case !json.Valid(w.Body.Bytes()):
			t.Errorf("%d %s", w.Code, answer)
		}
	})
}

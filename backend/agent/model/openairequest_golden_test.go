package model_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// openAIRequestCases returns turns whose requests are stored in testdata/openairequest. Each file holds the bytes that
// openai-go v3.95.0 sent for that turn, except for the text of an empty reply and the form of tools without a schema.
func openAIRequestCases() map[string]goal.Turn {
	const schema = `{ "type": "object", "properties": {"a": {"type": "string", "description": "<é>"}} }`
	pixel := []byte("\x89PNG\r\n\x1a\nrest of a picture")
	calls := []goal.Call{
		{
			ID:        "a",
			Tool:      "write_file",
			Arguments: `{"path":"x", "content":"<p>1 & 2</p>"}`,
		},
		{
			ID:        "b",
			Tool:      "no such/tool",
			Arguments: `{"path":`,
		},
	}
	return map[string]goal.Turn{
		"empty": {},
		"minimal": {
			Messages: []goal.Message{
				{
					Role: goal.User,
					Text: "make it",
				},
			},
		},
		"tools": {
			Model:  "large",
			System: "You are an engineer.",
			Messages: []goal.Message{
				{
					Role: goal.User,
					Text: "make it",
				},
			},
			Tools: []goal.ToolSpec{
				{
					Name:        "write_file",
					Description: `writes <a> & "b"`,
					Schema:      json.RawMessage(schema),
				},
				{
					Name: "no_schema",
				},
				{
					Name:   "null_schema",
					Schema: json.RawMessage(`null`),
				},
			},
		},
		"conversation": {
			System: "You are an engineer.",
			Messages: []goal.Message{
				{
					Role: goal.User,
					Text: "make it",
				},
				{
					Role:  goal.Assistant,
					Text:  "writing",
					Calls: calls,
				},
				{
					Role:   goal.ToolRole,
					CallID: "a",
					Text:   "wrote x",
				},
				{
					Role:   goal.ToolRole,
					CallID: "b",
					Text:   "",
				},
				{
					Role:  goal.Assistant,
					Calls: calls[:1],
				},
				{
					Role:   goal.ToolRole,
					CallID: "a",
					Text:   "wrote x again",
				},
				{Role: goal.Assistant},
				{
					Role: goal.System,
					Text: "a rule",
				},
				{Role: goal.User},
			},
		},
		"pictures": {
			Messages: []goal.Message{
				{
					Role:   goal.User,
					Text:   "look",
					Images: [][]byte{pixel, []byte("GIF89a")},
				},
				{
					Role:  goal.Assistant,
					Calls: calls,
				},
				{
					Role:   goal.ToolRole,
					CallID: "a",
					Text:   "kept a picture",
					Images: [][]byte{pixel},
				},
				{
					Role:   goal.ToolRole,
					CallID: "b",
					Text:   "kept another",
					Images: [][]byte{[]byte("plain")},
				},
				{
					Role:   goal.User,
					Images: [][]byte{pixel},
				},
			},
		},
		"ids": {
			Messages: []goal.Message{
				{
					Role:  goal.Assistant,
					Calls: []goal.Call{{}},
				},
				{
					Role: goal.ToolRole,
					Text: "done",
				},
				{
					Role:   "stranger",
					Text:   "hello",
					CallID: "x",
					Calls:  calls,
				},
			},
		},
		"characters": {
			System: "<b> & 'quotes' \"double\" \\ / é 世 🎉",
			Messages: []goal.Message{
				{
					Role: goal.User,
					Text: "\x00\x01\b\f\n\r\t\x1f\x7f\u2028\u2029\uFFFD broken: \xff\xc3(",
				},
				{
					Role:   goal.ToolRole,
					CallID: "\"<id>\"",
					Text:   "{\"json\": [1, 2]}",
				},
			},
		},
	}
}

func TestOpenAIRequest_EveryTurn_SendsStoredBytes(t *testing.T) {
	for name, in := range openAIRequestCases() {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(modeltest.Say("ok")))
			if _, err := client(t, s.URL).Turn(t.Context(), in, nil); err != nil {
				t.Fatal(err)
			}
			compareRequest(t, name, s.Requests()[0].Body)
		})
	}
}

func TestOpenAIRequest_EffortChosen_SendsStoredBytes(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Say("ok")))
	c, err := model.NewOpenAI(model.Options{
		BaseURL: s.URL,
		Model:   "small",
		Effort:  "xhigh",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Turn(t.Context(), turn(), nil); err != nil {
		t.Fatal(err)
	}
	compareRequest(t, "effort", s.Requests()[0].Body)
}

func TestOpenAIRequest_NoModel_SendsStoredBytes(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Say("ok")))
	c, err := model.NewOpenAI(model.Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Turn(t.Context(), goal.Turn{Tools: []goal.ToolSpec{{}}}, nil); err != nil {
		t.Fatal(err)
	}
	compareRequest(t, "no-model", s.Requests()[0].Body)
}

func TestOpenAIRequest_OptionsRejected_SendsStoredBytes(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		switch {
		case r.IncludeUsage:
			return modeltest.Fail(http.StatusBadRequest, "unknown field: stream_options")
		case r.Effort == "":
			return modeltest.Fail(http.StatusBadRequest, "set reasoning_effort to none")
		}
		return modeltest.Say("ok")
	})
	if _, err := client(t, s.URL).Turn(t.Context(), turn(), nil); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"rejected-0", "rejected-1", "rejected-2"} {
		compareRequest(t, name, s.Requests()[i].Body)
	}
}

func compareRequest(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "openairequest", name+".json")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The SDK received tools with <, > and & escaped. Everything else is the same byte for byte.
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	if plain.Replace(string(got)) != plain.Replace(string(want)) {
		t.Errorf("%s: sent\n%s\nwant\n%s", name, got, want)
	}
}

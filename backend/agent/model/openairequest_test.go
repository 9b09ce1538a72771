package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestRequest_ToolSchemas_AreUnchanged: an MCP server may also send something that is not a schema.
func TestRequest_ToolSchemas_AreUnchanged(t *testing.T) {
	const schema = `{ "type": "object", "properties": {"to": {"type": "string", "description": "a <b> & \u00e9"}, ` +
		`"at": {"maximum": 12345678901234567890}} }`
	for _, c := range []struct{ schema, want, refused string }{
		{
			schema: schema,
			want: `{"type":"object","properties":{"to":{"type":"string","description":"a <b> & é"},` +
				`"at":{"maximum":12345678901234567890}}}`,
		},
		{schema: "", want: ""},
		{schema: `["type"]`, refused: "the schema of the tool go is not a JSON object"},
		{schema: `{"type":`, refused: "the schema of the tool go is not a JSON object"},
		{schema: `"object"`, refused: "the schema of the tool go is not a JSON object"},
		{schema: `null`, want: ""},
	} {
		r, err := newChatRequest(goal.Turn{
			Model: "m",
			Tools: []goal.ToolSpec{{Name: "go", Description: "goes \"there\"", Schema: json.RawMessage(c.schema)}},
		}, requestOptions{})
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.schema, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := encodeJSON(r)
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			Tools []struct {
				Type     string
				Function struct {
					Name, Description string
					Parameters        json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(b, &out); err != nil || len(out.Tools) != 1 {
			t.Fatalf("%s %v", b, err)
		}
		if got := out.Tools[0]; got.Type != "function" || got.Function.Name != "go" ||
			got.Function.Description != "goes \"there\"" || unescaped(got.Function.Parameters) != c.want {
			t.Errorf("%s", b)
		}
	}
}

// unescaped returns JSON without escaped characters, and with the same order and numbers.
func unescaped(b json.RawMessage) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", `\u00e9`, "é").Replace(string(b))
}

// BenchmarkRequest encodes a request with as many tools as a goal has, and a conversation of some turns.
func BenchmarkRequest(b *testing.B) {
	turn := goal.Turn{Model: "m", System: strings.Repeat("words ", 1000)}
	for i := range 45 {
		turn.Tools = append(turn.Tools, goal.ToolSpec{
			Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("what it does ", 30),
			Schema: json.RawMessage(`{"type":"object","properties":{` +
				`"pane":{"type":"string","description":"the browser pane"},` +
				`"target":{"type":"string",` +
				`"description":"a ref of the snapshot such as e12, css=SELECTOR, or its label"},` +
				`"times":{"type":"integer","description":"how often"}},` +
				`"required":["pane","target"],"additionalProperties":false}`),
		})
	}
	for i := range 20 {
		id := fmt.Sprintf("c%d", i)
		turn.Messages = append(turn.Messages, goal.Message{
			Role:  goal.Assistant,
			Calls: []goal.Call{{ID: id, Tool: "tool_1", Arguments: `{"pane":"b1","target":"e12"}`}},
		},
			goal.Message{Role: goal.ToolRole, CallID: id, Text: strings.Repeat("line of a result\n", 60)})
	}
	for b.Loop() {
		r, err := newChatRequest(turn, requestOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := encodeJSON(r); err != nil {
			b.Fatal(err)
		}
	}
}

package model_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// streamed asks once and returns the text and the reasoning as they arrived, in pieces.
func streamed(t *testing.T, c model.Client) (text, reasoning []string, r goal.Reply) {
	t.Helper()
	in := turn()
	in.OnReasoning = func(piece string) { reasoning = append(reasoning, piece) }
	r, err := c.Turn(t.Context(), in, func(piece string) { text = append(text, piece) })
	if err != nil {
		t.Fatal(err)
	}
	return text, reasoning, r
}

func TestReasoning_WhileTheReplyStreams_ArrivesInPiecesApartFromTheText(t *testing.T) {
	const thought = "First the folder, then the test."
	answer := modeltest.Answer{Thinking: thought, Text: "I look at the folder."}
	tagged := modeltest.Answer{Text: "<think>" + thought + "</think>I look at the folder."}
	each(t, func(t *testing.T, protocol string, dial func(string) model.Client) {
		a := answer
		if protocol == "openai" {
			a = tagged
		}
		text, reasoning, r := streamed(t, dial(modeltest.New(t, one(a)).URL))
		if got := strings.TrimSpace(strings.Join(reasoning, "")); got != thought || len(reasoning) < 2 {
			t.Errorf("reasoning %q in %d pieces", got, len(reasoning))
		}
		if got := strings.Join(text, ""); got != answer.Text || r.Text != answer.Text {
			t.Errorf("text %q, in the reply %q", got, r.Text)
		}
	})
}

// TestReasoning_InFieldsOfChatServers_StreamsOnce: some servers send the same text in two fields.
func TestReasoning_InFieldsOfChatServers_StreamsOnce(t *testing.T) {
	for name, pieces := range map[string][]string{
		"reasoning_content": {`{"reasoning_content":"List "}`, `{"reasoning_content":"it."}`},
		"reasoning":         {`{"reasoning":"List "}`, `{"reasoning":"it."}`},
		"two fields": {
			`{"reasoning":"List ","reasoning_details":[{"type":"reasoning.text","text":"List "}]}`,
			`{"reasoning":"it.","reasoning_details":[{"type":"reasoning.text","text":"it."}]}`,
		},
		"details alone": {
			`{"reasoning_details":[{"type":"reasoning.summary","summary":"List "}]}`,
			`{"reasoning_details":[{"type":"reasoning.text","text":"it."},{"type":"reasoning.encrypted","data":"AAAA"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			raw := chunks("stop", append(pieces, `{"content":"done"}`)...)
			text, reasoning, _ := streamed(t, client(t, modeltest.New(t, one(modeltest.Answer{Raw: raw})).URL))
			if strings.Join(reasoning, "|") != "List |it." || strings.Join(text, "") != "done" {
				t.Errorf("reasoning %q, text %q", reasoning, text)
			}
		})
	}
}

package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// TestTools_OddNames_AreSentPlainlyAndComeBack: the tool gets its own names, and the model sees its earlier call as it
// wrote it.
func TestTools_OddNames_AreSentPlainlyAndComeBack(t *testing.T) {
	each(t, func(t *testing.T, _ string, dial func(string) model.Client) {
		s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
			if n == 0 {
				return modeltest.Call("issues_list", map[string]any{"_top": 3})
			}
			return modeltest.Say("done")
		})
		c, in := dial(s.URL), turn()
		in.Tools = []goal.ToolSpec{{
			Name:   "issues/list",
			Schema: json.RawMessage(`{"type":"object","properties":{"$top":{"type":"integer"}},"required":["$top"]}`),
		}}
		r, err := c.Turn(t.Context(), in, nil)
		if err != nil || len(r.Calls) != 1 || r.Calls[0].Tool != "issues/list" || r.Calls[0].Arguments != `{"$top":3}` {
			t.Fatalf("%+v, %v", r, err)
		}
		in.Messages = append(in.Messages, goal.Message{Role: goal.Assistant, Calls: r.Calls},
			goal.Message{Role: goal.ToolRole, CallID: r.Calls[0].ID, Text: "none"})
		if _, err := c.Turn(t.Context(), in, nil); err != nil {
			t.Fatal(err)
		}
		body := string(s.Requests()[1].Body)
		if strings.Contains(body, "issues/list") || strings.Count(body, "issues_list") != 2 ||
			strings.Count(body, "_top") != 3 {
			t.Errorf("the second request is %s", body)
		}
		if in.Messages[1].Calls[0].Tool != "issues/list" {
			t.Error("the caller's conversation was changed")
		}
	})
}

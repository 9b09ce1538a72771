package relay_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"goalpost/backend/agent/engine/relay"
	"goalpost/backend/domain/goal"
)

// FuzzRequest sends arbitrary bodies in each protocol. The answer is complete, or an error in JSON, and no question
// stays open.
func FuzzRequest(f *testing.F) {
	f.Add(fmt.Sprintf(question, true))
	f.Add(fmt.Sprintf(question, false))
	f.Add(`{"messages":[{"role":"user","content":null}],"tools":[{"function":{}}]}`)
	f.Add(`{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":"{"}}]}],"stream":true}`)
	f.Add(`[]`)
	f.Add(fmt.Sprintf(messagesQuestion, true))
	f.Add(`{"system":"s","messages":[{"role":"user","content":[{"type":"tool_result","content":"x"}]}]}`)
	f.Add(fmt.Sprintf(geminiQuestion, "", ""))
	f.Add(`{"generateContentRequest":{"generateContentRequest":{}},"contents":[{"parts":[{"functionResponse":{}}]}]}`)
	paths := []string{
		"/v1/chat/completions", messagesPath, "/v1/messages/count_tokens", geminiPath, geminiStreamPath,
		"/v1beta/models/g:countTokens",
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := relay.New(modelFunc(func(turn goal.Turn, delta func(string)) (goal.Reply, error) {
			if len(turn.Messages) == 0 {
				t.Error("the model was asked nothing")
			}
			delta("hi")
			return goal.Reply{Text: "hi"}, nil
		}), "m", func(err error) { t.Error(err) })
		for _, path := range paths {
			w := ask(r, path, body)
			answer := w.Body.String()
			whole := json.Valid([]byte(answer)) || strings.HasSuffix(answer, "\n\n")
			if w.Code != http.StatusOK && w.Code != http.StatusBadRequest || !whole || r.IsBusy() {
				t.Errorf("%s: %d %s", path, w.Code, answer)
			}
		}
	})
}

package model_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// TestCalls_OddPieces_AreJoined expects the calls that the model meant.
func TestCalls_OddPieces_AreJoined(t *testing.T) {
	delta := func(calls string) string { return `{"tool_calls":[` + calls + `]}` }
	read := func(path string) goal.Call { return goal.Call{Tool: "read_file", Arguments: `{"path":"` + path + `"}`} }
	for name, test := range map[string]struct {
		deltas []string
		want   []goal.Call
	}{
		"an empty object before the arguments": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{}"}}`),
				delta(`{"index":0,"function":{"arguments":"{\"path\":"}}`), delta(`{"index":0,"function":{"arguments":"\"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"an empty object as an object before them": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":{}}}`),
				delta(`{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"the whole arguments twice": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"twice with name and id": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"pieces, then the whole": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\""}}`),
				delta(`{"index":0,"function":{"arguments":":\"a\"}"}}`),
				delta(`{"index":0,"function":{"arguments":"{\"path\": \"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"an object and pieces": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":{"path":"a"}}}`),
				delta(`{"index":0,"function":{"arguments":"{\"pa"}}`), delta(`{"index":0,"function":{"arguments":"th\":\"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"doubled in one piece": {
			[]string{delta(`{"index":0,"id":"x",` +
				`"function":{"name":"read_file","arguments":"{\"path\":\"a\"}{\"path\":\"a\"}"}}`)},
			[]goal.Call{read("a")},
		},
		"numbered 0 without ids": {
			[]string{
				delta(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":0,"function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`),
			},
			[]goal.Call{read("a"), read("b")},
		},
		"numbered 0 with empty ids": {
			[]string{delta(`{"index":0,"id":"","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},` +
				`{"index":0,"id":"","function":{"name":"list_files","arguments":"{}"}},` +
				`{"index":0,"id":"","function":{"name":"list_files","arguments":"{}"}}`)},
			[]goal.Call{read("a"), {Tool: "list_files", Arguments: "{}"}, {Tool: "list_files", Arguments: "{}"}},
		},
		"another id with every piece, and the name": {
			[]string{
				delta(`{"index":0,"id":"1","function":{"name":"read_file","arguments":""}}`),
				delta(`{"index":0,"id":"2","function":{"name":"read_file","arguments":"{\"path\":"}}`),
				delta(`{"index":0,"id":"3","function":{"name":"read_file","arguments":"\"a\"}"}}`),
			},
			[]goal.Call{read("a")},
		},
		"interleaved by id, numbered 0": {
			[]string{
				delta(`{"index":0,"id":"1","function":{"name":"read_file","arguments":""}}`),
				delta(`{"index":0,"id":"2","function":{"name":"read_file","arguments":""}}`),
				delta(`{"index":0,"id":"1","function":{"arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":0,"id":"2","function":{"arguments":"{\"path\":\"b\"}"}}`),
			},
			[]goal.Call{read("a"), read("b")},
		},
		"interleaved by number": {
			[]string{
				delta(`{"index":0,"id":"1","function":{"name":"read_file","arguments":""}}`),
				delta(`{"index":1,"id":"2","function":{"name":"read_file","arguments":""}}`),
				delta(`{"index":1,"function":{"arguments":"{\"path\":"}},{"index":0,"function":{"arguments":"{\"path\":"}}`),
				delta(`{"index":0,"function":{"arguments":"\"a\"}"}}`),
				delta(`{"index":1,"function":{"arguments":"\"b\"}"}}`),
			},
			[]goal.Call{read("a"), read("b")},
		},
		"numbered from one": {
			[]string{
				delta(`{"index":1,"id":"1","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":2,"id":"2","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`),
			},
			[]goal.Call{read("a"), read("b")},
		},
		"the id comes last": {
			[]string{
				delta(`{"index":0,"function":{"name":"read_file","arguments":""}}`),
				delta(`{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":0,"id":"late","function":{}}`),
			},
			[]goal.Call{read("a")},
		},
		"null in place of a call, of arguments and of a name": {
			[]string{
				delta(`null,{"index":0,"id":"x","function":{"name":"read_file","arguments":null}}`),
				delta(`{"index":0,"id":null,"function":{"name":null,"arguments":"{\"path\":\"a\"}"}},null`),
			},
			[]goal.Call{read("a")},
		},
		"two calls with the same id": {
			[]string{
				delta(`{"index":0,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
				delta(`{"index":1,"id":"x","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`),
			},
			[]goal.Call{read("a"), read("b")},
		},
		"two objects that differ stay broken": {
			[]string{delta(`{"index":0,"id":"x",` +
				`"function":{"name":"read_file","arguments":"{\"path\":\"a\"}{\"path\":\"b\"}"}}`)},
			[]goal.Call{{Tool: "read_file", Arguments: `{"path":"a"}{"path":"b"}`}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(modeltest.Answer{Raw: chunks("tool_calls", test.deltas...)}))
			r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			if err != nil || len(r.Calls) != len(test.want) {
				t.Fatalf("%+v, %v", r.Calls, err)
			}
			ids := map[string]bool{}
			for i, want := range test.want {
				got := r.Calls[i]
				if ids[got.ID] {
					t.Errorf("two calls have the id %s", got.ID)
				}
				ids[got.ID] = true
				if got.Tool != want.Tool || strings.ReplaceAll(got.Arguments, ": ", ":") != want.Arguments || got.ID == "" {
					t.Errorf("call %d is %+v, want %+v", i, got, want)
				}
			}
		})
	}
}

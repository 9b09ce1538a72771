package model_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
)

// TestMain waits for the end of connections, which net/http leaves open for half a second after their last answer.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

const key = "sk-very-secret-1234567890"

func client(t *testing.T, base string) *model.OpenAI {
	t.Helper()
	c, err := model.NewOpenAI(model.Options{BaseURL: base, Model: "small", APIKey: key, KeyName: "TEST_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func turn() goal.Turn {
	return goal.Turn{
		System:   "You are an engineer.",
		Messages: []goal.Message{{Role: goal.User, Text: "make it"}},
		Tools: []goal.ToolSpec{{
			Name:        "write_file",
			Description: "writes",
			Schema:      json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
		}},
	}
}

// one answers every request in the same way.
func one(a modeltest.Answer) modeltest.Script {
	return func(int, modeltest.Request) modeltest.Answer { return a }
}

func TestCalls_AllNumberedZero_AreSeparate(t *testing.T) {
	const raw = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x",` +
		`"function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"y",` +
		`"function":{"name":"read_file","arguments":""}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,` +
		`"function":{"arguments":"{\"path\":\"b\"}"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n"
	s := modeltest.New(t, one(modeltest.Answer{Raw: raw}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calls) != 2 || r.Calls[0].Arguments != `{"path":"a"}` || r.Calls[1].Arguments != `{"path":"b"}` {
		t.Errorf("calls %+v", r.Calls)
	}
}

func TestOpenAI_AnswerNotStreamed_IsRead(t *testing.T) {
	s := modeltest.New(t, one(modeltest.Answer{
		ContentType: "application/json",
		Raw: `{"choices":[{"message":{"content":[{"type":"text","text":"hello"}],` +
			`"tool_calls":[{"id":"q","function":{"name":"read_file","arguments":"{}"}}]},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
	}))
	r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
	if err != nil || r.Text != "hello" || len(r.Calls) != 1 || r.Usage.TokensOut != 2 {
		t.Errorf("reply %+v, %v", r, err)
	}
}

func TestOpenAI_StreamOptionsRefused_AreLeftOut(t *testing.T) {
	s := modeltest.New(t, func(_ int, req modeltest.Request) modeltest.Answer {
		if req.IncludeUsage {
			return modeltest.Fail(http.StatusBadRequest, "unknown field: stream_options")
		}
		return modeltest.Say("fine")
	})
	c := client(t, s.URL)
	for range 2 {
		if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "fine" {
			t.Fatalf("reply %+v, %v", r, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests, want 3: the refusal is remembered", n)
	}
}

// TestOpenAI_FaultyStream_IsAnError checks the faults that only this protocol can have.
func TestOpenAI_FaultyStream_IsAnError(t *testing.T) {
	broken := func(code string) string {
		return `data: {"choices":[{"delta":{"content":"hel"}}]}` + "\n\n" + `data: {"error":{"message":"sorry","code":` +
			code + `}}` + "\n\n"
	}
	for name, test := range map[string]struct {
		raw   string
		kind  model.Kind
		retry bool
		says  string
	}{
		"cut in an event": {
			`data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n" + `data: {"choices":[{"del`,
			model.Truncated, true, "before",
		},
		"wrong types":   {`data: {"choices":"none"}` + "\n\n", model.InvalidReply, true, "cannot be read"},
		"error by code": {broken(`"server_error"`), model.Overloaded, true, "sorry"},
		"limit by code": {broken(`429`), model.RateLimited, true, "sorry"},
		"content filter": {
			`data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}` + "\n\n", model.Refused,
			false, "filter",
		},
		"refusal": {
			`data: {"choices":[{"delta":{"refusal":"I will not"},"finish_reason":"stop"}]}` + "\n\n", model.Refused,
			false, "I will not",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, one(modeltest.Answer{Raw: test.raw}))
			r, err := client(t, s.URL).Turn(t.Context(), turn(), nil)
			if e, ok := model.AsError(err); !ok || e.Kind != test.kind || e.IsRetryable() != test.retry ||
				!strings.Contains(err.Error(), test.says) || e.Hint == "" {
				t.Errorf("reply %+v, %v", r, err)
			}
		})
	}
}

// TestOpenAI_ToolsRefusedWithThinking_TurnsThinkingOff also checks a server that rejected another option before.
func TestOpenAI_ToolsRefusedWithThinking_TurnsThinkingOff(t *testing.T) {
	s := modeltest.New(t, func(_ int, r modeltest.Request) modeltest.Answer {
		switch {
		case r.IncludeUsage:
			return modeltest.Fail(http.StatusBadRequest, "unknown field: stream_options")
		case len(r.Tools) > 0 && !strings.Contains(string(r.Body), `"reasoning_effort":"none"`):
			return modeltest.Fail(http.StatusBadRequest,
				"Function tools with reasoning_effort are not supported for this model. Set reasoning_effort to 'none'.")
		}
		return modeltest.Say("fine")
	})
	c := client(t, s.URL)
	for range 2 {
		if r, err := c.Turn(t.Context(), turn(), nil); err != nil || r.Text != "fine" {
			t.Fatalf("reply %+v, %v", r, err)
		}
	}
	bare := turn()
	bare.Tools = nil
	if _, err := c.Turn(t.Context(), bare, nil); err != nil {
		t.Error(err)
	}
	all := s.Requests()
	if len(all) != 5 || strings.Contains(string(all[4].Body), "reasoning_effort") {
		t.Errorf("%d requests, the last %s", len(all), all[len(all)-1].Body)
	}
}

func TestOpenAI_SchemaNotAnObject_IsAnError(t *testing.T) {
	in := turn()
	in.Tools[0].Schema = json.RawMessage(`[1]`)
	s := modeltest.New(t, one(modeltest.Say("x")))
	if _, err := client(t, s.URL).Turn(t.Context(), in, nil); err == nil || !strings.Contains(err.Error(), "write_file") {
		t.Errorf("error %v", err)
	}
}

// requestLine is a request as the server received it, without its body.
type requestLine struct {
	uri    string
	header http.Header
}

// recordRequest sends one turn to a base URL, which url builds from a server's URL.
func recordRequest(t *testing.T, apiKey string, url func(server string) string) requestLine {
	t.Helper()
	var got requestLine
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = requestLine{
			uri:    r.RequestURI,
			header: r.Header,
		}
		_, _ = w.Write([]byte(`data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\n"))
	}))
	t.Cleanup(s.Close)
	c, err := model.NewOpenAI(model.Options{
		BaseURL: url(s.URL),
		Model:   "small",
		APIKey:  apiKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Turn(t.Context(), turn(), nil); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestOpenAI_BaseURL_IsJoinedWithThePath(t *testing.T) {
	for path, want := range map[string]string{
		"":                "/chat/completions",
		"/":               "/chat/completions",
		"?x=y":            "/chat/completions",
		"/v1":             "/v1/chat/completions",
		"/v1/":            "/v1/chat/completions",
		"/v1//":           "/v1//chat/completions",
		"//v1":            "//v1/chat/completions",
		"/v1?api=2":       "/v1/chat/completions",
		"/v1/?api=2":      "/v1/chat/completions",
		"/v1#top":         "/v1/chat/completions",
		"/v1/../v2":       "/v2/chat/completions",
		"/a%2Fb/v1":       "/a%2Fb/v1/chat/completions",
		"/a b/v1":         "/a%20b/v1/chat/completions",
		"/a:b/v1;p=1":     "/a:b/v1;p=1/chat/completions",
		"/v1/%2e%2e/deep": "/v1/%2e%2e/deep/chat/completions",
	} {
		got := recordRequest(t, key, func(server string) string { return server + path })
		if got.uri != want {
			t.Errorf("%q is joined to %q, want %q", path, got.uri, want)
		}
	}
}

func TestOpenAI_Headers_HoldTheKeyAndNothingOfTheEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "another")
	t.Setenv("OPENAI_ORG_ID", "organisation")
	t.Setenv("OPENAI_PROJECT_ID", "project")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	withUser := func(server string) string {
		return strings.Replace(server, "://", "://me:pw@", 1)
	}
	asIs := func(server string) string { return server }
	for name, test := range map[string]struct {
		key  string
		url  func(string) string
		want []string
	}{
		"key":             {key, asIs, []string{"Bearer " + key}},
		"no key":          {" \n", asIs, nil},
		"key and user":    {key, withUser, []string{"Bearer " + key}},
		"user and no key": {"", withUser, []string{"Basic bWU6cHc="}},
	} {
		h := recordRequest(t, test.key, test.url).header
		if got := h.Values("Authorization"); !slices.Equal(got, test.want) {
			t.Errorf("%s: Authorization is %q", name, got)
		}
		if h.Get("Accept") != "text/event-stream" || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers %v", name, h)
		}
		for header := range h {
			if strings.HasPrefix(header, "Openai-") {
				t.Errorf("%s: %s was sent", name, header)
			}
		}
	}
}
